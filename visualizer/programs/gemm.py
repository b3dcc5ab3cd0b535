"""A warp-specialised GEMM whose two consumer warpgroups share every tile: kernels/gemm.cu, or CUTLASS's cooperative.

A stage holds A and B. Each warpgroup multiplies its half of A's rows and releases a stage one tile late, when its wgmma
is known to have read it. Its results leave in blocks through two buffers that are its own, so that no mbarrier but its
groups of stores says when one of them is free again.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.errors import ProgramError
from visualizer.programs.kernel_storage import gemm_bytes, without_room
from visualizer.programs.parameters import of_lesson
from visualizer.programs.program import Program

NAME = "gemm"
STAGES, K_TILES, OUT_BUFFERS, OUT_BLOCKS = 4, 8, 2, 4
A_BYTES, B_BYTES = 16384, 32768
WARPGROUPS = 2
WARPS = 4
"""Of a warpgroup; one lane of each arrives."""
PARAMETERS = (of_lesson("stages", low=2, default=STAGES),)
"""With a single stage none could be released one tile late, when the next is being waited for."""


def check(stages: int) -> None:
    """ProgramError if the kernel would not have the shared memory for them."""
    if problem := without_room(NAME, {"--stages": stages}, gemm_bytes(stages)):
        raise ProgramError(problem)


def program(stages: int = STAGES, k_tiles: int = K_TILES) -> Program:
    """Agents producer, consumer.wg1, consumer.wg2 and tma; each consumer stands for the four warps of its warpgroup."""
    b = Builder(NAME, config={"stages": stages}, registers=168)
    full = b.barriers("full", stages, count=1)
    empty = b.barriers("empty", stages, count=WARPGROUPS * WARPS)

    p = b.agent("producer", role="producer", stages=stages, phase=1, warpgroup=0, threads=128)
    p.init_all()
    p.sync()
    p.setmaxnreg_dec(40)
    for _ in p.tiles(k_tiles):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], A_BYTES + B_BYTES)
        p.copy(full[p.index], p.index, A_BYTES)
        p.copy(full[p.index], p.index, B_BYTES)
        p.advance()
    for _ in range(stages):  # producer_tail
        p.wait(empty[p.index], p.phase)
        p.advance()

    for number in range(1, WARPGROUPS + 1):
        c = b.agent(f"consumer.wg{number}", role="consumer", stages=stages, warpgroup=number, threads=128)
        c.sync()
        c.setmaxnreg_inc(232)
        for k_tile in c.tiles(k_tiles):
            c.wait(full[c.index], c.phase)
            c.read_async(c.index, A_BYTES // WARPGROUPS + B_BYTES, ns=500)
            c.wgmma_commit()
            c.wgmma_wait(keep=1)
            if k_tile:
                c.tile = k_tile - 1
                c.arrive(empty[(c.index - 1) % stages], WARPS)
                c.tile = k_tile
            c.advance()
        c.wgmma_wait()
        c.tile = k_tiles - 1
        c.arrive(empty[(c.index - 1) % stages], WARPS)
        c.tile = -1
        for _ in range(OUT_BLOCKS):
            c.store_wait(keep=OUT_BUFFERS - 1)
            c.bar_sync(number, c.threads)
            c.delay(200)  # from registers into the buffer
            c.fence_proxy()
            c.bar_sync(number, c.threads)
            c.store_commit()
        c.store_wait()
    return b.build()
