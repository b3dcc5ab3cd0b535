"""The CRC-32 of a long recording by all processors: that of each piece, put together without reading it again.

It stands between a recording's name and its first picture, where one processor alone would take 0.2 s for 480 MB.
A CRC is a remainder of polynomials over two elements: bytes after a piece multiply its remainder by x^(8 n).
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each

_POLYNOMIAL = 0xEDB88320  # of ZIP's CRC-32, the highest power in the lowest bit
_ONE = 1 << 31
_X8 = 1 << 23


def crc32(content: NDArray[np.uint8], piece_bytes: int) -> int:
    """zlib.crc32 of all of `content`, a piece at a time."""
    begins = range(0, len(content), piece_bytes)
    found = each(lambda begin: zlib.crc32(content[begin : begin + piece_bytes].data), begins)
    whole = _power(piece_bytes)
    crc = 0
    for begin, of_piece in zip(begins, found, strict=True):
        size = min(piece_bytes, len(content) - begin)
        crc = _product(whole if size == piece_bytes else _power(size), crc) ^ of_piece
    return crc


def _power(size: int) -> int:
    """x^(8 size)."""
    result, square = _ONE, _X8
    while size:
        if size & 1:
            result = _product(square, result)
        square = _product(square, square)
        size >>= 1
    return result


def _product(a: int, b: int) -> int:
    """The product of two remainders."""
    result = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            result ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return result
