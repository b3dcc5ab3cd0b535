"""Comparisons of recordings: against themselves, other seeds, other barriers' rows, changed events, the H200's runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import comparison_json, comparison_text, state_differences
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.resources import resource_dir
from visualizer.sources.simulator.simulate import simulate


def run(seed: int = 0, **config: int) -> History:
    return History(simulate(lesson(LessonConfig(**config)), seed=seed))


def changed(trace: Trace, step: int, **values: int) -> History:
    events = trace.events.copy()
    for column, value in values.items():
        events[column][step] = value
    return History(replace(trace, events=events))


def test_a_recording_is_like_itself(lesson_history: History) -> None:
    comparison = Comparison(lesson_history, lesson_history)
    assert comparison.same_order
    assert len(comparison.tiles) == 8
    assert not comparison.tiles.longer.any()
    assert not comparison.tiles.later.any()
    assert [comparison.in_b(step) for step in range(lesson_history.steps)] == list(range(lesson_history.steps))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 12))
def test_another_seed_changes_times_and_no_order(seed: int, stages: int, tiles: int) -> None:
    a, b = run(0, stages=stages, tiles=tiles), run(seed, stages=stages, tiles=tiles)
    comparison = Comparison(a, b)
    assert comparison.same_order
    assert comparison.tiles.tile.tolist() == list(range(tiles))
    for step in range(a.steps):
        event, other = a.trace.events[step], b.trace.events[comparison.in_b(step)]
        if event["kind"] == EventKind.COMPLETE_TX:  # its portions are chance
            continue
        assert (event["kind"], event["tile"], event["barrier"]) == (other["kind"], other["tile"], other["barrier"])
        if event["kind"] != EventKind.PHASE_COMPLETE:
            assert event["agent"] == other["agent"]


def test_the_h200_keeps_the_simulators_order(lesson_history: History) -> None:
    recorded = History(load(resource_dir("assets") / "traces" / "lesson.pscope"))
    comparison = Comparison(lesson_history, recorded)
    assert comparison.same_order
    assert (comparison.tiles.longer > 0).any()


@pytest.mark.parametrize("column", ["kind", "barrier", "stage", "tile", "parity", "amount"])
def test_the_first_event_that_differs_is_found(lesson_trace: Trace, lesson_history: History, column: str) -> None:
    """In the middle of one warp's events, whichever column it is in."""
    agent = lesson_trace.agent_index["consumer.w2"]
    own = np.flatnonzero((lesson_trace.events["agent"] == agent) & (lesson_trace.events["kind"] == EventKind.ARRIVE))
    step = int(own[3])
    other = {
        "kind": int(EventKind.ARRIVE_DROP),
        "barrier": (int(lesson_trace.events["barrier"][step]) + 1) % 6,
        "stage": (int(lesson_trace.events["stage"][step]) + 1) % 3,
        "tile": 77,
        "parity": 1 - int(lesson_trace.events["parity"][step] > 0),
        "amount": 5,
    }[column]
    comparison = Comparison(lesson_history, changed(lesson_trace, step, **{column: other}))
    assert not comparison.same_order
    (found,) = comparison.differing
    assert (found.agent, found.step_a, found.step_b) == ("consumer.w2", step, step)
    before = [s for s in range(step) if lesson_trace.events["agent"][s] == agent]
    assert found.index == len([s for s in before if lesson_trace.events["kind"][s] != EventKind.PHASE_COMPLETE])


def test_more_tiles_differ_where_the_shorter_run_ends() -> None:
    comparison = Comparison(run(tiles=8), run(tiles=10))
    assert {agent.agent for agent in comparison.differing} == {agent.name for agent in comparison.a.trace.agents}
    assert comparison.tiles.tile.tolist() == list(range(8))
    tma = next(agent for agent in comparison.agents if agent.agent == "tma")
    assert (tma.index, tma.step_a) == (tma.events_a, None)
    assert "in a nothing more; in b copy_done" in "\n".join(comparison_text(comparison))


