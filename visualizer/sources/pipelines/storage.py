"""How much shared memory a CTA of each kernel takes, by how many stages its rings have: sizeof(SharedStorage)."""

from __future__ import annotations

from collections.abc import Mapping

from visualizer.semantics.shared_storage import BARRIER_BYTES, align_up

TILE_ROWS = 128
BOX_COLUMNS = 64
"""Halves in a row of a box: 128 bytes, the span of the swizzle."""
BOX_BYTES = TILE_ROWS * BOX_COLUMNS * 2
_STORE_BYTES = BOX_BYTES // 2  # a block of results on its way out
_ALIGNMENT = 1024


def _storage(buffers: int, barriers: int) -> int:
    """sizeof(SharedStorage) of so many bytes of buffers and so many barriers."""
    return align_up(buffers + barriers * BARRIER_BYTES, _ALIGNMENT)


def multicast_bytes(values: Mapping[str, int]) -> int:
    return _storage(values["stages"] * BOX_BYTES, 2 * values["stages"])


def gemm_bytes(values: Mapping[str, int]) -> int:
    """A box of A and two of B a stage, and two buffers a warpgroup."""
    return _storage(values["stages"] * 3 * BOX_BYTES + 4 * _STORE_BYTES, 2 * values["stages"])


def pingpong_bytes(values: Mapping[str, int]) -> int:
    """A box of A and one of B a stage, four buffers a warpgroup, and the barriers of two turns."""
    return _storage(values["stages"] * 2 * BOX_BYTES + 8 * _STORE_BYTES, 2 * values["stages"] + 2)


def attention_bytes(values: Mapping[str, int]) -> int:
    """Q, and as much a stage; the barriers of two turns and Q's."""
    stages = values["k-stages"] + values["v-stages"]
    return _storage((1 + stages) * 2 * BOX_BYTES, 2 * stages + 3)
