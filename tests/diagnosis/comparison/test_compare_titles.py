"""Recordings that know addresses alone are compared by what their barriers are for, and told so."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from stranger_traces import stranger

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import (
    comparison_json,
    comparison_text,
    state_differences,
    state_texts,
)
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget
from visualizer.structure.told import told

ADDRESS = re.compile(r"0x[0-9a-f]")


def moved(history: History, by: int) -> History:
    """The same run of a kernel whose barriers lie elsewhere."""
    trace = history.trace
    barriers = [
        replace(barrier, name=hex(int(barrier.name, 16) + by), address=barrier.address + by, offset=barrier.offset + by)
        for barrier in trace.barriers
    ]
    return History(replace(trace, barriers=barriers))


@pytest.fixture(scope="module")
def history() -> History:
    return History(stranger())


def test_a_barrier_that_lies_elsewhere_is_found_again(history: History) -> None:
    other = moved(history, 0x10)  # where full[2] was lies full[0] of the other
    comparison = Comparison(history, other)
    assert other.barrier_titles == history.barrier_titles
    assert comparison.same_order
    assert all(comparison.in_b(step) == step for step in range(history.steps))
    assert state_differences(comparison, 90, 90) == []


def test_a_recording_with_names_is_like_itself_without(history: History) -> None:
    trace = simulate(lesson(LessonConfig(tiles=5)))
    named, untold = History(trace), History(forget(trace))
    assert untold.trace.barriers[0].name != trace.barriers[0].name
    texts = [state_texts(one, one.steps - 1, one.barrier_titles) for one in (named, untold)]
    assert {name for name in texts[0] if "full" in name} <= set(texts[1])
    found = Comparison(named, untold)
    assert found.in_b(60) == 60
    assert not ADDRESS.search("\n".join(comparison_text(found)))


def test_where_one_is_not_known_barriers_go_by_their_recorded_names(history: History) -> None:
    unknown = History(history.trace, told(history.trace))
    comparison = Comparison(history, unknown)
    assert comparison.same_order
    assert unknown.barrier_titles[0] == "0x400"
    assert comparison.barrier_names(unknown) == comparison.barrier_names(history) == history.barrier_titles
    assert state_differences(comparison, 90, 120) == [
        (name, a, b) for name, a, b in state_differences(Comparison(history, history), 90, 120) if "stage[" not in name
    ]


def test_text_says_titles_and_json_both(history: History) -> None:
    step = int((history.trace.events["barrier"] == 1).nonzero()[0][-1])
    events = history.trace.events.copy()
    events["parity"][step] ^= 1
    comparison = Comparison(history, History(replace(history.trace, events=events), history.structure))
    text = "\n".join(comparison_text(comparison))
    assert "ring0.full[1]" in text
    assert not ADDRESS.search(text)
    firsts = [agent["first_difference"] for agent in comparison_json(comparison)["agents"]]
    event = next(first["a"] for first in firsts if first)
    assert (event["barrier"], event["barrier_title"]) == ("0x408", "ring0.full[1]")
