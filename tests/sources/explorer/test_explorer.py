"""The explorer: proofs of clean programs, and what it finds in hand-built faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from explored_programs import BYTES, early_release, pipeline, program_of

from visualizer.programs.accesses import Read
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.lesson import lesson
from visualizer.programs.operations import Arrive, ArriveExpectTx, Copy, ExpectTx, Operation, Wait
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.sources.errors import Cancelled
from visualizer.sources.explorer import explore, explore_exhaustively


def test_the_lesson_is_proved_clean() -> None:
    found = explore_exhaustively(lesson(LessonConfig()))
    assert found.is_clean
    assert found.is_complete
    assert found.statement == "No schedule of this program deadlocks or races."
    assert found.witnesses == {}
    assert found.seconds < 10
    full = explore_exhaustively(lesson(LessonConfig()), reduce=False)
    assert (full.is_clean, full.is_complete) == (True, True)
    assert full.states > 100 * found.states


@pytest.mark.parametrize("config", [{"stages": 1}, {"ctas": 2}, {"arrive_per_warp": True}, {"tile_columns": 128}])
def test_variants_of_the_lesson_are_proved_clean(config: dict[str, int]) -> None:
    found = explore_exhaustively(lesson(LessonConfig(**config)))  # type: ignore[arg-type]
    assert found.is_clean
    assert found.is_complete


def test_one_arrival_too_few_is_harmless_only_in_a_short_run() -> None:
    assert explore_exhaustively(lesson(LessonConfig(consumer_arrivals=95))).is_clean
    assert explore(lesson(LessonConfig(consumer_arrivals=95, tiles=150)), schedules=3).race == 3


def test_random_schedules_of_the_baseline_are_clean_but_prove_nothing() -> None:
    found = explore(program_of(pipeline(tiles=20, consumers=2)))
    assert (found.schedules, found.clean) == (500, 500)
    assert not found.is_complete
    assert "only an exhaustive search proves" in found.statement


def test_the_same_seed_gives_the_same_counts() -> None:
    program = program_of(pipeline(consumers=2, tiles=6, empty_init=1))
    first, second = (explore(program, schedules=50, seed=7).as_json() for _ in range(2))
    first.pop("seconds")
    second.pop("seconds")
    assert first == second
    assert explore(program, schedules=50, seed=1000).as_json()["blocked"] != first["blocked"]


def without(kind: type[Operation], tile: int, lists: list[list[Operation]], agent: int) -> list[list[Operation]]:
    lists[agent] = [o for o in lists[agent] if not (type(o) is kind and getattr(o, "tile", -1) == tile)]
    return lists


def expect_only(lists: list[list[Operation]]) -> list[list[Operation]]:
    lists[0] = [ExpectTx(o.barrier, o.bytes, o.tile) if isinstance(o, ArriveExpectTx) else o for o in lists[0]]
    return lists


HANGS: dict[str, tuple[Callable[[], list[list[Operation]]], tuple[str, str, int]]] = {
    "F01": (lambda: pipeline(tiles=6, consumers=2, empty_init=3), ("P", "empty0[0]", 0)),
    "F03": (lambda: pipeline(tiles=6, full_init=32), ("C0", "full0[0]", 0)),
    "F06": (lambda: pipeline(tiles=6, producer_parity=0), ("P", "empty0[0]", 0)),
    "F14": (lambda: pipeline(tiles=6, expected=2 * BYTES), ("C0", "full0[0]", 0)),
    "F17": (lambda: expect_only(pipeline(tiles=6)), ("C0", "full0[0]", 0)),
    "F18": (lambda: without(Copy, 2, pipeline(tiles=6), 0), ("C0", "full0[0]", 1)),
    "F20": (lambda: without(Arrive, 1, pipeline(tiles=6), 1), ("P", "empty0[1]", 0)),
}


@pytest.mark.parametrize("fault", HANGS)
def test_faults_that_always_hang(fault: str) -> None:
    make, blocked = HANGS[fault]
    for found in (explore(program_of(make()), schedules=60), explore_exhaustively(program_of(make()))):
        assert found.deadlock == found.schedules
        assert found.race == found.other == 0
        assert len(found.blocked) == 1
        assert blocked in next(iter(found.blocked))


def test_a_plain_arrive_is_a_legal_way_to_skip_a_tile() -> None:
    lists = without(Copy, 2, pipeline(tiles=6), 0)
    lists[0] = [Arrive(o.barrier, 1, 2) if isinstance(o, ArriveExpectTx) and o.tile == 2 else o for o in lists[0]]
    found = explore_exhaustively(program_of(lists))
    assert found.is_clean
    assert found.is_complete


def test_a_copy_issued_before_the_expectation_is_legal() -> None:
    lists = pipeline(tiles=4, consumers=2)
    for at, operation in enumerate(lists[0]):
        if isinstance(operation, Copy):
            lists[0][at - 1], lists[0][at] = operation, lists[0][at - 1]
    found = explore_exhaustively(program_of(lists))
    assert found.is_clean
    assert found.is_complete


def test_each_kind_of_race_is_told_apart() -> None:
    early = explore_exhaustively(program_of(early_release(pipeline(tiles=4))))
    assert set(early.races) == {"write-after-read"}
    assert early.deadlock == 0
    assert early.clean > 0
    no_wait = explore_exhaustively(program_of(without(Wait, 0, pipeline(tiles=2), 1)))
    assert "read-before-data" in no_wait.races
    lapped = explore_exhaustively(program_of(pipeline(tiles=6, consumers=2, empty_init=1)))
    assert set(lapped.races) == {"write-after-read", "overwrite-unread", "stale"}
    assert lapped.deadlock
    assert lapped.rules == {"over-arrival": lapped.other}


def test_a_tile_number_that_comes_back_is_another_version() -> None:
    lists = pipeline(tiles=4, stages=1)
    renumbered = [[replace(o, tile=o.tile % 2) if hasattr(o, "tile") else o for o in own] for own in lists]
    found = explore_exhaustively(program_of(renumbered, stages=1))
    assert found.is_clean
    reads = [at for at, operation in enumerate(renumbered[1]) if isinstance(operation, Read)]
    del renumbered[1][reads[2] - 1]  # the wait for the third tile, number 0 again
    assert "read-before-data" in explore_exhaustively(program_of(renumbered, stages=1)).races


def test_a_part_of_a_copy_can_complete_a_phase() -> None:
    """Hardware counts a copy's bytes in steps: too small an expectation is met before all of them are there."""
    halves = explore_exhaustively(program_of(pipeline(tiles=2, expected=BYTES // 2)))
    assert "read-before-data" in halves.races
    assert halves.deadlock
    whole = pipeline(tiles=2, expected=BYTES // 2)
    whole[0] = [replace(o, pieces=(o.bytes,)) if isinstance(o, Copy) else o for o in whole[0]]
    found = explore_exhaustively(program_of(whole))
    assert not found.races
    assert found.deadlock == found.schedules


def test_an_arrival_at_a_cta_that_has_left_is_undefined() -> None:
    cluster = BaselineConfig(ctas=2, consumers=1, tiles=4)
    assert explore_exhaustively(baseline(cluster)).statement == "No schedule of this program deadlocks or races."
    found = explore_exhaustively(find_program("baseline", fault="F50"))
    assert found.rules == {"exited-cta": found.other}
    assert found.other
    assert found.deadlock == found.race == 0


def test_a_search_that_is_cut_short_proves_nothing() -> None:
    found = explore_exhaustively(lesson(LessonConfig()), limit_states=20)
    assert not found.is_complete
    assert "not all were explored" in found.statement


def test_exploring_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        explore(lesson(LessonConfig()), cancelled=lambda: True)
    with pytest.raises(Cancelled):
        explore_exhaustively(lesson(LessonConfig(tiles=100)), cancelled=lambda: True)
