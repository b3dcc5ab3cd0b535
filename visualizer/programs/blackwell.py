"""A Blackwell GEMM: one warp hands tiles to the tensor core, which fills a ring of accumulators in tensor memory.

tcgen05.commit tells when the tensor core has read a stage, and when an accumulator is done; the epilogue's warps empty
one accumulator while the next is filled. A program only: nobody here had such a GPU.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.program import Program

NAME = "blackwell"
STAGES, K_TILES, OUTPUT_TILES, EPILOGUE_WARPS = 3, 4, 4, 4
ACCUMULATORS = 2
AB_BYTES, ACCUMULATOR_BYTES = 32768, 65536


def program() -> Program:
    b = Builder(NAME)
    full = b.barriers("full", STAGES, count=1, ring="ab")
    empty = b.barriers("empty", STAGES, count=1, ring="ab")  # tcgen05.commit arrives once
    acc_full = b.barriers("acc_full", ACCUMULATORS, count=1, kind="full", ring="acc")
    acc_empty = b.barriers("acc_empty", ACCUMULATORS, count=EPILOGUE_WARPS, kind="empty", ring="acc")

    p = b.agent("producer", role="producer", stages=STAGES, phase=1)
    p.init_all()
    p.sync()
    for _ in p.tiles(OUTPUT_TILES * K_TILES):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], AB_BYTES)
        p.copy(full[p.index], p.index, AB_BYTES)
        p.advance()

    m = b.agent("mma", role="mma", stages=STAGES)
    acc = m.cursor("acc", stages=ACCUMULATORS, phase=1)
    m.sync()
    for tile in range(OUTPUT_TILES):
        m.wait(acc_empty[acc.index], acc.phase)
        m.accumulate(acc.index, ACCUMULATOR_BYTES, tile=tile, ring="acc")
        for _ in m.tiles(K_TILES, first=tile * K_TILES):
            m.wait(full[m.index], m.phase)
            m.mma(m.index, AB_BYTES, ring="ab")
            m.commit(empty[m.index])
            m.advance()
        m.commit(acc_full[acc.index])
        acc.advance()

    for warp in range(EPILOGUE_WARPS):
        e = b.agent(f"epilogue.w{warp}", role="epilogue")
        acc = e.cursor("acc", stages=ACCUMULATORS)
        e.sync()
        for _ in e.tiles(OUTPUT_TILES):
            e.wait(acc_full[acc.index], acc.phase)
            e.read(acc.index, ACCUMULATOR_BYTES // EPILOGUE_WARPS, ns=400, ring="acc")  # tcgen05.ld
            e.arrive(acc_empty[acc.index])
            acc.advance()
    return b.build()
