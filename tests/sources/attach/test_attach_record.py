"""The log's layout: everything has a place of its own, wherever the buffer lies, and what a kernel writes is found."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.record import (
    CONTROL_DTYPE,
    HEADER_DTYPE,
    NOT_RECORDED,
    RECORD_DTYPE,
    LogLayout,
    read_log,
)
from visualizer.sources.errors import SourceError

SHAPE = Shape(grid=(3, 2, 1), block=(96, 1, 1), cluster=(1, 1, 1))


def test_records_are_sixteen_bytes_and_headers_sixty_four() -> None:
    assert (RECORD_DTYPE.itemsize, HEADER_DTYPE.itemsize, CONTROL_DTYPE.itemsize) == (16, 64, 64)


@pytest.mark.parametrize("address", [0x7F00_0000_0000, 0x7F00_0000_0100, 0x7F00_0000_3F00])
@pytest.mark.parametrize("recorded", [None, (1, 4)])
def test_what_a_kernel_writes_by_the_control_block_is_found(address: int, recorded: tuple[int, ...] | None) -> None:
    layout = LogLayout(SHAPE, room=40, recorded=recorded, lanes=(0, 8))
    memory = np.zeros(layout.nbytes, np.uint8)
    beginning = np.frombuffer(layout.beginning(), np.uint8)
    memory[: len(beginning)] = beginning
    control = np.frombuffer(layout.control(), CONTROL_DTYPE)[0]
    size, slot, warp, lane = int(control["last"]) + 16, 1, 2, 1
    # As the prologue of a twin does it.
    first = -(-(address + int(control["streams"])) // size) * size
    assert first % size == 0
    own = first + (2 + (slot * int(control["warps"]) + warp) * 2 + lane) * size
    header = int(control["headers"]) + (slot * 3 + warp) * HEADER_DTYPE.itemsize
    head = memory[header : header + HEADER_DTYPE.itemsize].view(HEADER_DTYPE)
    head["cta"], head["first"] = 5, first - address
    for number, place in enumerate(range(own + size - 16, own, -16)):
        memory[place - address :][:16].view("<u4")[:] = number, 1 << 10, 0x400, 7
    assert own + size <= address + layout.nbytes
    memory[own - address :][:4].view("<u4")[0] = 3
    memory[first - address :][:4].view("<u4")[0] = 2
    memory[first + size - address :][:4].view("<u4")[0] = 99

    log = read_log(layout, memory)
    assert layout.records >= 40
    assert log.headers["cta"][slot, warp] == 5
    assert log.records[slot, warp, lane]["clock"].tolist() == list(range(layout.records))
    assert log.beyond[slot, warp, lane] == 3
    assert np.count_nonzero(log.records["word"]) == layout.records
    assert np.count_nonzero(log.beyond) == 1
    assert log.no_stream == 2


def test_only_the_ctas_asked_for_have_a_slot() -> None:
    table = np.frombuffer(LogLayout(SHAPE, recorded=(1, 4)).beginning(), "<u4")
    assert table.tolist() == [NOT_RECORDED, 0, NOT_RECORDED, NOT_RECORDED, 1, NOT_RECORDED]
    assert LogLayout(SHAPE).beginning() == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"recorded": (6,)}, "the launch has CTAs 0 to 5"),
        ({"recorded": ()}, "the CTAs to record"),
        ({"lanes": (0, 32)}, "lanes are some of 0 to 31"),
        ({"room": 1_000_000}, "is too large"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        LogLayout(SHAPE, **arguments)  # type: ignore[arg-type]
