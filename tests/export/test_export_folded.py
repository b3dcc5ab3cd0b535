"""Exports of a recording whose warps fold and whose barriers nobody named: which lanes, under which names."""

from __future__ import annotations

import pytest
from stranger_traces import stranger

from visualizer.export.lane_tracks import tracks
from visualizer.export.page_model import page_document
from visualizer.export.selection import between, own_lanes, select
from visualizer.export.timeline_picture_widget import TimelinePicture
from visualizer.export.vcd import signals
from visualizer.replay.history import History
from visualizer.views.theme import load_theme

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
    assert list(chosen.lanes) == [lane for lane in own_lanes(history) if lane.cta == 1]
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


def test_tracks_pages_and_waveforms_call_barriers_by_what_they_are_for(history: History) -> None:
    chosen = select(history, "", ["warp0", "0x410"])
    agent, barrier = tracks(chosen)
    assert (agent.title, barrier.title) == ("warp0.producer", "ring1.full[0]")
    assert "waits ring0.empty[0]" in agent.slices.texts
    lanes = page_document(chosen)["timeline"]["lanes"]
    assert [lane["title"] for lane in lanes] == ["warp0.producer", "ring1.full[0] 0x410"]
    named = {signal.scope: signal for signal in signals(chosen)}
    assert set(named) == {"warp0_producer", "ring1_full_0"}
