"""A recording may come from a stranger: whatever a valid Trace says, no question about it ends in a traceback."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.diagnosis.explain import explain
from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.replay.snapshot import step_document
from visualizer.replay.tile_table import tile_table
from visualizer.semantics.pipeline_state import PipelineState
from visualizer.trace.schema import EVENT_DTYPE, EventKind
from visualizer.trace.tables import Agent, Barrier, Ending, Meta
from visualizer.trace.trace import Trace

AGENTS = (
    Agent("producer", "producer", 0, 0, PipelineState(2, phase=1)),
    Agent("consumer.w1", "consumer", 0, 1),
    Agent("tma", "copy_engine", 0, -1),
)
BARRIERS = (
    Barrier("full[0]", 0, "full", 0, 1, 0),
    Barrier("empty[0]", 0, "empty", 0, 32, 8),
    Barrier("elsewhere", 7, "full", 1, 1, 8),
    Barrier("loose", 0, "other", -1, 1, 8),
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from([int(kind) for kind in EventKind]),
            "agent": st.integers(0, 2),
            "barrier": st.integers(-1, 3),
            "stage": st.integers(-1, 0),
            "tile": st.integers(-1, 2),
            "parity": st.integers(-1, 1),
            "amount": st.integers(-2, 2**31 - 1) | st.integers(0, 3),
            "flags": st.integers(0, 15),
            "token": st.integers(0, 2**64 - 1),
        }
    ),
    max_size=25,
)


def recording(events: list[dict[str, int]], barriers: tuple[Barrier, ...]) -> Trace:
    rows = np.zeros(len(events), EVENT_DTYPE)
    rows["site"] = -1
    for step, (row, event) in enumerate(zip(rows, events, strict=True)):
        for name, value in event.items():
            row[name] = min(value, len(barriers) - 1) if name == "barrier" else value
        row["time"] = step // 2
    return Trace(Meta("any", {}, {}, Ending("crash")), AGENTS, barriers, [], rows)


@settings(max_examples=60, deadline=None)
@given(EVENTS, st.sampled_from([BARRIERS, BARRIERS[3:], ()]))
def test_every_question_has_an_answer(events: list[dict[str, Any]], barriers: tuple[Barrier, ...]) -> None:
    trace = recording(events, barriers)
    history = History(trace)
    causality = Causality(history)
    for step in range(history.steps):
        assert explain(history, step).endswith(".")
        assert json.dumps(step_document(history, step))
        causality.links(step)
        causality.release_of(step)
        causality.woken_by(step)
        for lane in (None, "full[0]", "tma", "stage[0]"):
            for direction in (-1, 1):
                navigate.transition(history, Focus(step, lane), direction)
                navigate.same_kind(history, Focus(step, lane), direction)
        for target in (causality.previous_cause(step), causality.next_effect(step)):
            assert target is None or 0 <= target < history.steps
    for row in range(len(trace.agents)):
        history.agent_spans(row)
    for row in range(len(trace.barriers)):
        history.barrier_curve(row)
    for row in range(trace.stages):
        history.stage_spans(row)
    history.copy_spans(0)
    assert json.dumps([row.as_json() for row in tile_table(history)])
