"""A read means the fill of its use: whose tile that is, is compared, where both number tiles alike."""

from __future__ import annotations

import pytest
from ring_programs import BYTES, Barriers, ring, simulated, use

from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program


def nothing(agent: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    """The tile is left out, and the cursor stays where it is."""


def use_twice(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    use(c, tile, full, empty)
    use(c, tile, full, empty)


@pytest.mark.parametrize("consumers", [1, 2])
@pytest.mark.parametrize("tile", [1, 2, 4])
def test_a_reader_that_leaves_a_tile_out_reads_the_wrong_ones_from_then_on(consumers: int, tile: int) -> None:
    for report in simulated(ring(consumers, tiles=8, change={("C0", tile): nothing})):
        first = report.findings[0]
        assert (first.verdict, first.agent, first.tile) == ("WRONG TILE", "C0", tile + 1)
        assert f"P filled it with tile {tile}" in first.cause
        assert f"after both had tile {tile - 1}" in first.cause


@pytest.mark.parametrize("tile", [1, 2, 4])
def test_a_producer_that_leaves_a_tile_out(tile: int) -> None:
    """The reader that then waits for one more is an effect."""
    for report in simulated(ring(tiles=8, change={("P", tile): nothing})):
        first = report.findings[0]
        assert (first.verdict, first.agent, first.tile) == ("WRONG TILE", "C0", tile)
        assert f"P filled it with tile {tile + 1}" in first.cause


def test_a_tile_read_twice() -> None:
    for report in simulated(ring(tiles=8, change={("C0", 3): use_twice})):
        assert (report.findings[0].verdict, report.findings[0].tile) == ("WRONG TILE", 3)
        assert "P filled it with tile 4" in report.findings[0].cause


def own_numbers(offset: int, every: int) -> Program:
    """Consumers that number what they read for themselves, from `offset`; of `every` consumers each has its turn."""
    b = Builder("own")
    full, empty = b.barriers("full", 4, count=1), b.barriers("empty", 4, count=1)
    p = b.agent("P", role="producer", stages=4, phase=1)
    p.init_all()
    p.sync()
    for _ in p.tiles(8):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], BYTES)
        p.copy(full[p.index], p.index, BYTES)
        p.advance()
    for n in range(every):
        c = b.agent(f"C{n}", role="consumer", stages=4)
        c.sync()
        mine = 0
        for use_number in range(8):
            if use_number % every == n:
                c.tile = offset + mine
                c.wait(full[c.index], c.phase)
                c.read(c.index, BYTES)
                c.arrive(empty[c.index])
                mine += 1
            c.advance()
    return b.build()


@pytest.mark.parametrize(("offset", "every"), [(0, 1), (5, 1), (0, 2), (0, 4), (3, 2)])
def test_who_numbers_tiles_in_its_own_way_is_not_accused(offset: int, every: int) -> None:
    for report in simulated(own_numbers(offset, every)):
        assert report.findings == ()
