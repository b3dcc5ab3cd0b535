"""A diagnosis of whatever a valid Trace says is an answer and never a traceback."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from any_recording import EVENTS, TABLES, recording
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.recording.tables import Ending, EndingKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

ENDINGS: tuple[EndingKind, ...] = ("completed", "deadlock", "timeout", "crash", "cancelled")


@settings(max_examples=150, deadline=None)
@given(EVENTS, TABLES, st.sampled_from(ENDINGS), st.booleans())
def test_every_recording_has_a_diagnosis(
    events: list[dict[str, Any]], barriers: tuple[Any, ...], ending: EndingKind, lost: bool
) -> None:
    trace = recording(events, barriers)
    trace = replace(trace, meta=replace(trace.meta, ending=Ending(ending), records_lost=int(lost)))
    report = diagnose(History(trace))
    assert json.loads(json.dumps(report_json(report)))["ended"] == ending
    assert report_text(report)
    for finding in report.findings:
        assert finding.cause.endswith(".")
        assert finding.step is None or 0 <= finding.step < len(trace)


@pytest.mark.parametrize("ending", ["deadlock", "crash"])
def test_a_run_that_ended_badly_is_never_clean(ending: EndingKind) -> None:
    trace = recording([], ())
    report = diagnose(History(replace(trace, meta=replace(trace.meta, ending=Ending(ending, "a reason")))))
    assert [finding.cause for finding in report.findings] == ["a reason"]


def test_with_records_lost_only_the_blocked_are_judged(lesson_trace: Trace) -> None:
    cut = lesson_trace.events[::2].copy()
    cut["time"] -= cut["time"][0]
    trace = replace(lesson_trace, events=cut, meta=replace(lesson_trace.meta, records_lost=9))
    report = diagnose(History(trace))
    assert report.clean
    assert report.lost_events == 9
    assert "9 events lost" in report_text(report)
