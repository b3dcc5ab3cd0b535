"""How much shared memory a CTA of each kernel takes, by how many stages its rings have: sizeof(SharedStorage).

The programs of these names have no more of it than the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping

from visualizer.language import tr
from visualizer.programs.parameters import BOX_COLUMNS, ELEMENT_BYTES
from visualizer.semantics.shared_storage import BARRIER_BYTES, MAX_DYNAMIC_BYTES, align_up

TILE_ROWS = 128
BOX_BYTES = TILE_ROWS * BOX_COLUMNS * ELEMENT_BYTES
_STORE_BYTES = BOX_BYTES // 2  # a block of results on its way out
_ALIGNMENT = 1024


def _storage(buffers: int, barriers: int) -> int:
    """sizeof(SharedStorage) of so many bytes of buffers and so many barriers."""
    return align_up(buffers + barriers * BARRIER_BYTES, _ALIGNMENT)


def multicast_bytes(stages: int) -> int:
    return _storage(stages * BOX_BYTES, 2 * stages)


def gemm_bytes(stages: int) -> int:
    """A box of A and two of B a stage, and two buffers a warpgroup."""
    return _storage(stages * 3 * BOX_BYTES + 4 * _STORE_BYTES, 2 * stages)


def pingpong_bytes(stages: int) -> int:
    """A box of A and one of B a stage, four buffers a warpgroup, and the barriers of two turns."""
    return _storage(stages * 2 * BOX_BYTES + 8 * _STORE_BYTES, 2 * stages + 2)


def attention_bytes(k_stages: int, v_stages: int) -> int:
    """Q, and as much a stage; the barriers of two turns and Q's."""
    stages = k_stages + v_stages
    return _storage((1 + stages) * 2 * BOX_BYTES, 2 * stages + 3)


def without_room(name: str, stages: Mapping[str, int], needed: int) -> str:
    """What is wrong if the kernel needs so many bytes; "" if a CTA has them. `stages`: by option."""
    if needed <= MAX_DYNAMIC_BYTES:
        return ""
    return tr(
        "{stages}: {name} needs {needed} bytes of shared memory for so many stages, and a CTA has {most}: use fewer",
        stages=" ".join(f"{option} {count}" for option, count in stages.items()),
        name=name,
        needed=needed,
        most=MAX_DYNAMIC_BYTES,
    )
