"""The cp.async pipeline: every warp copies and reads, no read before its copies are in, nothing overwritten early."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.cp_async import WARPS
from visualizer.programs.errors import ProgramError
from visualizer.programs.registry import find_program, rebuild_program
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.explorer import explore
from visualizer.sources.simulator.simulate import simulate


def run(stages: int = 3, tiles: int = 8, seed: int = 0) -> Trace:
    return simulate(find_program("cp-async", {"stages": stages, "tiles": tiles}), seed=seed)


def times(trace: Trace, kind: EventKind, tile: int) -> np.ndarray:
    events = trace.events
    return events["time"][(events["kind"] == kind) & (events["tile"] == tile)]


@settings(max_examples=25, deadline=None)
@given(stages=st.integers(2, 6), tiles=st.integers(1, 12), seed=st.integers(0, 1000))
def test_reads_follow_all_copies_and_precede_the_next_ones(stages: int, tiles: int, seed: int) -> None:
    trace = run(stages, tiles, seed)
    assert trace.stages == stages, "also where there are fewer tiles"
    assert trace.meta.ending.kind == "completed"
    for tile in range(tiles):
        issued, landed = times(trace, EventKind.COPY_ISSUE, tile), times(trace, EventKind.COPY_DONE, tile)
        began, ended = times(trace, EventKind.READ_BEGIN, tile), times(trace, EventKind.READ_END, tile)
        assert len(issued) == len(landed) == len(began) == len(ended) == WARPS
        assert began.min() > landed.max()
        if tile + stages < tiles:
            assert times(trace, EventKind.COPY_ISSUE, tile + stages).min() > ended.max()


def test_it_has_no_barriers_no_roles_and_no_releases() -> None:
    trace = run()
    assert not trace.barriers
    assert trace.stages == 3
    assert {agent.role for agent in trace.agents} == {"other", "copy_engine"}
    kinds = set(trace.events["kind"].tolist())
    assert not kinds & {EventKind.ARRIVE, EventKind.ARRIVE_EXPECT_TX, EventKind.PHASE_COMPLETE, EventKind.ADVANCE}


def test_waits_are_for_the_warps_own_groups() -> None:
    events = run().events
    ends = events[events["kind"] == EventKind.WAIT_END]
    assert len(ends) == 8 * WARPS
    assert (ends["barrier"] == -1).all()
    assert 0 < int(((ends["flags"] & EventFlag.BLOCKED) != 0).sum()) < len(ends)


def test_every_state_can_be_asked_for_and_the_diagnosis_says_what_it_did_not_judge() -> None:
    history = History(run())
    for step in range(history.steps):
        history.state_at(step)
    report = diagnose(history)
    assert report.clean
    assert "no mbarrier" in report.note


def test_what_it_refuses() -> None:
    with pytest.raises(ProgramError, match=r"--stages is 1; it must be 2\.\.8"):
        find_program("cp-async", {"stages": 1})
    with pytest.raises(ProgramError, match="--consumer-warps is a parameter of lesson, multicast; --program cp-async"):
        find_program("cp-async", {"consumer_warps": 2})
    with pytest.raises(ProgramError, match="cannot be explored"):
        explore(find_program("cp-async"), schedules=1)


def test_its_recording_knows_its_program() -> None:
    meta = run(stages=4).meta
    assert rebuild_program(meta.program, meta.config) == find_program("cp-async", {"stages": 4})
