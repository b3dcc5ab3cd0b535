"""Programs whose agents write into buffers themselves, with and without what must come in between."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program

BYTES, TILES, STAGES = 4096, 6, 2


Barriers = list[BarrierHandle]


def started(name: str) -> tuple[Builder, AgentBuilder, AgentBuilder, Barriers, Barriers]:
    """A program under way: its builder, P and C past the sync behind the init, and a ring's full and empty barriers."""
    b = Builder(name)
    full, empty = b.barriers("full", STAGES, count=1), b.barriers("empty", STAGES, count=1)
    p = b.agent("P", role="producer", stages=STAGES, phase=1)
    c = b.agent("C", role="consumer", stages=STAGES)
    p.init_all()
    p.sync()
    c.sync()
    return b, p, c, full, empty


def filled_by_warps(*, fence: bool = True, late_fence: bool = False, asynchronous: bool = True) -> Program:
    """P writes tiles for C to multiply."""
    b, p, c, full, empty = started("filled")
    for _ in p.tiles(TILES):
        p.wait(empty[p.index], p.phase)
        p.write(p.index, BYTES)
        if fence:
            p.fence_proxy()
        p.arrive(full[p.index])
        p.advance()
    for _ in c.tiles(TILES):
        c.wait(full[c.index], c.phase)
        if late_fence:
            c.fence_proxy()
        multiply(c) if asynchronous else c.read(c.index, BYTES)
        c.arrive(empty[c.index])
        c.advance()
    return b.build()


def multiply(c: AgentBuilder) -> None:
    c.read_async(c.index, BYTES)
    c.wgmma_commit()
    c.wgmma_wait()


Tile = Callable[[AgentBuilder, int, int], None]
"""What a writer does for a tile: (agent, its number, stage)."""


def epilogue(tile: Tile, writers: int = 2) -> Program:
    """Writers that fill output buffers by themselves; two stages, no barrier but those that `tile` uses."""
    b = Builder("epilogue")
    b.barriers("out_empty", STAGES, count=1, kind="empty", ring="out")
    agents = [b.agent(f"C{n}", role="consumer") for n in range(writers)]
    agents[0].init_all()
    for agent in agents:
        agent.sync()
    for n, agent in enumerate(agents):
        for number in agent.tiles(TILES):
            tile(agent, n, number % STAGES)
    return b.build()


def store(c: AgentBuilder, stage: int) -> None:
    c.store(stage, BYTES, ring="out")
    c.store_commit()
    c.store_wait()


def together(c: AgentBuilder, n: int, stage: int, *, unfenced: int = -1, meet: bool = True) -> None:
    """All write a part, the first stores it."""
    c.named_sync(1, 2)
    c.write(stage, BYTES // 2, ring="out")
    if n != unfenced:
        c.fence_proxy()
    if meet:
        c.named_sync(2, 2)
    if n == 0:
        store(c, stage)


def apart(c: AgentBuilder, n: int, stage: int) -> None:
    """Each writes its part and stores it."""
    c.write(stage, BYTES // 2, ring="out")
    c.fence_proxy()
    store(c, stage)


def still_read(c: AgentBuilder, n: int, stage: int) -> None:
    """Nobody waits for the store of the tile before in the stage."""
    c.write(stage, BYTES, ring="out")
    c.fence_proxy()
    c.store(stage, BYTES, ring="out")
    c.store_commit()


def by_turns(c: AgentBuilder, n: int, stage: int) -> None:
    """Written, read by threads, and written anew for the store."""
    c.write(stage, BYTES, ring="out")
    c.read(stage, BYTES, ring="out")
    c.write(stage, BYTES, ring="out")
    c.fence_proxy()
    store(c, stage)
