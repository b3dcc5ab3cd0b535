"""A log of clocks gives back the events it stands for: the same ones at every level, at the times it keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clock_log import PS_PER_CYCLE, clock_log
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import flips, rebuilt, simulated
from numpy.typing import NDArray

from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.lesson.decode import Decoded, decode
from visualizer.sources.lesson.job import Outcome
from visualizer.sources.lesson.launcher import pipeline_shape, records_per_warp, trace_of_log
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import CAPACITY_STEP, LogLevel, RawLog
from visualizer.sources.lesson.unfinished_log import FlightLayout
from visualizer.sources.runner.flight import FlightFile

LEVELS: tuple[LogLevel, ...] = ("phases", "standard", "full")
WITHOUT_TIMES = ("kind", "agent", "barrier", "tile", "site", "stage", "amount", "parity")
KEPT = {
    "phases": {EventKind.WAIT_END},
    "standard": {EventKind.WAIT_END},
    "full": {EventKind.WAIT_BEGIN, EventKind.WAIT_END, EventKind.COPY_ISSUE, EventKind.EXIT},
}
"""Kinds whose times a level keeps of the producer and the first consumer."""


def capacity(config: LessonConfig) -> int:
    return -(-records_per_warp(config, "full") // CAPACITY_STEP) * CAPACITY_STEP


def read(raw: RawLog, trace: Trace, config: LessonConfig) -> Decoded:
    return decode(raw, trace.agents, trace.barriers, trace.sites, pipeline_shape(config))


def logged(trace: Trace) -> NDArray[np.void]:
    """What the warps did, grouped by agent; a warp's arrivals of one operation as one."""
    events = trace.events
    warps = np.array([agent.warp >= 0 for agent in trace.agents])
    events = events[warps[events["agent"]] & (events["kind"] != EventKind.PHASE_COMPLETE)]
    return np.take(events, np.argsort(events["agent"], kind="stable"))


def same_events(found: NDArray[np.void], wanted: NDArray[np.void]) -> None:
    assert len(found) == len(wanted)
    for name in WITHOUT_TIMES:
        assert np.array_equal(found[name], wanted[name]), name
    assert np.array_equal(found["flags"] & EventFlag.BLOCKED, wanted["flags"] & EventFlag.BLOCKED)


CONFIGS = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 4),
        "tiles": st.integers(1, 9),
        "consumer_warps": st.integers(1, 3),
        "ctas": st.integers(1, 2),
        "tile_columns": st.sampled_from([64, 128]),
        "producer_delay": st.sampled_from([0, 700]),
        "consumer_delay": st.sampled_from([0, 900]),
    }
)


@settings(max_examples=25, deadline=None)
@given(values=CONFIGS, level=st.sampled_from(LEVELS), first=st.integers(0, 2**33), seed=st.integers(0, 3))
def test_every_level_gives_back_the_events(values: dict[str, Any], level: LogLevel, first: int, seed: int) -> None:
    config = LessonConfig(arrive_per_warp=True, **values)
    trace = simulated(seed, **config.as_dict())
    found = read(clock_log(trace, level, capacity=capacity(config), first=first), trace, config)
    events, wanted = found.events, logged(trace)
    same_events(events, wanted)
    assert found.missed_laps == 0
    # What the level keeps is right to the few cycles that the flag and rounding take.
    speaks = np.array([agent.warp <= 1 for agent in trace.agents])[events["agent"]] | (level != "phases")
    kept = np.isin(events["kind"], list(KEPT[level])) & speaks & ((events["flags"] & EventFlag.ESTIMATED) == 0)
    error = (events["time"] - wanted["time"])[kept]
    assert error.max() - error.min() <= 4 * PS_PER_CYCLE
    for agent in np.unique(events["agent"]):
        assert (np.diff(events["time"][events["agent"] == agent]) >= -PS_PER_CYCLE).all()


@pytest.mark.parametrize("level", LEVELS)
def test_a_recording_of_clocks_completes_the_same_phases(level: LogLevel) -> None:
    config = LessonConfig(tiles=20, consumer_delay=600)
    trace = simulated(**config.as_dict())
    found = read(clock_log(trace, level, capacity=capacity(config)), trace, config)
    again = rebuilt(trace, found.events, found.lost)
    assert [flip[:2] for flip in flips(again, agents=False)] == [flip[:2] for flip in flips(trace, agents=False)]
    assert not any(violations(again).values())


def test_estimates_say_so() -> None:
    config = LessonConfig(consumer_warps=2)
    trace = simulated(**config.as_dict())
    share = {}
    for level in LEVELS:
        events = read(clock_log(trace, level, capacity=capacity(config)), trace, config).events
        share[level] = float(((events["flags"] & EventFlag.ESTIMATED) != 0).mean())
    assert share["phases"] > share["standard"] > share["full"]
    assert share["full"] < 0.1, "only the barriers' initialisation has no clock"