def test_barriers_are_matched_by_name_not_by_row(lesson_trace: Trace, lesson_history: History) -> None:
    order = np.arange(len(lesson_trace.barriers))[::-1]
    events = lesson_trace.events.copy()
    held = events["barrier"] >= 0
    events["barrier"][held] = order[events["barrier"][held]]
    turned = replace(lesson_trace, barriers=[lesson_trace.barriers[row] for row in order], events=events)
    comparison = Comparison(lesson_history, History(turned))
    assert comparison.same_order
    assert comparison.in_b(100) == 100


def test_several_ctas_are_aligned_each_with_its_own() -> None:
    comparison = Comparison(run(ctas=3), run(7, ctas=3))
    assert comparison.same_order
    tiles = comparison.tiles
    assert list(zip(tiles.cta.tolist(), tiles.tile.tolist(), strict=True)) == [
        (c, t) for c in range(3) for t in range(8)
    ]


def test_tile_times_are_those_of_its_events(lesson_history: History) -> None:
    other = run(3)
    tiles = Comparison(lesson_history, other).tiles
    for history, begin, end in ((lesson_history, tiles.begin_a, tiles.end_a), (other, tiles.begin_b, tiles.end_b)):
        for tile in range(8):
            times = history.trace.events["time"][history.trace.events["tile"] == tile]
            assert (begin[tile], end[tile]) == (times[0], times[-1])


def test_agents_of_one_only_are_named() -> None:
    comparison = Comparison(run(), run(consumer_warps=2))
    assert comparison.only_a == ("consumer.w3",)
    assert not comparison.same_order
    assert comparison_text(comparison)[0] == "only in a: consumer.w3"


def test_states_at_the_same_tile() -> None:
    a, b = run(), run(consumer_delay=3000)
    comparison = Comparison(a, b)
    steps = [comparison.tile_step(history, 0, 5) for history in (a, b)]
    for step, history in zip(steps, (a, b), strict=True):
        event = history.trace.events[step]
        assert (event["kind"], event["tile"]) == (EventKind.PHASE_COMPLETE, 5)
        assert history.trace.barriers[event["barrier"]].kind == "full"
    assert comparison.tile_step(a, 0, 99) is None
    assert comparison.in_b(steps[0]) == steps[1]
    assert state_differences(Comparison(a, a), steps[0], steps[0]) == []
    differing = {name: (one, two) for name, one, two in state_differences(comparison, 20, 200)}
    full = a.barrier_at(0, 20)
    assert (a.trace.barriers[0].name, full.pending, full.tx) == ("full[0]", 0, 6144)
    assert differing["full[0]"][0] == "phase 0, arrived 1/1, landed 10/16 KiB"


def test_json_has_every_tile_and_agent(lesson_history: History) -> None:
    document = comparison_json(Comparison(lesson_history, run(tiles=9)))
    assert [row["tile"] for row in document["tiles"]] == list(range(8))
    assert {agent["agent"] for agent in document["agents"]} == {agent.name for agent in lesson_history.trace.agents}
    producer = document["agents"][0]["first_difference"]
    assert producer["a"]["kind"] == "wait_begin"  # the tail
    assert (producer["a"]["tile"], producer["b"]["tile"]) == (None, 8)


def test_a_hang_against_a_sound_run() -> None:
    hang = History(load(Path(__file__).parents[2] / "data" / "h200-faults" / "F01.pscope"))
    comparison = Comparison(History(load(resource_dir("assets") / "traces" / "lesson.pscope")), hang)
    assert not comparison.same_order
    assert comparison.differing[0].index is not None


def test_an_empty_recording_has_no_tiles(lesson_history: History, lesson_trace: Trace) -> None:
    empty = History(replace(lesson_trace, events=lesson_trace.events[:0]))
    comparison = Comparison(lesson_history, empty)
    assert len(comparison.tiles) == 0
    assert comparison_text(comparison)[-1] == "tiles: the recordings have none in common"
