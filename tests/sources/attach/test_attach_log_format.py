"""The log's layout: everything has a place of its own, wherever the buffer lies, and what a kernel writes is found."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import (
    CONTROL_DTYPE,
    HEADER_DTYPE,
    NOT_RECORDED,
    RECORD_DTYPE,
    Keep,
    LogLayout,
    read_log,
)
from visualizer.sources.errors import SourceError

SHAPE = Shape(grid=(3, 2, 1), block=(96, 1, 1), cluster=(1, 1, 1))


def test_records_are_sixteen_bytes_and_headers_sixty_four() -> None:
    assert (RECORD_DTYPE.itemsize, HEADER_DTYPE.itemsize, CONTROL_DTYPE.itemsize) == (16, 64, 64)


@pytest.mark.parametrize("keep", Keep)
@pytest.mark.parametrize("recorded", [None, (1, 4)])
def test_what_a_kernel_writes_by_the_control_block_is_found(keep: Keep, recorded: tuple[int, ...] | None) -> None:
    layout = LogLayout(SHAPE, room=40, keep=keep, recorded=recorded, lanes=(0, 8))
    memory = np.zeros(layout.nbytes, np.uint8)
    beginning = np.frombuffer(layout.beginning(), np.uint8)
    memory[: len(beginning)] = beginning
    control = np.frombuffer(layout.control(), CONTROL_DTYPE)[0]
    slot, warp, lane = 1, 2, 1
    # As the prologue of a twin does it.
    stream = (slot * int(control["warps"]) + warp) * 2 + lane
    begin = int(control["first"]) + stream * int(control["rows"])
    header = int(control["headers"]) + (slot * 3 + warp) * HEADER_DTYPE.itemsize
    memory[header : header + HEADER_DTYPE.itemsize].view(HEADER_DTYPE)["cta"] = 5
    for number in range(int(control["rows"])):
        memory[(begin + number) * 16 :][:16].view("<u4")[:] = number, 1 << 10, 0x400, 7
    memory[int(control["counts"]) + 4 * (1 + stream) :][:4].view("<u4")[0] = 99
    memory[int(control["counts"]) :][:4].view("<u4")[0] = 2

    log = read_log(layout, memory)
    assert layout.records == (40 if keep is Keep.FIRST else 64)
    assert keep is Keep.FIRST or begin % layout.records == 0
    assert log.headers["cta"][slot, warp] == 5
    assert log.records[slot, warp, lane]["clock"].tolist() == list(range(layout.records))
    assert log.counts[slot, warp, lane] == 99
    assert np.count_nonzero(log.records["word"]) == layout.records
    assert np.count_nonzero(log.counts) == 1
    assert log.without_stream == 2


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
    ],
)
def test_a_layout_that_cannot_be_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        LogLayout(SHAPE, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cluster", "asked", "recorded"),
    [
        ((1, 1, 1), (5, 1), (1, 5)),
        ((2, 1, 1), (1,), (0, 1)),
        ((4, 2, 1), (5,), (0, 1, 2, 3, 4, 5, 6, 7)),
        ((1, 2, 1), (6, 13), (2, 6, 9, 13)),
        ((4, 2, 1), (99,), (99,)),
    ],
)
def test_whole_clusters_are_recorded(
    cluster: tuple[int, int, int], asked: tuple[int, ...], recorded: tuple[int, ...]
) -> None:
    assert Shape(grid=(4, 4, 1), block=(32, 1, 1), cluster=cluster).whole_clusters(asked) == recorded
