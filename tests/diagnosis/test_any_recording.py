"""A recording may come from a stranger: whatever a valid Trace says, no question about it ends in a traceback."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from any_recording import EVENTS, TABLES, recording
from hypothesis import given, settings

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Barrier
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.replay.tile_table import tile_table


@settings(max_examples=60, deadline=None)
@given(EVENTS, TABLES)
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
        if history.kinds[step] == EventKind.COPY_ISSUE:
            assert step in causality.destinations(step)
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
    for place in range(history.structure.places):
        history.stage_spans(place)
    history.copy_spans(0)
    assert json.dumps([row.as_json() for row in tile_table(history)])


def test_a_recording_of_nothing_at_all_has_answers_too() -> None:
    trace = replace(recording([], ()), agents=())
    history = History(trace)
    statistics(find_facts(history))
    assert not diagnose(history).clean
