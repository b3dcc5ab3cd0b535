"""What the kernels should come to, worked out plainly on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

CONSUMER_THREADS = 128
"""Of kernels/multicast.cu: four warps."""
_TILE_ROWS = 128
_ROW_WORDS = 32  # of 32 bits
_CHUNK_WORDS = 4  # that a thread reads at once
_ROWS_AT_ONCE = 512


def tile_words(source: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """What each consumer thread makes of each tile of the source: shape (tiles, threads).

    The sum of its 32-bit words, each times an odd number that says where it was: a wrong place shows as well.
    """
    words = source.view(np.uint32).reshape(-1, _TILE_ROWS, _ROW_WORDS)
    at = 2 * np.arange(_TILE_ROWS * _ROW_WORDS, dtype=np.uint32).reshape(_TILE_ROWS, _ROW_WORDS) + 1
    # A warp has 32 rows, four at a time, and each of its lanes a chunk of one of them.
    parts = (words * at).reshape(-1, 4, 8, 4, _ROW_WORDS // _CHUNK_WORDS, _CHUNK_WORDS)
    sums: NDArray[np.uint32] = parts.sum(axis=(2, 5), dtype=np.uint32)
    return sums.reshape(len(words), CONSUMER_THREADS)


def walk_sums(values: NDArray[np.uint32], first: NDArray[Any], tiles: int) -> NDArray[np.uint32]:
    """For CTAs that walk over the tiles from `first` on, round and round: sum = 3 * sum + value. (CTAs, threads)."""
    sums = np.zeros((len(first), CONSUMER_THREADS), np.uint32)
    for tile in range(tiles):
        sums = sums * np.uint32(3) + values[(first + tile) % len(values)]
    return sums


def multiply_transposed(a: NDArray[np.float16], b: NDArray[np.float16]) -> NDArray[np.float16]:
    """a * b^T, exact where all sums are whole numbers that halves can hold."""
    columns = b.astype(np.float32).T
    parts = [a[at : at + _ROWS_AT_ONCE].astype(np.float32) @ columns for at in range(0, len(a), _ROWS_AT_ONCE)]
    return np.concatenate(parts).astype(np.float16)


def attention_error(
    q: NDArray[np.float16],
    k: NDArray[np.float16],
    v: NDArray[np.float16],
    o: NDArray[np.float16],
    heads: int,
    tolerance: float,
) -> int:
    """How many values of `o` are off from attention's by more than `tolerance` times the greatest of their head.

    All are (heads * length, head dimension); values that are no numbers count.
    """
    wrong = 0
    for query, key, value, out in zip(*(np.split(one, heads) for one in (q, k, v, o)), strict=True):
        wanted = attend(query, key, value)
        close = np.abs(out.astype(np.float32) - wanted) <= tolerance * np.abs(wanted).max()
        wrong += int((~close).sum())
    return wrong


def attend(q: NDArray[np.float16], k: NDArray[np.float16], v: NDArray[np.float16]) -> NDArray[np.float32]:
    """softmax(q * k^T / sqrt(columns)) * v of one head."""
    keys, values = k.astype(np.float32).T, v.astype(np.float32)
    parts = []
    for at in range(0, len(q), _ROWS_AT_ONCE):
        scores = q[at : at + _ROWS_AT_ONCE].astype(np.float32) @ keys / np.float32(np.sqrt(q.shape[1]))
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        parts.append(weights @ values / weights.sum(axis=1, keepdims=True))
    return np.concatenate(parts)
