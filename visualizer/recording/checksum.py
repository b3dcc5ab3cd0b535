"""The CRC-32 of long content by all processors: it stands between a recording's name and its first picture.

CRCs of pieces are put together as zlib's own crc32_combine does, which Python does not offer: they are polynomials over
bits, and a byte that follows is a factor of x^8.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each

_PIECE_BYTES = 1 << 22
_POLYNOMIAL = 0xEDB88320  # x^32 is left out; the highest bit is of x^0
_ONE, _BYTE = 1 << 31, 1 << 23  # x^0, x^8


def crc32(content: NDArray[np.uint8]) -> int:
    """As zlib.crc32 has it."""
    pieces = [content[begin : begin + _PIECE_BYTES] for begin in range(0, len(content), _PIECE_BYTES)]
    crc, follows = 0, _power(_BYTE, _PIECE_BYTES)
    for piece, own in zip(pieces, each(lambda piece: zlib.crc32(piece.data), pieces), strict=True):
        crc = own ^ _product(follows if len(piece) == _PIECE_BYTES else _power(_BYTE, len(piece)), crc)
    return crc


def _power(factor: int, count: int) -> int:
    power = _ONE
    while count:
        if count & 1:
            power = _product(factor, power)
        factor = _product(factor, factor)
        count >>= 1
    return power


def _product(a: int, b: int) -> int:
    """Of two polynomials, what is left of their product by the one of CRC-32."""
    product = 0
    while a:
        if a & _ONE:
            product ^= b
        a = a << 1 & 0xFFFFFFFF
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product