def test_a_gap_of_more_than_a_lap_is_counted() -> None:
    config = LessonConfig()
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, "full", capacity=capacity(config))
    raw.spans["end"][2] += 3 * 2**32
    assert read(raw, trace, config).missed_laps == 3


def test_records_without_room_are_lost() -> None:
    config = LessonConfig(tiles=30)
    trace = simulated(**config.as_dict())
    found = read(clock_log(trace, "full", capacity=8), trace, config)
    assert found.lost.tolist() == [25, 22, 22, 22, 0]
    kinds = found.events["kind"][found.events["agent"] == 1]
    assert len(kinds) == 8 * 6
    assert EventKind.EXIT not in kinds


def test_a_wait_that_gave_up_ends_the_warp() -> None:
    config = LessonConfig()
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, "full", capacity=capacity(config))
    last = int(raw.clocks(1)[0, 2, 1])
    raw.attempted[1] = 3
    raw.spans["begun"][1] = last + 100
    raw.spans["timeout"][1] = raw.spans["end"][1] = raw.spans["begin"][1] + 2**33
    events = read(raw, trace, config).events
    mine = events[events["agent"] == 1]
    assert mine["kind"][-3:].tolist() == [EventKind.WAIT_BEGIN, EventKind.TIMEOUT, EventKind.EXIT]
    assert mine["tile"][-3:].tolist() == [3, 3, -1]
    assert mine["barrier"][-2] == 0, "tile 3 is in stage 0 again"
    assert mine["time"][-2] - mine["time"][-3] > 4 * 10**12, "a wait may last longer than the 32-bit clock's lap"


def test_a_kernel_that_still_runs_shows_the_wait_it_is_in() -> None:
    config = LessonConfig()
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, "full", capacity=capacity(config))
    raw.attempted[:] = 2
    raw.spans["end"] = raw.spans["begun"] = 0
    events = read(raw, trace, config).events
    for agent in range(4):
        mine = events[events["agent"] == agent]
        assert mine["kind"][-1] == EventKind.WAIT_BEGIN
        assert mine["tile"][-1] == 2


@pytest.mark.parametrize("level", LEVELS)
def test_a_hang_without_a_bound_opens_from_the_flight_recorder(tmp_path: Path, level: LogLevel) -> None:
    """Consumers stand at their third full barrier, so the producer at the first empty one that they do not release."""
    config, stood = LessonConfig(), [5, 2, 2, 2]
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, level, capacity=capacity(config))
    for warp in range(raw.logging_warps):
        raw.clocks(warp)[0, stood[warp] :] = 0
    raw.spans["end"] = raw.spans["begun"] = raw.attempted[:] = raw.status[:] = 0
    file = FlightFile(tmp_path / "flight.log", FlightLayout(level, raw.ctas, raw.warps, raw.capacity))
    file.save_calibration(raw.anchors)
    raw.anchors[:, 1] = 0
    memory = file.create()
    for name, begin in file.offsets().items():
        if name != "end":
            data = np.ascontiguousarray(getattr(raw, name)).view(np.uint8).ravel()
            memory[begin : begin + len(data)] = data
    memory.flush()
    found = file.read()
    assert found is not None
    hung = trace_of_log(config, GpuOptions(level=level), found, Outcome({}, {}), Ending("timeout", "it hung"))
    assert hung.meta.ending == Ending("timeout", "it hung")
    assert not any(violations(hung).values())
    assert EventKind.TIMEOUT not in hung.events["kind"]
    for agent, tile in enumerate(stood):
        mine = hung.events[hung.events["agent"] == agent]
        mine = mine[mine["kind"] != EventKind.PHASE_COMPLETE]
        assert (mine["kind"] == EventKind.WAIT_END).sum() == tile
        assert (mine["kind"][-1], mine["tile"][-1]) == (EventKind.WAIT_BEGIN, tile)
        assert trace.barriers[mine["barrier"][-1]].kind == ("full" if agent else "empty")


def test_a_full_log_of_a_warp_that_is_still_there_does_not_say_what_it_waits_for() -> None:
    config = LessonConfig()
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, "full", capacity=4)
    raw.attempted[:] = 4
    raw.spans["end"] = raw.spans["begun"] = 0
    events = read(raw, trace, config).events
    assert (events["kind"] == EventKind.WAIT_BEGIN).sum() == 4 * 4


def test_clocks_alone_do_not_say_of_which_pipeline() -> None:
    config = LessonConfig()
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, "full", capacity=capacity(config))
    with pytest.raises(TraceError, match="of which pipeline"):
        decode(raw, trace.agents, trace.barriers, trace.sites)
    with pytest.raises(TraceError, match="not the same program"):
        read(replace(raw, attempted=raw.attempted[:3]), trace, config)
