"""Known mistakes on a GPU: each ends as predicted, its log opens, and the next run does not notice."""

from __future__ import annotations

import pytest
from agent_events import events_by_agent

from visualizer.programs.faults import fault_on_gpu, find_fault
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.sources.lesson.launcher import record_gpu
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import LogLevel

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


@pytest.mark.parametrize("level", ["phases", "standard", "full", "words"])
def test_a_hang_with_the_log_in_device_memory_loses_nothing(level: LogLevel) -> None:
    config = LessonConfig(producer_phase=0)
    hung = [
        record_gpu(config, GpuOptions(level=level, log_memory=place, watchdog_ms=0, hang_s=1))
        for place in ("host", "device")
    ]
    assert hung[1].meta.ending == hung[0].meta.ending
    assert hung[1].meta.ending.kind == "timeout"
    assert "no event for 1 s" in hung[1].meta.ending.detail
    assert events_by_agent(hung[1]) == events_by_agent(hung[0])
    for name, events in events_by_agent(hung[1]).items():
        assert events[-1][0] == EventKind.WAIT_BEGIN, name
    assert not any(violations(hung[1]).values())
    after = record_gpu(LessonConfig(), GpuOptions(level=level))
    assert (after.meta.ending.kind, after.meta.check["errors"]) == ("completed", 0)


def test_one_cta_of_a_full_gpu_hangs_and_the_others_are_recorded_whole() -> None:
    """CTA 0 leaves out the release of tile 1; 131 CTAs run their thousand tiles. Such a log is in device memory."""
    config = LessonConfig(ctas=132, tiles=1000)
    options = GpuOptions(check="off", watchdog_ms=0, hang_s=1)
    config, number = fault_on_gpu(find_fault("F20"), config)
    said: list[str] = []
    trace = record_gpu(config, options, fault=number, progress=lambda _, message: said.append(message))
    assert trace.meta.ending.kind == "timeout"
    assert "no event for 1 s" in trace.meta.ending.detail
    assert "last copied" not in trace.meta.ending.detail
    assert trace.meta.records_lost == 0
    done = trace.events[trace.events["kind"] != EventKind.PHASE_COMPLETE]
    last = dict(zip(done["agent"].tolist(), done["kind"].tolist(), strict=True))  # of each agent, for the last one wins
    for row, agent in enumerate(trace.agents):
        if agent.warp >= 0:
            assert last[row] == (EventKind.EXIT if agent.cta else EventKind.WAIT_BEGIN), agent.name
    assert any(message.startswith("running the kernel: ") for message in said)
    assert not any(violations(trace).values())
    assert record_gpu(LessonConfig()).meta.ending.kind == "completed"


LONG = LessonConfig(tiles=5000, consumer_delay=1_000_000)
"""Runs for five seconds."""


def test_a_long_run_whose_log_is_copied_meanwhile_is_recorded_as_any_other() -> None:
    said: list[str] = []
    options = GpuOptions(log_memory="device", hang_s=1.5)
    trace = record_gpu(LONG, options, progress=lambda _, message: said.append(message))
    assert (trace.meta.ending.kind, trace.meta.check["errors"], trace.meta.records_lost) == ("completed", 0, 0)
    assert len({message for message in said if message.startswith("running the kernel: ")}) >= 3, "copies were made"
    assert not any(violations(trace).values())


def test_a_run_that_is_ended_while_it_runs_well_says_that_its_last_events_may_be_missing() -> None:
    trace = record_gpu(LONG.changed(tiles=60_000), GpuOptions(log_memory="device", time_limit_s=12))
    assert trace.meta.ending.kind == "timeout"
    assert "time limit of 12 s" in trace.meta.ending.detail
    assert "as it was last copied while the kernel ran" in trace.meta.ending.detail
    assert len(trace) > 1000


def test_an_early_crash_with_the_log_in_device_memory_says_how_to_see_it() -> None:
    trace = record_gpu(LessonConfig(consumer_arrivals=95, tiles=64), GpuOptions(log_memory="device", watchdog_ms=50))
    assert (trace.meta.ending.kind, len(trace)) == ("crash", 0)
    assert "record again with --log-memory host" in trace.meta.ending.detail
    assert record_gpu(LessonConfig()).meta.ending.kind == "completed"


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
