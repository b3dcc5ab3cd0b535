"""Known mistakes on a GPU: each ends as predicted, its log opens, and the next run does not notice."""

from __future__ import annotations

import pytest
from agent_events import events_by_agent

from visualizer.programs.faults import fault_on_gpu, find_fault
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.gpu.launcher import record_gpu
from visualizer.sources.gpu.options import GpuOptions
from visualizer.trace.raw import LogLevel
from visualizer.trace.schema import EventKind
from visualizer.trace.trace import Trace
from visualizer.trace.violations import violations

HANGS = ("F01", "F03", "F06", "F08", "F14", "F15", "F17", "F18", "F20", "F21", "F24", "F27")
QUICK = GpuOptions(watchdog_ms=20)


def record(name: str, options: GpuOptions = QUICK) -> Trace:
    config, number = fault_on_gpu(find_fault(name), LessonConfig())
    return record_gpu(config, options, fault=number)


def timed_out(trace: Trace) -> set[str]:
    rows = trace.events["agent"][trace.events["kind"] == EventKind.TIMEOUT]
    return {trace.agents[row].name for row in rows}


@pytest.mark.parametrize("name", HANGS)
def test_each_hangs_and_is_ended_by_the_watchdog(name: str) -> None:
    trace = record(name)
    assert trace.meta.ending.kind == "timeout", trace.meta.ending
    assert not any(violations(trace).values())


def test_who_is_stuck() -> None:
    everyone = {"producer", "consumer.w1", "consumer.w2", "consumer.w3"}
    assert timed_out(record("F03")) == everyone
    assert timed_out(record("F06")) == everyone
    assert timed_out(record("F27")) == everyone - {"producer"}, "it had nothing to do and left"
    assert len(events_by_agent(record("F06"))["consumer.w1"]) == 3  # wait, time-out, exit


def test_without_acquire_the_full_barrier_is_armed_again_unread() -> None:
    """Arriving at a full barrier that is not due is undefined: it ends in a hang or a launch failure, never well."""
    trace = record("F28")
    assert trace.meta.ending.kind in ("timeout", "crash")
    assert len(trace) > 20, "what was logged is kept"


def test_a_hang_without_watchdog_is_ended_from_outside() -> None:
    trace = record("F03", GpuOptions(watchdog_ms=0, hang_s=1))
    assert trace.meta.ending.kind == "timeout"
    assert "no event for 1 s" in trace.meta.ending.detail
    assert timed_out(trace) == set()
    waiting = trace.events[trace.events["kind"] == EventKind.WAIT_BEGIN]
    assert len(waiting) > 3


@pytest.mark.parametrize("level", ["phases", "standard", "full"])
def test_a_hang_at_a_level_of_clocks_is_ended_from_outside_and_shows_who_waits(level: LogLevel) -> None:
    trace = record_gpu(LessonConfig(producer_phase=0), GpuOptions(level=level, hang_s=1))
    assert trace.meta.ending.kind == "timeout"
    assert "no event for 1 s" in trace.meta.ending.detail
    assert timed_out(trace) == set()
    for name, events in events_by_agent(trace).items():
        assert events[-1][0] == EventKind.WAIT_BEGIN, name


def test_a_crash_keeps_its_events() -> None:
    trace = record_gpu(LessonConfig(consumer_arrivals=10), QUICK)
    assert trace.meta.ending.kind == "crash"
    assert len(trace) > 20


def test_twenty_in_a_row_do_not_disturb_the_next_run() -> None:
    for turn in range(20):
        assert record(HANGS[turn % len(HANGS)]).meta.ending.kind == "timeout"
    trace = record_gpu(LessonConfig())
    assert (trace.meta.ending.kind, trace.meta.check["errors"]) == ("completed", 0)


def test_host_and_device_memory_hold_the_same_log() -> None:
    logs = [record_gpu(LessonConfig(), GpuOptions(log_memory=place)) for place in ("host", "device")]
    assert events_by_agent(logs[0]) == events_by_agent(logs[1])
