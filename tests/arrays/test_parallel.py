"""Work on many parts: every part once, results in order, errors as if one thread had done it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from unittest import mock

import pytest

from visualizer.arrays import parallel
from visualizer.arrays.parallel import each


@pytest.fixture(autouse=True)
def _four_processors() -> Iterator[None]:
    with mock.patch.object(parallel.os, "cpu_count", return_value=4):
        yield


def test_results_are_in_the_order_of_the_items() -> None:
    calls: list[int] = []

    def work(item: int) -> int:
        calls.append(item)
        return item * item

    assert each(work, range(500)) == [item * item for item in range(500)]
    assert sorted(calls) == list(range(500))
    assert each(work, []) == []


def test_of_several_errors_the_first_in_order_is_raised() -> None:
    together = threading.Barrier(4)
    failed = threading.Event()
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        together.wait()
        if item == 1:
            failed.wait()  # so that part 3 is the first to fail in time
        if item == 3:
            failed.set()
        if item in (1, 3):
            raise ValueError(f"part {item}")

    with pytest.raises(ValueError, match="part 1"):
        each(work, range(4))
    assert sorted(begun) == [0, 1, 2, 3]


def test_after_an_error_no_more_is_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        raise ValueError(f"part {item}")

    with pytest.raises(ValueError, match="part 0"):
        each(work, range(100))
    assert len(begun) <= 4


def test_work_within_work_starts_no_more_threads() -> None:
    def names(_: int) -> set[str]:
        return set(each(lambda _: threading.current_thread().name, range(20)))

    assert all(len(found) == 1 for found in each(names, range(8)))
    assert threading.current_thread().name not in set().union(*each(names, range(8)))
