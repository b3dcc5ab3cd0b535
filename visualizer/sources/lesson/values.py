"""The numbers the lesson copies, and what their sums should be. Pure numpy, so it can be checked without a GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.programs.parameters import LessonConfig

VALUES = 100
LESSON_COLUMNS = 64  # the lesson's formula numbers elements in rows of 64, whatever the tile's width
TILE_STEP = 7  # distinct tiles start elsewhere in the sequence, so that no tile passes for its neighbour


def source_matrix(config: LessonConfig) -> NDArray[np.float16]:
    """((row*64 + column + 7*tile) % 100) * 0.01 as half, (tile_rows, source_tiles * tile_columns)."""
    tile, column = np.divmod(np.arange(config.source_tiles * config.tile_columns), config.tile_columns)
    table = (np.arange(VALUES) * 0.01).astype(np.float16)
    first_row = (column + TILE_STEP * tile) % VALUES
    matrix = np.empty((config.tile_rows, len(first_row)), dtype=np.float16)
    # Row by row: with many distinct tiles the indices of all rows at once would take several times the matrix.
    for row in range(config.tile_rows):
        matrix[row] = table[(first_row + row * LESSON_COLUMNS) % VALUES]
    return matrix


def expected_sum(config: LessonConfig, matrix: NDArray[np.float16]) -> int:
    """The sum, modulo 2^32, of all 32-bit words of all tiles one CTA reads; the swizzle only permutes them."""
    words = np.ascontiguousarray(matrix).view(np.uint32)
    per_tile = words.reshape(config.tile_rows, config.source_tiles, -1).sum(axis=(0, 2), dtype=np.uint64)
    laps, rest = divmod(config.tiles, config.source_tiles)
    return int((int(per_tile.sum()) * laps + int(per_tile[:rest].sum())) % 2**32)
