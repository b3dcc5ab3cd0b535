"""What copies tell as they land: the clocks they were issued with, and that they are in with their last byte."""

from __future__ import annotations

import pytest

from visualizer.diagnosis.hazards.copies_in_flight import CopiesInFlight

BARRIER, PLACE = 7, 0
PLACES_AT = 2  # two agents, then the place


@pytest.fixture
def flying() -> CopiesInFlight:
    copies = CopiesInFlight(PLACES_AT)
    copies.issue(BARRIER, 1, 64, [3, 0, 0])
    copies.issue(BARRIER, 2, 64, [0, 5, 0])
    return copies


@pytest.mark.parametrize(
    ("landed", "known"),
    [
        ((32,), [3, 0, 0]),  # a part tells who issued the copy, not that it is in
        ((64,), [3, 0, 1]),
        ((32, 64), [3, 5, 1]),  # the oldest copy's bytes first
        ((128,), [3, 5, 2]),
        ((256,), [3, 5, 2]),
    ],
)
def test_the_oldest_copys_bytes_land_first(flying: CopiesInFlight, landed: tuple[int, ...], known: list[int]) -> None:
    given = [0, 0, 0]
    for part in landed:
        flying.land(BARRIER, part, given, PLACE)
    assert given == known


def test_a_copy_that_counts_no_bytes_is_in_when_it_is_over(flying: CopiesInFlight) -> None:
    given = [0, 0, 0]
    flying.end(BARRIER, given, PLACE)
    assert given == [3, 0, 1]
    flying.end(BARRIER, given, PLACE)
    flying.end(BARRIER, given, PLACE)  # no other is in flight
    assert given == [3, 5, 2]


def test_one_whose_bytes_came_tells_nothing_more_when_it_is_over(flying: CopiesInFlight) -> None:
    flying.land(BARRIER, 64, [0, 0, 0], PLACE)
    later = [0, 0, 0]
    flying.end(BARRIER, later, PLACE)
    assert later == [0, 0, 0]


def test_a_copy_keeps_the_clock_it_was_issued_with() -> None:
    copies, clock, given = CopiesInFlight(PLACES_AT), [1, 0, 0], [0, 0, 0]
    copies.issue(BARRIER, 1, 64, clock)
    clock[0] = 9
    copies.land(BARRIER, 64, given, -1)  # into a place that is not looked at
    assert given == [1, 0, 0]
