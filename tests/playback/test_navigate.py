"""Where each key takes the focus, in the lesson and in a run of several CTAs."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane, lane_steps
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

LANES = ["producer", "consumer.w2", "tma", "full[1]", "empty[0]", "stage[2]"]


def walk(history: History, focus: Focus, direction: int) -> list[int]:
    """The steps a lane's transitions go through."""
    steps = []
    at: Focus | None = focus
    while (at := navigate.transition(history, at, direction)) is not None:
        steps.append(at.step)
    return steps


def test_events_go_one_by_one_and_stop_at_the_ends(lesson_history: History) -> None:
    last = lesson_history.steps - 1
    assert navigate.event(lesson_history, Focus(5, "tma"), 1) == Focus(6, "tma")
    assert navigate.event(lesson_history, Focus(5), -1) == Focus(4)
    assert navigate.event(lesson_history, Focus(0), -1) is None
    assert navigate.event(lesson_history, Focus(last), 1) is None
    assert navigate.first(lesson_history, Focus(5, "tma")) == Focus(0, "tma")
    assert navigate.last(lesson_history, Focus(5)) == Focus(last)
    assert navigate.last(lesson_history, Focus(last)) is None


@pytest.mark.parametrize("lane", LANES)
def test_a_lanes_transitions_back_are_those_forth(lesson_history: History, lane: str) -> None:
    forth = walk(lesson_history, Focus(0, lane), 1)
    back = walk(lesson_history, Focus(lesson_history.steps - 1, lane), -1)
    found = lane_steps(lesson_history, lane)
    assert found is not None
    own = found.steps().tolist()
    assert forth == [step for step in own if step > 0]
    assert back == [step for step in reversed(own) if step < lesson_history.steps - 1]


def test_a_barriers_transitions_change_it_and_nothing_between_does(lesson_history: History) -> None:
    row = lesson_history.trace.barrier_index["full[1]"]
    stops = {0, *walk(lesson_history, Focus(0, "full[1]"), 1)}
    for step in range(1, lesson_history.steps):
        now, before = lesson_history.barrier_at(row, step), lesson_history.barrier_at(row, step - 1)
        assert (now != before) == (step in stops)


def test_a_stages_transitions_are_its_changes(lesson_history: History) -> None:
    stops = walk(lesson_history, Focus(0, "stage[0]"), 1)
    assert stops == lesson_history.stage_spans(0).first_step[1:].tolist()


def test_without_a_lane_the_events_own_lane_is_followed(lesson_history: History) -> None:
    flip = int(lesson_history.completion_steps[0])
    assert home_lane(lesson_history.trace, flip) == "full[0]"
    assert home_lane(lesson_history.trace, 0) == "producer"
    assert navigate.transition(lesson_history, Focus(flip), 1) == Focus(
        navigate.transition(lesson_history, Focus(flip, "full[0]"), 1).step  # type: ignore[union-attr]
    )


def test_same_kind_goes_from_flip_to_flip(lesson_history: History) -> None:
    events = lesson_history.trace.events
    row = lesson_history.trace.barrier_index["full[0]"]
    flips = np.flatnonzero((events["kind"] == EventKind.PHASE_COMPLETE) & (events["barrier"] == row)).tolist()
    focus = Focus(flips[0], "full[0]")
    second = navigate.same_kind(lesson_history, focus, 1)
    assert second == Focus(flips[1], "full[0]")
    assert navigate.same_kind(lesson_history, second, -1) == focus
    assert navigate.same_kind(lesson_history, focus, -1) is None
    assert navigate.same_kind(lesson_history, Focus(flips[-1], "full[0]"), 1) is None


def test_same_kind_before_a_lanes_first_event_goes_to_that_event(lesson_history: History) -> None:
    first_issue = int(np.flatnonzero(lesson_history.kinds == EventKind.COPY_ISSUE)[0])
    assert navigate.same_kind(lesson_history, Focus(0, "tma"), 1) == Focus(first_issue, "tma")


def test_phase_completions_of_any_barrier(lesson_history: History) -> None:
    steps = lesson_history.completion_steps.tolist()
    focus: Focus | None = Focus(0)
    seen = []
    while (focus := navigate.phase_completion(lesson_history, focus, 1)) is not None:
        seen.append(focus.step)
    assert seen == steps
    assert navigate.phase_completion(lesson_history, Focus(steps[2]), -1) == Focus(steps[1])
    assert navigate.phase_completion(lesson_history, Focus(steps[0]), -1) is None


def test_causes_and_effects_select_the_lane_they_lead_to(lesson_history: History) -> None:
    causality = Causality(lesson_history)
    flip = int(lesson_history.completion_steps[0])
    woken = navigate.effect(causality, Focus(flip, "full[0]"))
    assert woken is not None
    assert woken.lane is not None
    assert woken.lane.startswith("consumer.w")
    assert navigate.cause(causality, woken) == Focus(flip, "full[0]")
    assert navigate.cause(causality, Focus(0)) is None


@pytest.mark.parametrize("lane", ["nobody", "full[3]", "stage[3]", "CTA1.stage[0]", ""])
def test_a_lane_the_recording_lacks_goes_nowhere(lesson_history: History, lane: str) -> None:
    assert lane_steps(lesson_history, lane) is None
    assert navigate.transition(lesson_history, Focus(3, lane), 1) is None
    assert navigate.same_kind(lesson_history, Focus(3, lane), 1) is None


def test_lanes_of_several_ctas() -> None:
    history = History(simulate(lesson(LessonConfig(ctas=2, tiles=4))))
    trace = history.trace
    for lane in ("CTA1.producer", "CTA1.tma", "CTA1.full[2]", "CTA1.stage[0]"):
        steps = walk(history, Focus(0, lane), 1)
        assert steps
        assert {trace.agents[agent].cta for agent in trace.events["agent"][steps]} == {1}


@pytest.mark.parametrize("lane", ["producer", "consumer.w1", "full[0]", "stage[0]", "tma"])
def test_tile_by_tile_lands_on_the_first_event_of_each(lesson_history: History, lane: str) -> None:
    found = lane_steps(lesson_history, lane)
    assert found is not None
    steps = found.steps()
    tiles = lesson_history.trace.events["tile"][steps]
    firsts = [
        int(step) for step, tile, before in zip(steps, tiles, [-1, *tiles], strict=False) if tile not in (-1, before)
    ]
    focus = Focus(0, lane)
    seen = []
    while (after := navigate.tile(lesson_history, focus, 1)) is not None:
        seen.append(after.step)
        focus = after
    assert seen == firsts[-len(seen) :]
    assert len(seen) >= len(firsts) - 1
    back = [focus.step]
    while (before := navigate.tile(lesson_history, focus, -1)) is not None:
        back.append(before.step)
        focus = before
    assert back[::-1] == firsts


def test_no_tile_where_there_is_no_such_lane(lesson_history: History) -> None:
    assert navigate.tile(lesson_history, Focus(5, "nobody"), 1) is None
