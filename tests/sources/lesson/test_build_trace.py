"""Lost records cut the recording for every agent alike, and the figures say so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from measured import flips, logged, rebuilt, simulated

from visualizer.programs.kernel_source import find_sites, kernel_text
from visualizer.programs.lesson import agents_of, barriers_of
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.agent_events import split
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.lesson.build_trace import build_trace
from visualizer.sources.lesson.job import Outcome
from visualizer.sources.lesson.launcher import trace_of_log
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import BARRIER_EMPTY, BARRIER_FULL, STATUS_TIMED_OUT, RawLog

H200_LOG = Path(__file__).parents[2] / "data" / "lesson-h200.raw.npz"


def built(raw: RawLog) -> Trace:
    config = LessonConfig()
    meta = Meta("lesson", config.as_dict(), {"kind": "gpu"}, Ending("completed"))
    return build_trace(raw, agents_of(config), barriers_of(config), find_sites(kernel_text()), meta, {})


def test_nothing_lost_nothing_cut() -> None:
    trace = simulated()
    parts = split(logged(trace), np.zeros(len(trace.agents), np.int64), trace.agents, trace.barriers)
    assert parts.complete_until is None
    assert "cut_short" not in rebuilt(trace, logged(trace)).meta.window


def test_all_agents_end_where_the_first_ran_out_of_room() -> None:
    trace = simulated(tiles=20)
    events = logged(trace)
    row = trace.agent_index["consumer.w2"]
    mine = np.flatnonzero(events["agent"] == row)
    stored = np.delete(events, mine[40:])
    lost = np.zeros(len(trace.agents), np.int64)
    lost[row] = len(mine) - 40
    result = rebuilt(trace, stored, lost)
    logged_rows = result.events["flags"] & 2 == 0
    assert result.meta.events_dropped == len(stored) - logged_rows.sum() > 0
    assert result.events["measured"][logged_rows].max() <= stored["time"][mine[39]]
    assert result.meta.window == {"cut_short": [0]}
    assert not any(violations(result).values())


def test_a_recording_without_events_is_empty() -> None:
    trace = simulated()
    assert len(rebuilt(trace, logged(trace)[:0])) == 0


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (STATUS_TIMED_OUT | 9 << 16 | BARRIER_FULL << 8, "CTA 0 says 0x80090100 of its end"),
        (STATUS_TIMED_OUT | 7 << 8, "CTA 0 says 0x80000700 of its end"),
        (STATUS_TIMED_OUT | BARRIER_EMPTY << 8 | 77, "CTA 0 says 0x8000024d of its end"),
    ],
)
def test_a_status_that_names_no_wait_is_refused(status: int, said: str) -> None:
    raw = RawLog.load(H200_LOG)
    raw.status[0] = status
    with pytest.raises(TraceError, match=f"the log is damaged: {said}, which no wait of this program is"):
        trace_of_log(LessonConfig(), GpuOptions(), raw, Outcome({}, {}))


def test_a_log_in_which_nothing_began_says_so() -> None:
    raw = RawLog.load(H200_LOG)
    raw.anchors["globaltimer"] = 0
    with pytest.raises(TraceError, match="the kernel did not start"):
        trace_of_log(LessonConfig(), GpuOptions(), raw, Outcome({}, {}))


def test_an_arrival_of_less_than_nothing_is_refused() -> None:
    raw = RawLog.load(H200_LOG)
    raw.records["amount"][raw.records["kind"] == EventKind.ARRIVE] = 1 << 31
    with pytest.raises(TraceError, match=r"an arrival on (full|empty)\[\d\] counts for -2147483648, which none can"):
        built(raw)


def test_the_h200s_log_becomes_the_lesson() -> None:
    trace, wanted = built(RawLog.load(H200_LOG)), simulated()
    assert {flip[:2] for flip in flips(trace)} == {flip[:2] for flip in flips(wanted)}
    assert (trace.events["kind"] == EventKind.COPY_DONE).sum() == 8
    assert not any(violations(trace).values())
    figures = trace.meta.reconcile
    assert figures["copies_observed"] + figures["copies_estimated"] == 8
    assert figures["copies_observed"] >= 1
    assert figures["unresolved"] == 0
    assert figures["max_ns"] < 50
    assert trace.meta.clock["sms"] == 1
    assert (trace.meta.records_lost, trace.meta.events_dropped) == (0, 0)


def test_what_a_full_log_lost_is_counted_to_the_record() -> None:
    raw = RawLog.load(H200_LOG)
    small = replace(raw, records=raw.records[:, :30])
    trace = built(small)
    assert trace.meta.records_lost == int(raw.attempted.sum()) - 4 * 30
    kept = int((trace.events["flags"] & 2 == 0).sum())
    assert trace.meta.events_dropped == 4 * 30 - kept
    assert 0 < trace.duration_ps < built(raw).duration_ps
    assert not any(violations(trace).values())
