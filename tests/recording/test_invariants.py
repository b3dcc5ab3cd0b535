"""Tables that contradict each other, or declare what they have no rows for, make no Trace: whoever makes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from visualizer.recording.invariants import MOST_PS
from visualizer.recording.schema import SAMPLE_DTYPE
from visualizer.recording.trace import Trace, TraceError
from visualizer.semantics.pipeline_state import PipelineState


def _with_barrier(trace: Trace, **changes: Any) -> Trace:
    return replace(trace, barriers=[replace(trace.barriers[0], **changes), *trace.barriers[1:]])


def _with_agent(trace: Trace, **changes: Any) -> Trace:
    return replace(trace, agents=[replace(trace.agents[0], **changes), *trace.agents[1:]])


@pytest.mark.parametrize("name", ["producer", "tma", "empty[0]"])
def test_a_lane_is_one_thing(lesson_trace: Trace, name: str) -> None:
    with pytest.raises(TraceError, match="names must differ"):
        _with_barrier(lesson_trace, name=name)


def test_a_lane_has_a_name(lesson_trace: Trace) -> None:
    for with_row in (_with_barrier, _with_agent):
        with pytest.raises(TraceError, match="an agent or barrier has no name"):
            with_row(lesson_trace, name="")


@pytest.mark.parametrize("name", ["stage[0]", "CTA1.stage[12]", "CTA0", "K.stage[1]"])
def test_lanes_of_stages_and_ctas_are_not_called_after(lesson_trace: Trace, name: str) -> None:
    with pytest.raises(TraceError, match="as the lane of a stage or CTA is"):
        _with_agent(lesson_trace, name=name)


@pytest.mark.parametrize("name", ["stage", "my stage[x]", "CTA0.full[9]", "CTAX"])
def test_other_names_are_free(lesson_trace: Trace, name: str) -> None:
    assert _with_barrier(lesson_trace, name=name).barriers[0].name == name


def test_an_agent_has_one_cursor_over_a_ring(lesson_trace: Trace) -> None:
    start = lesson_trace.agents[0].start
    assert start is not None
    with pytest.raises(TraceError, match=r"'producer' has two cursors over ring ''"):
        _with_agent(lesson_trace, more_starts=(("", start),))


def test_a_cursor_is_within_its_ring(lesson_trace: Trace) -> None:
    with pytest.raises(TraceError, match=r"'producer' starts at stage 3 of ring '', which has 3 stages"):
        _with_agent(lesson_trace, start=PipelineState(8, index=3))


@pytest.mark.parametrize("changes", [{"stage": 32767}, {"cta": 2**20}, {"cta": 2**31 - 1}])
def test_what_is_declared_is_bounded_by_what_is_there(lesson_trace: Trace, changes: dict[str, int]) -> None:
    with pytest.raises(TraceError, match="are more than"):
        _with_barrier(lesson_trace, **changes)


def test_rings_and_ctas_together_are_bounded(lesson_trace: Trace) -> None:
    rings = ["", *map(str, range(200))]
    far = replace(lesson_trace.barriers[0], name="far", cta=10_000)
    with pytest.raises(TraceError, match="10001 CTAs with 201 rings"):
        replace(lesson_trace, rings=rings, barriers=[*lesson_trace.barriers, far])


@pytest.mark.parametrize("column", ["time", "measured"])
def test_times_are_far_from_overflowing(lesson_trace: Trace, column: str) -> None:
    events = lesson_trace.events.copy()
    events[column][-1] = MOST_PS
    assert replace(lesson_trace, events=events.copy()).events[column][-1] == MOST_PS
    events[column][-1] = MOST_PS + 1
    with pytest.raises(TraceError, match=str(MOST_PS)):
        replace(lesson_trace, events=events)


def test_a_tile_is_a_number_or_none(lesson_trace: Trace) -> None:
    events = lesson_trace.events.copy()
    events["tile"][3] = -2
    with pytest.raises(TraceError, match="event 3 has tile -2"):
        replace(lesson_trace, events=events)


@pytest.mark.parametrize("column", ["begin", "end"])
@pytest.mark.parametrize("time", [-(2**63), 2**63 - 1, MOST_PS + 1])
def test_samples_are_at_such_times_too(lesson_trace: Trace, column: str, time: int) -> None:
    samples = np.zeros(1, SAMPLE_DTYPE)
    samples[column] = time
    with pytest.raises(TraceError, match="sample 0 is at a time beyond"):
        replace(lesson_trace, samples=samples)
