"""The CRC of pieces put together is the CRC of the whole."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from visualizer.recording.checksum import crc32


@pytest.mark.parametrize("piece", [1, 3, 64])
def test_it_is_that_of_zlib(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visualizer.recording.checksum._PIECE_BYTES", piece)
    content = np.random.default_rng(5).integers(0, 256, 200, np.uint8)
    for size in (0, 1, 2, 63, 64, 65, 128, 200):
        assert crc32(content[:size]) == zlib.crc32(content[:size].tobytes())
    zeros = np.zeros(130, np.uint8)
    assert crc32(zeros) == zlib.crc32(zeros.tobytes())
