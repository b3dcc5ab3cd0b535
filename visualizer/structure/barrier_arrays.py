"""Arrays of barriers: neighbours at one stride that some agent uses one after the other, round and round.

Address and count alone merge neighbours that have nothing to do with each other; the order of use splits them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from visualizer.structure.facts import BarrierFacts, Facts, Stream
from visualizer.structure.uses import Action

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BarrierArray:
    """Barriers of one array by stage, as places in Facts. `wrapped`: an agent came round to the first one again; until
    then nobody knows where the array ends. `flips`: the parity of waits turned there, and only there."""

    members: tuple[int, ...]
    wrapped: bool
    flips: bool = True

    def __len__(self) -> int:
        return len(self.members)

    def union(self, facts: Facts, what: str) -> frozenset[int]:
        """Agents that are among `what` ("waiters", "arrivers", "fillers") of any member."""
        return frozenset().union(*(getattr(facts.barriers[place], what) for place in self.members))

    def landed(self, facts: Facts) -> bool:
        return any(facts.barriers[place].landed for place in self.members)

    def first_parity(self, facts: Facts) -> int | None:
        """That of the members which are waited on; None if there are none, or they differ."""
        parities = {facts.barriers[place].first_parity for place in self.members if facts.barriers[place].waiters}
        return parities.pop() if len(parities) == 1 else None


def find_arrays(facts: Facts) -> list[BarrierArray]:
    """Arrays that share no barrier. Barriers of which no one can say whether they are one array or several are in none.

    An instruction in a loop goes round an array, and its stages are of one size. Barriers that share neither and are
    used in turn may be an array of an unrolled loop, or several arrays in step: none is found.
    """
    arrays: list[BarrierArray] = []
    taken: set[int] = set()
    for linked in (True, False):
        for first, known in enumerate(facts.barriers):
            if first in taken or not known.used:
                continue
            members = _longest(facts, first, taken, linked)
            if linked and len(members) == 1:
                continue
            if linked or len(members) == 1:
                arrays.append(array_of(facts, members))
            taken.update(members)
    arrays = _with_partners(facts, arrays)
    while loose := [array for array in arrays if _is_loose(facts, array, arrays)]:
        arrays = [array for array in arrays if array not in loose]
    return arrays


def _with_partners(facts: Facts, arrays: list[BarrierArray]) -> list[BarrierArray]:
    """The arrays, with those joined that are one by what each of them answers to: who waits on one barrier before it
    fills a stage of an array that came round, and on its neighbour before it fills the next, goes round one array too,
    though a loop that loads in two places has come to no barrier from both."""
    for full in [array for array in arrays if array.wrapped and len(array) > 1 and array.landed(facts)]:
        members = _acquired_before(facts, full)
        parts = [array for array in arrays if set(array.members) & set(members)]
        if len(parts) < 2 or {place for part in parts for place in part.members} != set(members):
            continue
        at = [facts.barriers[place].address for place in members]
        one_stride = len({b - a for a, b in pairwise(at)}) == 1
        alike = all(_alike(facts, members[:n], place) for n, place in enumerate(members))
        if one_stride and alike and _used_in_turn(facts, members):
            arrays = [array for array in arrays if array not in parts] + [array_of(facts, members)]
    return arrays


def _acquired_before(facts: Facts, full: BarrierArray) -> tuple[int, ...]:
    """By stage of `full` the one barrier on which those who fill it waited last; () if there is none for each."""
    found: list[set[int]] = [set() for _ in full.members]
    for fills in facts.streams:
        waits = facts.of(Action.WAIT, fills.agent)
        if fills.action != Action.EXPECT or waits is None:
            continue
        latest = np.searchsorted(waits.place, fills.place) - 1
        for stage, place in enumerate(full.members):
            before = latest[(fills.barrier == place) & (latest >= 0)]
            found[stage].update(np.unique(waits.barrier[before]).tolist())
    one_each = all(len(places) == 1 for places in found)
    members = tuple(place for places in found for place in places) if one_each else ()
    return members if len(set(members)) == len(members) else ()


def _is_loose(facts: Facts, array: BarrierArray, arrays: list[BarrierArray]) -> bool:
    """Whether a barrier beside it seems to be of the same array, so that its length is wrong."""
    placed = {place for other in arrays for place in other.members}
    sure = len(array) > 1 and array.wrapped
    return _may_be_unrolled(facts, array) or any(
        seem_one_array(facts, facts.barriers[member], other)
        for place, other in enumerate(facts.barriers)
        if other.used and place not in array.members and not (sure and place in placed)
        for member in array.members
        if facts.barriers[member].used
    )


def _may_be_unrolled(facts: Facts, array: BarrierArray) -> bool:
    """Whether a barrier may be one more stage that instructions of its own use, as of a loop that was unrolled."""
    users = [(what, array.union(facts, what)) for what in ("waiters", "arrivers", "fillers")]
    return facts.copied and any(
        other.used
        and place not in array.members
        and _may_lie_beside(facts, array.members, place)
        and all(not mine or not getattr(other, what) or mine & getattr(other, what) for what, mine in users)
        and all(_of_one_size(facts.barriers[member], other) for member in array.members)
        and _used_in_turn(facts, tuple(sorted((*array.members, place))))
        for place, other in enumerate(facts.barriers)
    )


def _may_lie_beside(facts: Facts, members: tuple[int, ...], place: int) -> bool:
    """Whether the barrier, and all between at the stride that they would have, may be of their array."""
    at = sorted(facts.barriers[one].address for one in (*members, place))
    stride = max(gcd(*(b - a for a, b in pairwise(at))), 1)
    all_of_them = range(at[0], at[-1] + 1, stride)
    there = [one for one, barrier in enumerate(facts.barriers) if barrier.address in all_of_them]
    return len(there) == len(all_of_them) and all(_alike(facts, members, one) for one in there if one not in members)


def seem_one_array(facts: Facts, a: BarrierFacts, b: BarrierFacts) -> bool:
    """Whether two barriers are used alike, by one instruction as far as that is known."""
    return _two_alike(a, b) and _two_linked(facts, a, b)


def array_of(facts: Facts, members: tuple[int, ...]) -> BarrierArray:
    """The array of these barriers, stage 0 first: where the parity of waits turns, which is where its agents began."""
    exact = [s for s in facts.streams if len(at := _places(facts, s, members)) and _in_order(at, len(members))]
    if len(members) == 1:
        wrapped = not could_go_on(facts, members)
    else:
        wrapped = any(len(_places(facts, s, members)) > len(members) for s in exact)
    turns: set[int] = set()
    starts: set[int] = set()
    for stream in exact:
        at = _places(facts, stream, members)
        starts.add(int(at[0]))
        if stream.action == Action.WAIT:
            parity = stream.parity[np.isin(stream.barrier, members)][-len(at) :]
            turns.update(at[1:][parity[1:] != parity[:-1]].tolist())
    if wrapped and len(turns) == 1 and (turns == starts or facts.begun) and turns != {0}:
        (first,) = turns
        members, turns = (*members[first:], *members[:first]), {0}
    return BarrierArray(members, wrapped, turns <= {0})


def could_go_on(facts: Facts, members: tuple[int, ...]) -> bool:
    """Whether there is a barrier beside them that nobody has used yet and that expects as many arrivals."""
    counts = {facts.barriers[place].count for place in members}
    return any(
        not barrier.used and (barrier.count in counts or not barrier.count or 0 in counts) and place not in members
        for place, barrier in enumerate(facts.barriers)
    )


def may_lack_a_stage(facts: Facts, array: BarrierArray) -> bool:
    """Whether a barrier that nobody uses in what is left of a recording may be one more stage, of which the uses came
    before."""
    return facts.begun and any(
        not other.used and place not in array.members and _may_lie_beside(facts, array.members, place)
        for place, other in enumerate(facts.barriers)
    )


def _longest(facts: Facts, first: int, taken: set[int], linked: bool) -> tuple[int, ...]:
    """The longest array from `first` on, at one stride; `linked`: an instruction and a size must link its barriers."""
    members: tuple[int, ...] = (first,)
    stride, skipped = 0, False
    for place in range(first + 1, len(facts.barriers)):
        step = facts.barriers[place].address - facts.barriers[members[-1]].address
        if stride and step > stride:
            break
        if place in taken or (stride and step != stride) or not _alike(facts, members, place):
            continue
        if facts.begun and not facts.barriers[place].used:
            continue  # it may have been before, as part of anything
        if linked and not _are_linked(facts, members, place):
            skipped = True
            continue
        if skipped and not stride and not facts.barriers[place].used:
            break  # nothing says how far apart they lie
        if not _used_in_turn(facts, (*members, place)):
            break
        members, stride = (*members, place), step
    return members


def _alike(facts: Facts, members: tuple[int, ...], place: int) -> bool:
    """Whether the barrier may be one of their array, by what it expects and what is known of its use so far."""
    return all(_two_alike(facts.barriers[member], facts.barriers[place]) for member in members)


def _two_alike(a: BarrierFacts, b: BarrierFacts) -> bool:
    if a.count != b.count and a.count and b.count:
        return False
    if a.landed != b.landed:
        late = b if a.landed else a  # nothing has come to it yet
        return late.first_parity in (0, None) and not late.committed and not late.arrivers
    return a.landed or None in (a.first_parity, b.first_parity) or a.first_parity == b.first_parity


def _used_in_turn(facts: Facts, members: tuple[int, ...]) -> bool:
    """Whether an agent uses them in order, over and over, and none that uses them much more often says otherwise."""
    last_is_used = facts.barriers[members[-1]].used
    longest = in_order = 0
    for stream in _deciding(facts, members):
        at = _places(facts, stream, members)
        longest = max(longest, len(at))
        together = not last_is_used or (len(members) - 1 in at and len(members) - 2 in at)
        if together and len(at) and _in_order(at, len(members)):
            in_order = max(in_order, len(at))
    return in_order > 0 and 2 * in_order >= longest


def _deciding(facts: Facts, members: tuple[int, ...]) -> list[Stream]:
    """The streams that touch them; copies, of which a stage may take several, only of agents that expect none."""
    touching = [stream for stream in facts.streams if np.isin(stream.barrier, members).any()]
    expecting = {stream.agent for stream in touching if stream.action == Action.EXPECT}
    return [stream for stream in touching if stream.action != Action.COPY or stream.agent not in expecting]


def _places(facts: Facts, stream: Stream, members: tuple[int, ...]) -> Ints:
    """The stages that the stream goes through; in a recording that begins in the middle, as of the last of its first
    lap's before which some are missing."""
    stage = np.full(max(*members, int(stream.barrier.max())) + 1, -1, np.int64)
    stage[list(members)] = np.arange(len(members))
    at: Ints = stage[stream.barrier]
    at = at[at >= 0]
    return at[_missing(at, len(members)) :] if facts.begun else at


