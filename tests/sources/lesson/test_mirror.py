"""A log in device memory is copied while its kernel runs: when, and that a copy is sound however it is torn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, STATUS_COMPLETED, LogLevel, RawLog
from visualizer.sources.lesson.unfinished_log import FlightLayout
from visualizer.sources.runner.flight import FlightFile
from visualizer.sources.runner.mirror import COPY_EVERY_S, REST, Mirror

CTAS, WARPS, CAPACITY = 2, 3, 8
LEVELS: tuple[LogLevel, ...] = ("phases", "standard", "full", "words")
PIECE = 64  # a record is stored at once and lies within a piece, or is two stores of 16 bytes


class Killed(Exception):
    """The worker was killed."""


class Kernel:
    """A kernel that goes on between any two pieces that are read of its log, by so many records a warp as are drawn.

    CTA 1 starts after CTA 0. `pieces_left`: the worker is killed after reading these.
    """

    def __init__(self, level: LogLevel, steps: Callable[[], int] = lambda: 0, pieces_left: int = 10**9) -> None:
        self.layout = FlightLayout(level, CTAS, WARPS, CAPACITY)
        self._steps = steps
        self.pieces_left = pieces_left
        self.made = 0

    def log(self) -> RawLog:
        """The log as it is now; every word of a record tells whose it is and which."""
        arrays = {name: np.zeros(shape, dtype) for name, (dtype, shape) in self.layout.arrays().items()}
        raw = RawLog(**arrays, calibration=np.zeros((0, 2), ANCHOR_DTYPE), level=self.layout.level)
        for cta in range(CTAS):
            made = self.made - 4 * cta
            if made <= 0:
                continue
            raw.anchors["globaltimer"][cta, 0] = raw.anchors["clock"][cta, 0] = 1000 + cta
            for warp in range(WARPS):
                self._fill(raw, cta, warp, min(made - 1, CAPACITY), left=made - 1 > CAPACITY)
            if made - 1 > CAPACITY:
                raw.anchors["globaltimer"][cta, 1] = 2000 + cta
                raw.status[cta] = STATUS_COMPLETED
        return raw

    def _fill(self, raw: RawLog, cta: int, warp: int, count: int, *, left: bool) -> None:
        slice_ = cta * WARPS + warp
        value = 100_000 * (slice_ + 1) + np.arange(1, count + 1)
        if raw.level == "words":
            raw.records["clock"][slice_, :count] = value
            raw.records["kind"][slice_, :count] = 1
        else:
            raw.spans["begin"][slice_] = 1500
            if warp < raw.logging_warps:
                raw.clocks(warp)[cta, :count] = value[:, None]
        if left:
            raw.attempted[slice_] = count
            if raw.level != "words":
                raw.spans["end"][slice_] = 2500

    def read(self, name: str) -> Iterator[NDArray[np.uint8]]:
        size = getattr(self.log(), name).nbytes
        for begin in range(0, size, PIECE):
            if not self.pieces_left:
                raise Killed
            self.pieces_left -= 1
            now: NDArray[np.uint8] = getattr(self.log(), name).view(np.uint8).ravel()
            yield now[begin : begin + PIECE]
            self.made += self._steps()


def flight(tmp_path: Path, kernel: Kernel) -> FlightFile:
    file = FlightFile(tmp_path / "flight.log", kernel.layout, copied=True)
    file.path.unlink(missing_ok=True)
    return file


def records_of(raw: RawLog, slice_: int) -> list[int]:
    """Which records of a slice there are said to be, in the file's order."""
    count = int(raw.stored[slice_])
    if raw.level == "words":
        return [int(value) for value in raw.records["clock"][slice_, :count]]
    speaker = min(slice_ % WARPS, raw.logging_warps - 1)
    words = raw.clocks(speaker)[slice_ // WARPS, :count]
    assert (words == words[:, :1]).all(), "a record is whole"
    return [int(value) for value in words[:, 0]]


def test_the_first_copy_comes_after_a_second_and_then_one_a_second(tmp_path: Path) -> None:
    now, kernel = [100.0], Kernel("full")
    file = flight(tmp_path, kernel)
    mirror = Mirror(file, kernel.read, clock=lambda: now[0])
    copies = []
    for _ in range(33):
        mirror()
        copies.append(file.copies())
        now[0] += COPY_EVERY_S / 8
    assert copies == [0] * 8 + [1] * 8 + [2] * 8 + [3] * 8 + [4]


def test_a_copy_that_takes_long_is_followed_by_a_long_rest(tmp_path: Path) -> None:
    now, kernel = [0.0], Kernel("full")

    def slow(name: str) -> Iterator[NDArray[np.uint8]]:
        now[0] += 1.0
        yield from kernel.read(name)

    file = flight(tmp_path, kernel)
    mirror = Mirror(file, slow, clock=lambda: now[0])
    now[0] = COPY_EVERY_S
    mirror()
    took, ended = len(kernel.layout.arrays()), now[0]
    now[0] = ended + REST * took - 0.1
    mirror()
    assert file.copies() == 1
    now[0] = ended + REST * took
    mirror()
    assert file.copies() == 2


@pytest.mark.parametrize("level", LEVELS)
def test_a_copy_is_the_log(tmp_path: Path, level: LogLevel) -> None:
    now, kernel = [0.0], Kernel(level)
    kernel.made = CAPACITY  # CTA 0 still runs, CTA 1 is behind
    file = flight(tmp_path, kernel)
    mirror = Mirror(file, kernel.read, clock=lambda: now[0])
    assert file.read() is None
    now[0] = COPY_EVERY_S
    mirror()
    raw, wanted = file.read(), kernel.log()
    assert raw is not None
    for name in ("records", "spans", "anchors", "status"):
        assert np.array_equal(getattr(raw, name), getattr(wanted, name)), name
    assert raw.attempted.tolist() == [CAPACITY - 1] * WARPS + [CAPACITY - 5] * WARPS


def test_no_room_for_the_file_does_not_end_the_kernel(tmp_path: Path) -> None:
    now, kernel = [0.0], Kernel("full")
    file = FlightFile(tmp_path / "later" / "flight.log", kernel.layout, copied=True)
    mirror = Mirror(file, kernel.read, clock=lambda: now[0])
    now[0] = COPY_EVERY_S
    mirror()
    assert file.copies() == 0
    file.path.parent.mkdir()
    now[0] += COPY_EVERY_S
    mirror()
    assert file.copies() == 1


@given(level=st.sampled_from(LEVELS), data=st.data())
def test_a_torn_copy_holds_the_first_records_of_every_warp(
    tmp_path_factory: pytest.TempPathFactory, level: LogLevel, data: st.DataObject
) -> None:
    """However far the kernel goes on during a copy, and wherever in one of the copies the worker is killed."""
    steps: Iterator[int] = iter(data.draw(st.lists(st.integers(0, 3), max_size=80)))
    kernel = Kernel(level, lambda: next(steps, 0), pieces_left=data.draw(st.integers(0, 60)))
    kernel.made = data.draw(st.integers(0, 14))
    file = flight(tmp_path_factory.getbasetemp(), kernel)
    now, known = [0.0], [0] * CTAS * WARPS
    mirror = Mirror(file, kernel.read, clock=lambda: now[0])
    killed = False
    for turn in range(5):
        if turn == 4:
            steps = iter([])  # it stands still at last
        now[0] += COPY_EVERY_S
        try:
            mirror()
        except Killed:
            killed = True
        raw = file.read()
        held = [[] if raw is None else records_of(raw, slice_) for slice_ in range(CTAS * WARPS)]
        for slice_, records in enumerate(held):
            speaker = slice_ if level != "phases" else slice_ - max(slice_ % WARPS - 1, 0)
            assert records == [100_000 * (speaker + 1) + 1 + index for index in range(len(records))], "the first ones"
            assert len(records) >= known[slice_], "never fewer than before"
            known[slice_] = len(records)
            if raw is not None and raw.spans["end"][slice_]:
                assert len(records) == CAPACITY, "a warp that has left has made all its records"
        if killed:
            break
    assert file.events_so_far() == sum(known)
    if not killed:
        made = [kernel.made - 4 * (slice_ // WARPS) - 1 for slice_ in range(CTAS * WARPS)]
        assert known == [min(max(count, 0), CAPACITY) for count in made]
