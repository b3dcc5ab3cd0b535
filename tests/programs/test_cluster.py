"""The cluster program: both CTAs' bytes, remote releases, the tail; and no schedule of it that goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.cluster import CONSUMERS, CTAS, STAGES, TILE_BYTES, TILES
from visualizer.programs.errors import ProgramError
from visualizer.programs.registry import find_program, rebuild_program
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.explorer import explore
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture(scope="module")
def history() -> History:
    return History(simulate(find_program("cluster"), seed=3))


def test_every_full_phase_gets_both_halves_of_the_tile(history: History) -> None:
    events = history.trace.events
    for row, barrier in enumerate(history.trace.barriers):
        if barrier.kind == "full":
            landed = events[(events["kind"] == EventKind.COMPLETE_TX) & (events["barrier"] == row)]
            tiles = len(range(barrier.stage, TILES, STAGES))
            assert int(landed["amount"].sum()) == tiles * TILE_BYTES
            engines = {history.trace.agents[agent].cta for agent in np.unique(landed["agent"])}
            assert engines == set(range(CTAS))


def test_consumers_release_in_both_ctas(history: History) -> None:
    events, trace = history.trace.events, history.trace
    releases = events[events["kind"] == EventKind.ARRIVE]
    remote = trace.agent_cta[releases["agent"]] != trace.barrier_cta[releases["barrier"]]
    assert len(releases) == TILES * CONSUMERS * CTAS * CTAS
    assert int(remote.sum()) * 2 == len(releases)


def test_it_is_sound_and_its_recording_knows_its_program(history: History) -> None:
    assert history.trace.meta.ending.kind == "completed"
    assert diagnose(history).clean
    meta = history.trace.meta
    assert rebuild_program(meta.program, meta.config) == find_program("cluster")
    found = explore(find_program("cluster"), schedules=30)
    assert (found.clean, found.deadlock, found.race, found.other) == (30, 0, 0, 0)


def test_it_has_no_faults_and_no_parameters() -> None:
    with pytest.raises(ProgramError, match="--program cluster has no faults"):
        find_program("cluster", fault="F06")
    with pytest.raises(ProgramError, match=r"--stages is a parameter of lesson, .*; --program cluster"):
        find_program("cluster", {"stages": 2})
