"""Lanes of several rings, and of a recording that tells of none: every buffer and every copy has its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from stranger_traces import stranger
from two_ring_traces import STAGES, two_rings, unknowing

from visualizer.export.lane_tracks import tracks
from visualizer.export.selection import select
from visualizer.playback.lane_steps import LaneSteps, lane_steps
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import build_lanes, count_single_lanes

NAMES = [f"{ring}.stage[{stage}]" for ring, stages in STAGES.items() for stage in range(stages)]


def test_every_ring_has_lanes_of_its_stages() -> None:
    history = History(two_rings(4, ctas=2))
    lanes = [lane for lane in build_lanes(history.trace, history.structure) if lane.kind == "stage"]
    assert [lane.key for lane in lanes] == [f"CTA{cta}.{name}" for cta in range(2) for name in NAMES]
    assert [lane.title for lane in lanes[:5]] == NAMES
    for lane in lanes:
        assert lane_steps(history, lane.key) == LaneSteps(history.stages.index, (lane.row,))


@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize("trace", [two_rings(4, ctas=2), two_rings(4), stranger(2, ctas=9)])
def test_lanes_are_counted_as_they_are_laid_out(trace: Trace, loose: bool) -> None:
    """Also where CTAs have barriers and no agents."""
    here = [agent for agent in trace.agents if agent.cta == 0]
    history = History(replace(trace, agents=here, events=trace.events[:0]) if loose else trace)
    single = [lane for lane in build_lanes(history.trace, history.structure) if not lane.folds]
    assert count_single_lanes(history.trace, history.structure) == len(single)


def test_copies_of_each_ring_are_apart() -> None:
    selection = select(History(two_rings(4)), lanes=["tma"])
    assert [track.title for track in tracks(selection)] == [f"tma to {name}" for name in NAMES]


def test_without_rings_copies_are_drawn_by_their_barrier() -> None:
    history = unknowing(two_rings(4))
    titles = [track.title for track in tracks(select(history, lanes=["tma"]))]
    assert titles == [f"tma to {barrier.name}" for barrier in history.trace.barriers if "full" in barrier.name]
    store = LaneStore(history)
    rows = store.copies(store.lanes[store.row_of["tma"]]).rows
    assert sum(len(row.spans) for row in rows) == 8
    assert not any(lane.kind == "stage" for lane in store.lanes)
    assert np.concatenate([row.spans.first_step for row in rows]).size == 8