def _missing(at: Ints, stages: int) -> int:
    """Where in the first lap of `at` the last uses are missing: a barrier's first ones may be, as those of phases of
    which the beginning is not recorded. 0: none are, or some that would have come after one that is there."""
    seen: Ints = np.full(stages, len(at), np.int64)
    seen[at[::-1]] = np.arange(len(at))[::-1]
    last = 0
    lap = at[: stages + 1]
    for after in (1 + np.flatnonzero((lap[1:] - lap[:-1]) % stages != 1 % stages)).tolist():
        skipped = (at[after - 1] + 1 + np.arange((at[after] - at[after - 1] - 1) % stages)) % stages
        if (seen[skipped] < after).any():
            return 0
        last = after
    return last


def _in_order(at: Ints, stages: int) -> bool:
    return bool(((at[1:] - at[:-1]) % stages == 1 % stages).all())


def _are_linked(facts: Facts, members: tuple[int, ...], place: int) -> bool:
    used = [facts.barriers[member] for member in members if facts.barriers[member].used]
    barrier = facts.barriers[place]
    return not barrier.used or any(_two_linked(facts, barrier, other) for other in used)


def _two_linked(facts: Facts, a: BarrierFacts, b: BarrierFacts) -> bool:
    """Whether an instruction uses both (as far as instructions are known), and both expect bytes of one size."""
    by_site = {mark[:2] for mark in a.marks} & {mark[:2] for mark in b.marks}
    return bool(by_site or not facts.sited) and _of_one_size(a, b)


def _of_one_size(a: BarrierFacts, b: BarrierFacts) -> bool:
    sizes = [{mark[2] for mark in barrier.marks if mark[2]} for barrier in (a, b)]
    return not all(sizes) or bool(sizes[0] & sizes[1])
