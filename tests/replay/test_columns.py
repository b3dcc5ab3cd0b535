"""The passes that History's columns are built in, against plain loops: pieces and shortcuts change nothing."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay import stage_columns
from visualizer.replay.barrier_columns import _since
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

CANDIDATES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-1, 2)), max_size=60)
"""Stage, state and tile of each."""


@settings(max_examples=100, deadline=None)
@given(CANDIDATES)
def test_what_changes_no_stage_is_dropped_across_pieces(candidates: list[tuple[int, int, int]]) -> None:
    row, state, tile = np.array(candidates, np.int32).reshape(-1, 3).T
    with mock.patch.object(stage_columns, "_CANDIDATES_AT_ONCE", 7):
        changes = stage_columns._changes(row.astype(np.uint16), state.astype(np.uint8), tile.copy(), 4)
    latest: dict[int, tuple[int, int]] = {}
    for (stage, *held), found in zip(candidates, changes.tolist(), strict=True):
        assert found == (latest.get(stage) != tuple(held))
        latest[stage] = (held[0], held[1])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(-(2**31), 2**31 - 1)), min_size=1, max_size=40))
def test_sums_since_an_origin_may_go_round(rows: list[tuple[bool, int]]) -> None:
    is_origin = np.array([origin for origin, _ in rows])
    is_origin[0] = True
    change = np.array([amount for _, amount in rows], np.int32)
    origins = np.flatnonzero(is_origin)
    start = np.arange(len(origins), dtype=np.int32) * 1000
    into = np.empty(len(rows), np.int32)
    _since(origins, start, change.copy(), into)
    for row, found in enumerate(into.tolist()):
        which = int(np.searchsorted(origins, row, side="right")) - 1
        wanted = int(start[which]) + int(change[origins[which] + 1 : row + 1].astype(object).sum())
        assert (found - wanted) % 2**32 == 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from((64, 128, 256)), st.floats(0, 0.3))
def test_the_nth_copy_of_a_tile_is_the_nth_to_land(seed: int, columns: int, lost: float) -> None:
    trace = simulate(lesson(LessonConfig(tiles=9, tile_columns=columns, ctas=2)), seed=seed)
    is_copy = np.isin(trace.events["kind"], (EventKind.COPY_ISSUE, EventKind.COPY_DONE))
    kept = ~is_copy | (np.random.default_rng(seed).random(len(trace)) >= lost)
    trace = replace(trace, events=trace.events[kept])
    issued: dict[tuple[int, int], list[int]] = {}
    landed: dict[tuple[int, int], list[int]] = {}
    for step, event in enumerate(trace.events):
        lane = (int(event["barrier"]), int(event["tile"]))
        if event["kind"] == EventKind.COPY_ISSUE:
            issued.setdefault(lane, []).append(step)
        elif event["kind"] == EventKind.COPY_DONE:
            landed.setdefault(lane, []).append(step)
    pairs = {issue: done for lane in issued for issue, done in zip(issued[lane], landed.get(lane, []), strict=False)}
    copies = History(trace).copies
    stages = [issues for row in range(len(trace.barriers)) for issues in copies.issues.steps(row).tolist()]
    assert copies.done_step.tolist() == [pairs.get(step, -1) for step in stages]
    landings = copies.landed[copies.by_landing].tolist()
    assert dict(zip(copies.issued[copies.by_landing].tolist(), landings, strict=True)) == pairs
    assert landings == sorted(pairs.values())
