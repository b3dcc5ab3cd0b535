"""What an agent knows of the others: the clock that an exact proof of order is made with (races.py).

A clock is a list: one component per agent, then one per stage that counts the copies known to have landed in it, then,
where agents write themselves, one per agent again (written.py).
"""

from __future__ import annotations

Clock = list[int]


def join(into: Clock, other: Clock) -> None:
    """From now on `into` knows all that `other` does."""
    into[:] = map(max, into, other)


def meet(clocks: list[Clock], members: list[int], arrived: list[Clock | None]) -> None:
    """What each of those who met knew is known to all of them: `clocks` those of `members`, rows of agents, and
    `arrived` those of who came and did not wait."""
    if not clocks:
        return
    known = [max(values) for values in zip(*clocks, *(clock for clock in arrived if clock is not None), strict=True)]
    for clock, member in zip(clocks, members, strict=True):
        clock[:] = known
        clock[member] += 1
