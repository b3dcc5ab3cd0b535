"""Exports of a recording whose warps fold and whose barriers nobody named: which lanes, under which names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from chromium import BROWSER, Page, chromium
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
from stranger_traces import stranger

from visualizer.export.formats import export
from visualizer.export.lane_tracks import tracks
from visualizer.export.page_model import page_document
from visualizer.export.selection import between, select
from visualizer.export.timeline_picture_widget import TimelinePicture
from visualizer.export.vcd import signals
from visualizer.export.writing import Look
from visualizer.replay.history import History
from visualizer.views.look.theme import load_theme

GROUP = "warpgroup1.consumer"


@pytest.fixture(scope="module")
def history() -> History:
    return History(stranger())


@pytest.mark.parametrize(
    ("patterns", "keys", "folded"),
    [
        ([GROUP], ["warp4", "warp5", "warp6", "warp7"], {GROUP}),
        (["warp4", "warp5"], ["warp4", "warp5"], set()),
        (["ring0.full[*]"], ["0x400", "0x408"], set()),
        (["0x408"], ["0x408"], set()),
        (["ring[ring0]"], ["ring0.stage[0]", "ring0.stage[1]", "0x400", "0x408", "0x428", "0x430"], set()),
    ],
)
def test_lanes_go_by_what_the_timeline_calls_them(
    history: History, patterns: list[str], keys: list[str], folded: set[str]
) -> None:
    chosen = select(history, "", patterns)
    assert [lane.key for lane in chosen.lanes] == keys
    assert chosen.folded == folded


def test_a_cta_stands_for_its_lanes() -> None:
    history = History(stranger(ctas=2))
    chosen = select(history, "0:99", ["CTA1"])
    assert list(chosen.lanes) == [lane for lane in select(history).lanes if lane.cta == 1]
    assert [lane.key for lane in select(history, "", ["CTA1.ring0.full[0]"]).lanes] == ["CTA1.0x400"]


@pytest.mark.usefixtures("qapp")
def test_a_picture_folds_warps_and_heads_rings_as_the_timeline_does(history: History) -> None:
    def drawn(*patterns: str) -> list[str]:
        picture = TimelinePicture(select(history, "", patterns), load_theme("light"), 1600, with_step=True)
        return [lane.key for lane in picture._scene.lanes]

    assert drawn()[:7] == [
        "warp0", "warpgroup0.consumer", GROUP, "warpgroup2.consumer", "tma", "ring[ring0]", "ring0.stage[0]",
    ]  # fmt: skip
    assert drawn("warp4", "0x408") == [GROUP, "warp4", "ring[ring0]", "0x408"]
    folded = between(history, 0, 10**9, select(history, "", ["ring[*"]).lanes, frozenset({"ring[ring1]"}), ("0x400",))
    picture = TimelinePicture(folded, load_theme("dark"), 1600, with_step=False)
    keys = [lane.key for lane in picture._scene.lanes]
    assert keys[0] == "0x400"
    assert keys[-1] == "ring[ring1]"
    assert "0x408" in keys


def test_describedpages_and_waveforms_call_barriers_by_what_they_are_for(history: History) -> None:
    chosen = select(history, "", ["warp0", "0x410"])
    agent, barrier = tracks(chosen)
    assert (agent.title, barrier.title) == ("warp0.producer", "ring1.full[0]")
    assert "waits ring0.empty[0]" in agent.slices.texts
    lanes = page_document(chosen)["timeline"]["lanes"]
    assert [lane["title"] for lane in lanes] == ["warp0.producer", "ring1.full[0] 0x410"]
    named = {signal.scope: signal for signal in signals(chosen)}
    assert set(named) == {"warp0_producer", "ring1_full_0"}


def test_the_recorded_name_stands_beside_the_title(history: History, write) -> None:
    with write(history, ".csv").open(encoding="utf-8", newline="") as file:
        pairs = {(row["barrier"], row["barrier_title"]) for row in csv.DictReader(file)}
    assert {("0x410", "ring1.full[0]"), ("0x430", "ring0.empty[1]"), ("", "")} <= pairs
    columns = np.load(write(history, ".npz"))
    assert np.array_equal(columns["barrier_title"], columns["barrier"])
    assert tuple(columns["barrier_title.names"]) == history.barrier_titles
    assert "\tring1_full_0: 0x410\n" in write(history, ".vcd").read_text()
    chrome = json.loads(write(history, ".json").read_text())["traceEvents"]
    threads = [event["args"] for event in chrome if event.get("name") == "thread_name"]
    assert {"name": "ring1.full[0]", "recorded": "0x410"} in threads
    assert {"name": "warp0.producer"} in threads
    perfetto = schema.Trace.FromString(write(history, ".pftrace").read_bytes()).packet
    described = {packet.track_descriptor.name: packet.track_descriptor.description for packet in perfetto}
    assert described["ring1.full[0]"] == "0x410"
    assert described["warp0.producer"] == ""


def test_a_page_folds_the_groups_whose_warps_it_has(history: History) -> None:
    document = page_document(select(history))
    groups = document["timeline"]["groups"]
    assert groups[GROUP] == {"title": f"{GROUP} ×4", "folded": True}
    folded = {lane["key"]: lane.get("group") for lane in document["timeline"]["lanes"]}
    assert [key for key, group in folded.items() if group == GROUP] == ["warp4", "warp5", "warp6", "warp7"]
    assert folded["warp0"] is folded["tma"] is None
    assert {agent["name"]: agent["title"] for agent in document["agents"]}["warp0"] == "warp0.producer"
    single = page_document(select(history, "", ["warp4", "warp5"]))["timeline"]
    assert single["groups"] == {}
    assert not any("group" in lane for lane in single["lanes"])
    unfolded = between(history, 0, 10**9, select(history, "", [GROUP]).lanes)
    assert page_document(unfolded)["timeline"]["groups"][GROUP]["folded"] is False


@pytest.fixture(scope="module")
def page(history: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if BROWSER is None:
        pytest.skip("no Chromium on this computer; .ci/setup installs it")
    folder: Path = tmp_path_factory.mktemp("folded")
    export(select(history), folder / "stranger.html", Look("dark"))
    with chromium(folder / "profile") as opened:
        opened.open((folder / "stranger.html").as_uri())
        yield opened
        assert not opened.problems


def test_a_group_on_the_page_unfolds_by_mouse_and_key(page: Page) -> None:
    names = "[...document.querySelectorAll('#timeline g > text')].map((text) => text.firstChild.textContent)"
    head = f"document.querySelector('[data-group=\"{GROUP}\"]')"
    height = "document.getElementById('timeline').getAttribute('height')"
    middle = "document.querySelector('#cursor path[fill=\"var(--accent)\"]').getAttribute('d')"
    low = int(page.value(height))
    assert f"▸ {GROUP} ×4" in page.value(names)
    assert "warp5" not in page.value(names)
    assert page.value(f"{head}.parentElement.querySelectorAll('g > path').length") >= 2  # running and waiting
    page.value("location.hash = '#step=600'")
    shown = page.text("position")
    page.value(f"{head}.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }}))")
    assert [name for name in page.value(names) if name.startswith("warp") and name[4:].isdigit()] == [
        "warp4", "warp5", "warp6", "warp7",
    ]  # fmt: skip
    assert int(page.value(height)) == low + 4 * 26
    assert page.value(f"{head}.getAttribute('aria-expanded')") == "true"
    assert page.text("position") == shown, "a click on a group's name leads to no other step"
    assert page.value(middle)
    page.value(f"{head}.focus()")
    page.press("Enter")
    assert int(page.value(height)) == low
    assert page.value(f"document.activeElement === {head}")
