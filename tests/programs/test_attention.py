"""The attention program: its rings, its warpgroups, and that no schedule of it goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.programs.attention import K_STAGES, V_STAGES, WARPGROUPS
from visualizer.programs.errors import ProgramError
from visualizer.programs.registry import find_program, rebuild_program
from visualizer.recording.schema import EventKind
from visualizer.sources.explorer import explore, explore_exhaustively
from visualizer.sources.simulator.simulate import simulate


def test_it_completes_and_goes_round_each_ring() -> None:
    trace = simulate(find_program("attention"), seed=2)
    assert trace.meta.ending.kind == "completed"
    assert trace.rings == ("k", "v", "q")
    events = trace.events
    issued = events[events["kind"] == EventKind.COPY_ISSUE]
    assert [issued["stage"][issued["ring"] == ring].tolist() for ring in range(3)] == [
        [tile % K_STAGES for tile in range(8)],
        [tile % V_STAGES for tile in range(8)],
        [0] * WARPGROUPS,
    ]
    read = events[events["kind"] == EventKind.READ_END]
    assert np.bincount(read["ring"]).tolist() == [8 * WARPGROUPS] * 3
    groups = [int((events["kind"] == kind).sum()) for kind in (EventKind.WGMMA_COMMIT, EventKind.WGMMA_WAIT_END)]
    assert groups == [2 * 8 * WARPGROUPS] * 2
    agents = {agent.name: (agent.warpgroup, agent.warp) for agent in trace.agents}
    assert agents == {"producer": (0, 0), "consumer.wg1": (1, 4), "consumer.wg2": (2, 8), "tma": (-1, -1)}
    assert [ring for ring, _ in trace.agents[0].more_starts] == ["v", "q"]


def test_no_schedule_of_it_goes_wrong() -> None:
    found = explore_exhaustively(find_program("attention"))
    assert found.is_complete
    assert found.is_clean
    assert explore(find_program("attention"), schedules=30).clean == 30


def test_its_parameters() -> None:
    config = {"tiles": 3, "tile_rows": 64}
    program = find_program("attention", config)
    meta = simulate(program).meta
    assert rebuild_program(meta.program, meta.config) == program
    assert program != find_program("attention")
    with pytest.raises(
        ProgramError,
        match=r"--stages is a parameter of lesson, cp-async, .*; --program attention",
    ):
        find_program("attention", {"stages": 2})
    with pytest.raises(ProgramError, match="--k-stages 2 and --v-stages 3 with --tile 128x192: attention needs 294912"):
        find_program("attention", {"tile_columns": 192})
    with pytest.raises(ProgramError, match="--fault F07 is none of attention's; it can have F01, F03, F06, F20, F48"):
        find_program("attention", fault="F07")
