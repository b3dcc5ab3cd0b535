"""The lesson over a cluster of four CTAs (kernels/multicast.cu): each loads a quarter of every tile for all.

A stage is written by every CTA of the cluster, so consumers release it in every one (mapa, a remote arrive), the
barriers are published to the cluster, and nobody leaves before its tail: a peer may still arrive.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.parameters import LessonConfig, of_lesson
from visualizer.programs.program import Program

NAME = "multicast"
CTAS = 4
PARAMETERS = tuple(map(of_lesson, ("stages", "tiles", "tile_rows", "tile_columns", "consumer_warps")))


def multicast(config: LessonConfig | None = None) -> Program:
    """Agents producer, consumer.w1.. and tma of each CTA, with a prefix `CTA1.`; one lane of each warp arrives."""
    c = config or LessonConfig()
    sizes = {"stages": c.stages, "tiles": c.tiles, "tile_rows": c.tile_rows, "tile_columns": c.tile_columns}
    b = Builder(NAME, ctas=CTAS, cluster=CTAS, config={**sizes, "consumer_warps": c.consumer_warps, "ctas": CTAS})
    full = [b.barriers("full", c.stages, count=1, cta=cta) for cta in range(CTAS)]
    empty = [b.barriers("empty", c.stages, count=c.consumer_warps * CTAS, cta=cta) for cta in range(CTAS)]
    for cta in range(CTAS):
        p = b.agent("producer", role="producer", cta=cta, stages=c.stages, phase=1)
        p.init_all()
        p.cluster_sync()
        for _ in p.tiles(c.tiles):
            p.wait(empty[cta][p.index], p.phase)
            p.arrive_expect_tx(full[cta][p.index], c.tile_bytes)
            everywhere = [barriers[p.index] for barriers in full]
            p.copy(full[cta][p.index], p.index, c.tile_bytes // CTAS, multicast=everywhere)
            p.advance()
        for _ in range(c.stages):  # producer_tail
            p.wait(empty[cta][p.index], p.phase)
            p.advance()
        for warp in range(1, c.consumer_warps + 1):
            w = b.agent(f"consumer.w{warp}", role="consumer", cta=cta, stages=c.stages)
            w.cluster_sync()
            for _ in w.tiles(c.tiles):
                w.wait(full[cta][w.index], w.phase)
                w.read(w.index, c.tile_bytes // c.consumer_warps)
                for barriers in empty:
                    w.arrive(barriers[w.index])
                w.advance()
    return b.build()
