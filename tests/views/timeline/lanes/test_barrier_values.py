"""What stands beside a barrier's lane is what the barrier is, however one came to the step."""

from __future__ import annotations

import random

from visualizer.replay.history import History
from visualizer.replay.phases import phase_of
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.text import barrier_value


def test_a_value_is_asked_again_when_its_barrier_has_changed(lesson_history: History) -> None:
    store = LaneStore(lesson_history)
    lanes = [lane for lane in store.lanes if lane.kind == "barrier"]
    steps = [*range(lesson_history.steps), *random.Random(0).sample(range(lesson_history.steps), lesson_history.steps)]
    for step in steps:
        state = lesson_history.state_at(step)
        shown = [kind_of(lane).value(store, state, lane) for lane in lanes]
        changes = [lesson_history.barriers.change_at(lane.row, step) for lane in lanes]
        asked = zip(lanes, changes, strict=True)
        assert shown == [barrier_value(lesson_history, lane.row, change) for lane, change in asked], step


def test_bytes_that_are_in_are_those_of_the_phase_so_far(lesson_history: History) -> None:
    barriers, amount = lesson_history.barriers, lesson_history.trace.events["amount"]
    for row in range(len(lesson_history.trace.barriers)):
        for step in range(lesson_history.steps):
            phase = phase_of(barriers, row, step + 1)
            came = [at for at in phase.bytes_landed if at <= step]
            assert barriers.at(row, step).landed == amount[came].sum()
