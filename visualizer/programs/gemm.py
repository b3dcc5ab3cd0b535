"""A warp-specialised GEMM whose two consumer warpgroups share every tile: CUTLASS's cooperative kernel.

A stage holds A and B. Each warpgroup multiplies its half of A's rows and releases a stage one tile late, when its wgmma
is known to have read it. The epilogue has buffers of its own: both write, one stores and says when the store has read.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.program import Program

NAME = "gemm"
STAGES, K_TILES, OUT_STAGES, OUT_TILES = 4, 8, 2, 4
A_BYTES, B_BYTES, OUT_BYTES = 16384, 16384, 16384
WARPGROUPS = 2


def program() -> Program:
    b = Builder(NAME, registers=168)
    full = b.barriers("full", STAGES, count=1, ring="ab")
    empty = b.barriers("empty", STAGES, count=WARPGROUPS, ring="ab")
    out_empty = b.barriers("out_empty", OUT_STAGES, count=1, kind="empty", ring="out")

    p = b.agent("producer", role="producer", stages=STAGES, phase=1, warpgroup=0, threads=128)
    p.init_all()
    p.sync()
    p.setmaxnreg_dec(40)
    for _ in p.tiles(K_TILES):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], A_BYTES + B_BYTES)
        p.copy(full[p.index], p.index, A_BYTES)
        p.copy(full[p.index], p.index, B_BYTES)
        p.advance()

    for n in range(WARPGROUPS):
        c = b.agent(f"consumer.wg{n + 1}", role="consumer", stages=STAGES, warpgroup=n + 1, threads=128)
        out = c.cursor("out", stages=OUT_STAGES, phase=1)
        c.sync()
        c.setmaxnreg_inc(232)
        for k_tile in c.tiles(K_TILES):
            c.wait(full[c.index], c.phase)
            c.read_async(c.index, A_BYTES // WARPGROUPS + B_BYTES, ns=500, ring="ab")
            c.wgmma_commit()
            c.wgmma_wait(keep=1)
            if k_tile:
                c.arrive(empty[(c.index - 1) % STAGES])
            c.advance()
        c.wgmma_wait()
        c.arrive(empty[(c.index - 1) % STAGES])
        for _ in c.tiles(OUT_TILES):
            c.wait(out_empty[out.index], out.phase)
            c.write(out.index, OUT_BYTES // WARPGROUPS, ns=200, ring="out")
            c.fence_proxy()
            c.named_sync(1, WARPGROUPS)
            if n == 0:
                c.store(out.index, OUT_BYTES, ring="out")
                c.store_commit()
                c.store_wait()
                c.arrive(out_empty[out.index])
            out.advance()
    return b.build()
