"""A ping-pong GEMM: two consumer warpgroups take output tiles in turns, one multiplies while the other stores.

As CUTLASS's KernelTmaWarpSpecializedPingpong: the producer fills one ring for both, each warpgroup's cursor passes over
the other's tiles, and an ordered sequence gives each the tensor cores, and then the store, in its turn.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.program import Program

NAME = "pingpong"
STAGES, K_TILES, OUTPUT_TILES = 4, 4, 6
AB_BYTES, OUT_BYTES = 32768, 32768


def program() -> Program:
    b = Builder(NAME, registers=168)
    full = b.barriers("full", STAGES, count=1, ring="ab")
    empty = b.barriers("empty", STAGES, count=1, ring="ab")  # one warpgroup uses a stage, and releases it
    out_empty = b.barriers("out_empty", 2, count=1, kind="empty", ring="out")
    multiply = [b.barrier(f"multiply[{n}]", count=1) for n in range(2)]  # whose turn it is
    store = [b.barrier(f"store[{n}]", count=1) for n in range(2)]

    p = b.agent("producer", role="producer", stages=STAGES, phase=1, warpgroup=0, threads=128)
    p.init_all()
    p.sync()
    p.setmaxnreg_dec(40)
    for _ in p.tiles(OUTPUT_TILES * K_TILES):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], AB_BYTES)
        p.copy(full[p.index], p.index, AB_BYTES)
        p.advance()

    for n in range(2):
        c = b.agent(f"consumer.wg{n}", role="consumer", stages=STAGES, warpgroup=n + 1, threads=128)
        c.sync()
        c.setmaxnreg_inc(232)
        for turn, tile in enumerate(range(n, OUTPUT_TILES, 2)):
            mine = turn & 1 if n else turn & 1 ^ 1  # the first warpgroup passes at once
            for _ in range((turn > 0 or n) * K_TILES):  # the other warpgroup's
                c.advance()
            c.wait(multiply[n], mine)
            for k_tile in c.tiles(K_TILES, first=tile * K_TILES):
                c.wait(full[c.index], c.phase)
                c.read_async(c.index, AB_BYTES, ns=500, ring="ab")
                c.wgmma_commit()
                c.wgmma_wait(keep=1)
                if k_tile > tile * K_TILES:
                    c.arrive(empty[(c.index - 1) % STAGES])
                c.advance()
            c.wgmma_wait()
            c.arrive(empty[(c.index - 1) % STAGES])
            c.arrive(multiply[1 - n])
            c.tile = tile
            c.wait(store[n], mine)
            c.wait(out_empty[n], turn & 1 ^ 1)
            c.write(n, OUT_BYTES, ns=400, ring="out")
            c.fence_proxy()
            c.store(n, OUT_BYTES, ring="out")
            c.store_commit()
            c.arrive(store[1 - n])
            c.store_wait()
            c.arrive(out_empty[n])
            c.tile = -1
    return b.build()
