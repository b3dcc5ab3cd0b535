"""A ping-pong GEMM whose two consumer warpgroups take tiles of results in turns: kernels/pingpong.cu.

As CUTLASS's KernelTmaWarpSpecializedPingpong: the producer fills one ring for both, each warpgroup's cursor passes over
the other's stages, and an ordered sequence gives each the tensor cores in its turn. While one multiplies, the other
rounds and stores what it has, through a buffer that is its own, so that no mbarrier but its groups of stores says when
that is free again.
"""

from __future__ import annotations

from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.errors import ProgramError
from visualizer.programs.kernel_storage import pingpong_bytes, without_room
from visualizer.programs.parameters import of_lesson
from visualizer.programs.program import Program

NAME = "pingpong"
STAGES, K_TILES, OUTPUT_TILES = 5, 8, 4
A_BYTES, B_BYTES = 16384, 16384
WARPGROUPS = 2
WARPS = 4
"""Of a warpgroup; one lane of each arrives."""
PARAMETERS = (of_lesson("stages", low=2, default=STAGES),)
"""With a single stage none could be released one tile late, when the next is being waited for."""


def check(stages: int) -> None:
    """ProgramError if the kernel would not have the shared memory for them."""
    if problem := without_room(NAME, {"--stages": stages}, pingpong_bytes(stages)):
        raise ProgramError(problem)


def program(stages: int = STAGES, k_tiles: int = K_TILES, output_tiles: int = OUTPUT_TILES) -> Program:
    """Agents producer, consumer.wg1, consumer.wg2 and tma; each consumer stands for the four warps of its warpgroup."""
    b = Builder(NAME, config={"stages": stages}, registers=168)
    full = b.barriers("full", stages, count=1)
    empty = b.barriers("empty", stages, count=WARPS)  # one warpgroup uses a stage, and releases it
    turn = [b.barrier(f"turn[{number}]", count=WARPS) for number in range(WARPGROUPS)]

    p = b.agent("producer", role="producer", stages=stages, phase=1, warpgroup=0, threads=128)
    p.init_all()
    p.sync()
    p.setmaxnreg_dec(40)
    for _ in p.tiles(output_tiles * k_tiles):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], A_BYTES + B_BYTES)
        p.copy(full[p.index], p.index, A_BYTES)
        p.copy(full[p.index], p.index, B_BYTES)
        p.advance()
    for _ in range(stages):  # producer_tail
        p.wait(empty[p.index], p.phase)
        p.advance()

    for number in range(WARPGROUPS):
        c = b.agent(f"consumer.wg{number + 1}", role="consumer", stages=stages, warpgroup=number + 1, threads=128)
        c.sync()
        c.setmaxnreg_inc(232)
        if number:
            _pass_over(c, k_tiles)
        for round_, tile in enumerate(range(number, output_tiles, WARPGROUPS)):
            c.wait(turn[number], (round_ + 1 - number) & 1)  # a fresh barrier lets parity 1 pass: the first warpgroup
            for k_tile in c.tiles(k_tiles, first=tile * k_tiles):
                c.wait(full[c.index], c.phase)
                c.read_async(c.index, A_BYTES + B_BYTES, ns=500)
                c.wgmma_commit()
                c.wgmma_wait(keep=1)
                if k_tile > tile * k_tiles:
                    c.tile = k_tile - 1
                    c.arrive(empty[(c.index - 1) % stages], WARPS)
                    c.tile = k_tile
                c.advance()
            c.arrive(turn[1 - number], WARPS)  # the last wgmma is under way
            c.wgmma_wait()
            c.tile = (tile + 1) * k_tiles - 1
            c.arrive(empty[(c.index - 1) % stages], WARPS)
            c.tile = -1
            _pass_over(c, k_tiles)
            _store(c, number)
        c.store_wait()
    return b.build()


def _pass_over(c: AgentBuilder, k_tiles: int) -> None:
    """The stages that are the other warpgroup's."""
    for _ in range(k_tiles):
        c.advance()


def _store(c: AgentBuilder, number: int) -> None:
    c.store_wait()
    c.bar_sync(number + 1, c.threads)
    c.delay(400)  # from registers into the buffer
    c.fence_proxy()
    c.bar_sync(number + 1, c.threads)
    c.store_commit()
