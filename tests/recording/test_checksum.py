"""A CRC by pieces is the CRC."""

from __future__ import annotations

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from visualizer.recording.checksum import crc32


@given(st.binary(max_size=300), st.integers(1, 100))
def test_pieces_make_up_the_whole(content: bytes, piece: int) -> None:
    assert crc32(np.frombuffer(content, np.uint8), piece) == zlib.crc32(content)
