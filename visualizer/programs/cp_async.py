"""The pipeline before TMA, for contrast: every warp copies its share of a tile with cp.async, and every warp reads.

No roles: each thread does everything. No mbarriers and so no phases: a warp waits for its own groups of copies, and
__syncthreads makes them everybody's. The read and write stages are plain numbers kept by hand. Nothing is released: the
sync at the top of the loop says that the stage read before it may be overwritten.
"""

from __future__ import annotations

from visualizer.programs.builder import Builder
from visualizer.programs.parameters import LessonConfig, of_lesson
from visualizer.programs.program import Program
from visualizer.semantics.warp import WARP_THREADS

NAME = "cp-async"
WARPS = 4
PARAMETERS = (of_lesson("stages", low=2), *map(of_lesson, ("tiles", "tile_rows", "tile_columns")))
"""With a single stage it could not copy ahead of its reads."""


def cp_async(config: LessonConfig | None = None) -> Program:
    """The lesson's tiles and stages, copied the older way by agents w0..w3."""
    c = config or LessonConfig()
    share = c.tile_bytes // WARPS
    sizes = {"stages": c.stages, "tiles": c.tiles, "tile_rows": c.tile_rows, "tile_columns": c.tile_columns}
    b = Builder(NAME, config=sizes | {"threads": WARPS * WARP_THREADS}, copy_engine="cp.async")
    ahead = c.stages - 1
    for warp in range(WARPS):
        w = b.agent(f"w{warp}", role="other")
        for tile in range(min(ahead, c.tiles)):
            w.cp_async(tile % c.stages, share, tile=tile)
        for tile in w.tiles(c.tiles):
            w.wait_group(keep=min(ahead - 1, c.tiles - 1 - tile))  # what may still be on its way
            w.sync()
            if tile + ahead < c.tiles:
                w.cp_async((tile + ahead) % c.stages, share, tile=tile + ahead)
            w.read(tile % c.stages, share)
        w.exit()
    return b.build()
