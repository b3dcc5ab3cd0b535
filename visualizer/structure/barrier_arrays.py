"""Arrays of barriers: neighbours at one stride that some agent uses one after the other, round and round.

Address and count alone merge neighbours that have nothing to do with each other; the order of use splits them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


def find_arrays(facts: Facts) -> tuple[list[BarrierArray], set[int]]:
    """Arrays that share no barrier, and the barriers of which no one can say whether they are one array or several."""
    arrays: list[BarrierArray] = []
    unclear: set[int] = set()
    taken: set[int] = set()
    for first, known in enumerate(facts.barriers):
        if first in taken or not known.used:
            continue
        members = _longest(facts, first, taken)
        taken.update(members)
        parts = _by_instruction(facts, members)
        if len(parts) > 1 and all(len(part) == 1 for part in parts):
            unclear.update(members)
        else:
            arrays += [array_of(facts, part) for part in parts]
    for array in [array for array in arrays if len(array) == 1]:
        if _shares_instruction(facts, array.members[0]):
            unclear.update(array.members)
            arrays.remove(array)
    return arrays, unclear


def _shares_instruction(facts: Facts, place: int) -> bool:
    """Whether an instruction that uses the barrier uses another one like it as well: then it is no array by itself."""
    known = facts.barriers[place]
    return any(
        other is not known and _two_alike(known, other) and known.marks & other.marks for other in facts.barriers
    )


def array_of(facts: Facts, members: tuple[int, ...]) -> BarrierArray:
    """The array of these barriers, stage 0 first: where the parity of waits turns, which is where its agents began."""
    exact = [s for s in facts.streams if len(_places(s, members)) and _in_order(_places(s, members), len(members))]
    if len(members) == 1:
        wrapped = not could_go_on(facts, members)
    else:
        wrapped = any(len(_places(s, members)) > len(members) for s in exact)
    turns: set[int] = set()
    starts: set[int] = set()
    for stream in exact:
        at = _places(stream, members)
        starts.add(int(at[0]))
        if stream.action == Action.WAIT:
            parity = stream.parity[np.isin(stream.barrier, members)]
            turns.update(at[1:][parity[1:] != parity[:-1]].tolist())
    if wrapped and len(turns) == 1 and turns == starts and turns != {0}:
        (first,) = turns
        members, turns = (*members[first:], *members[:first]), {0}
    return BarrierArray(members, wrapped, turns <= {0})


def could_go_on(facts: Facts, members: tuple[int, ...]) -> bool:
    """Whether there is a barrier beside them that nobody has used yet and that expects as many arrivals."""
    counts = {facts.barriers[place].count for place in members}
    return any(
        not barrier.used and barrier.count in counts and place not in members
        for place, barrier in enumerate(facts.barriers)
    )


def _longest(facts: Facts, first: int, taken: set[int]) -> tuple[int, ...]:
    """The longest array from `first` on, at one stride."""
    members: tuple[int, ...] = (first,)
    stride = 0
    for place in range(first + 1, len(facts.barriers)):
        step = facts.barriers[place].address - facts.barriers[members[-1]].address
        if stride and step > stride:
            break
        if place in taken or (stride and step != stride) or not _alike(facts, members, place):
            continue
        if not _used_in_turn(facts, (*members, place)):
            break
        members, stride = (*members, place), step
    return members


def _alike(facts: Facts, members: tuple[int, ...], place: int) -> bool:
    """Whether the barrier may be one of their array, by what it expects and what is known of its use so far."""
    return all(_two_alike(facts.barriers[member], facts.barriers[place]) for member in members)


def _two_alike(a: BarrierFacts, b: BarrierFacts) -> bool:
    if a.count != b.count:
        return False
    if a.landed != b.landed:
        late = b if a.landed else a  # nothing has come to it yet
        return late.first_parity in (0, None) and not late.committed
    return a.landed or None in (a.first_parity, b.first_parity) or a.first_parity == b.first_parity


def _used_in_turn(facts: Facts, members: tuple[int, ...]) -> bool:
    """Whether an agent uses them in order, over and over, and none that uses them much more often says otherwise."""
    last_is_used = facts.barriers[members[-1]].used
    longest = in_order = 0
    for stream in _deciding(facts, members):
        at = _places(stream, members)
        longest = max(longest, len(at))
        together = not last_is_used or (len(members) - 1 in at and len(members) - 2 in at)
        if together and len(at) and _in_order(at, len(members)):
            in_order = max(in_order, len(at))
    return in_order > 0 and 2 * in_order >= longest


def _deciding(facts: Facts, members: tuple[int, ...]) -> list[Stream]:
    """The streams that touch them; copies, of which there may be several to a stage, only of agents that expect none."""
    touching = [stream for stream in facts.streams if np.isin(stream.barrier, members).any()]
    expecting = {stream.agent for stream in touching if stream.action == Action.EXPECT}
    return [stream for stream in touching if stream.action != Action.COPY or stream.agent not in expecting]


def _places(stream: Stream, members: tuple[int, ...]) -> Ints:
    """The stages that the stream goes through."""
    stage = np.full(max(*members, int(stream.barrier.max())) + 1, -1, np.int64)
    stage[list(members)] = np.arange(len(members))
    at: Ints = stage[stream.barrier]
    return at[at >= 0]


def _in_order(at: Ints, stages: int) -> bool:
    return bool(((at[1:] - at[:-1]) % stages == 1 % stages).all())


def _by_instruction(facts: Facts, members: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Parts whose members are linked by instructions that use several of them, and by bytes that several expect.

    An instruction in a loop goes round an array, and its stages are of one size; barriers that share neither may be
    arrays of their own which happen to be used in turn.
    """
    used = [place for place in members if facts.barriers[place].used]
    by_site = _linked({place: {mark[:2] for mark in facts.barriers[place].marks} for place in used})
    sizes = {place: {mark[2] for mark in facts.barriers[place].marks if mark[2]} for place in used}
    by_size = _linked(sizes) if all(sizes.values()) else [set(used)]
    parts = [part for a in by_site for b in by_size if (part := a & b)]
    return [members] if len(parts) == 1 else [tuple(sorted(part)) for part in sorted(parts, key=min)]


def _linked(keys: dict[int, set[Any]]) -> list[set[int]]:
    """Barriers in parts: those that have a key in common, directly or through others."""
    parts: list[tuple[set[int], set[Any]]] = []
    for place, own in keys.items():
        linked = [part for part in parts if part[1] & own]
        parts = [part for part in parts if not part[1] & own]
        parts.append(({place}.union(*(part[0] for part in linked)), own.union(*(part[1] for part in linked))))
    return [part[0] for part in parts]
