"""A sync orders what precedes it before what follows it, and hides nothing else."""

from __future__ import annotations

import pytest
from ring_programs import BYTES, is_sound, only_read, ring, simulated, witnessed

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

ENDS = {
    "__syncthreads": lambda agent: agent.sync(),
    "bar.sync": lambda agent: agent.named_sync(1, 3),
    "barrier.cluster": lambda agent: agent.cluster_sync(),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_sync_after_the_last_use_hides_no_race(end: str) -> None:
    """Only the first of two consumers releases; the agents meet at the end, as before an epilogue."""
    silent = {("C1", tile): only_read for tile in range(6)}
    program = ring(2, empty_count=1, change=silent, end=ENDS[end])
    for report in [*simulated(program), *witnessed(program)]:
        first = report.findings[0]
        assert first.verdict in ("WRITE AFTER READ", "STALE DATA", "LAPPED", "STALE PASS", "EARLY PASS PENDING")
        assert any("C1" in (finding.agent or "") + finding.cause for finding in report.every)


@pytest.mark.parametrize("end", ENDS)
def test_a_sync_at_the_end_of_a_sound_ring_is_sound(end: str) -> None:
    assert is_sound(ring(2, end=ENDS[end]))


def every_lap(sync: str, skipped: int = -1) -> Program:
    """A ring without empty barriers: all meet after each lap, but for one that is left out."""

    def meet(agent: AgentBuilder, tile: int) -> None:
        if tile % 2 == 1 and tile != skipped:
            agent.delay(10)
            agent.sync() if sync == "__syncthreads" else agent.named_sync(1, 2)

    b = Builder("laps")
    full = b.barriers("full", 2, count=1)
    p = b.agent("P", role="producer", stages=2, phase=1)
    p.init_all()
    p.sync()
    c = b.agent("C", role="consumer", stages=2)
    c.sync()
    for tile in p.tiles(6):
        p.arrive_expect_tx(full[p.index], BYTES)
        p.copy(full[p.index], p.index, BYTES)
        p.advance()
        meet(p, tile)
    for tile in c.tiles(6):
        c.wait(full[c.index], c.phase)
        c.read(c.index, BYTES)
        c.advance()
        meet(c, tile)
    return b.build()


@pytest.mark.parametrize("sync", ["__syncthreads", "bar.sync"])
def test_a_sync_that_guards_the_buffers_is_an_order(sync: str) -> None:
    program = every_lap(sync)
    for seed in range(6):
        history = History(simulate(program, seed=seed))
        assert diagnose(history, program).findings == ()
        if sync == "bar.sync":
            assert diagnose(history).findings == (), "its events show the order without the program too"


@pytest.mark.parametrize("sync", ["__syncthreads", "bar.sync"])
@pytest.mark.parametrize("skipped", [1, 3])
def test_a_lap_without_its_sync_is_found(sync: str, skipped: int) -> None:
    program = every_lap(sync, skipped)
    for seed in range(6):
        report = diagnose(History(simulate(program, seed=seed)), program)
        hazards = [f for f in report.every if f.verdict in ("WRITE AFTER READ", "OVERWRITE UNREAD")]
        assert hazards
        assert min(f.tile for f in hazards if f.tile is not None) == skipped + 1
