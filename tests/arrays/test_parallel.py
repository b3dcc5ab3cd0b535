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
    with mock.patch.object(parallel, "_idle", threading.Semaphore(3)):
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


def test_work_within_work_is_done_alone_while_all_processors_are_busy() -> None:
    together = threading.Barrier(4)

    def names(_: int) -> set[str]:
        together.wait(30)
        found = set(each(lambda _: threading.current_thread().name, range(20)))
        together.wait(30)
        return found

    assert all(len(found) == 1 for found in each(names, range(4)))


def test_idle_processors_help_with_work_within_work() -> None:
    three, done = threading.Barrier(3), threading.Event()

    def outer(item: int) -> None:
        if item:
            assert done.wait(30)
        else:
            each(lambda _: three.wait(30), range(3))  # broken if not all three come
            done.set()

    each(outer, range(2))


def test_processors_are_idle_again_afterwards_even_if_the_work_failed() -> None:
    def work(item: int) -> None:
        raise ValueError(f"part {item}")

    for _ in range(10):
        with pytest.raises(ValueError, match="part 0"):
            each(work, range(8))
    together = threading.Barrier(4)
    assert each(lambda _: together.wait(30) >= 0, range(4)) == [True] * 4
