"""What one CTA's barriers are for, found in its facts: rings, turns and roles, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.language import tr
from visualizer.recording.tables import AgentRole, BarrierKind
from visualizer.structure.barrier_arrays import BarrierArray, find_arrays, may_lack_a_stage, seem_one_array
from visualizer.structure.facts import Facts
from visualizer.structure.pairing import Pair, find_pairs
from visualizer.structure.turns import find_turns
from visualizer.structure.uses import Action

_ROUND_TWICE = 0.95  # the order of use and both partners agree
_ONE_SIDED = 0.8  # one of the two partners never used it as it should
_NO_EMPTY = 0.85
_SHARED = 0.85  # one empty barrier guards what several full ones load
_SINGLE = 0.75
_NOT_ROUND = 0.6  # the length of one of two arrays, or of both, rests on the other's
_NO_SITES = 0.8  # times this where instructions are not known, which tell apart rings that are used in step
_ODD_PARITY = 0.8  # times this where the parity of waits does not turn where the order of use does


@dataclass(frozen=True, slots=True)
class FoundRing:
    """A ring of one CTA; barriers are places in Facts, by stage."""

    full: tuple[tuple[int, ...], ...]  # several where a stage is loaded in parts
    empty: tuple[int, ...]  # (): none
    producers: frozenset[int]
    consumers: frozenset[int]
    committed: bool  # the tensor core fills it
    confidence: float
    why: str
    named: tuple[str, str] = ("", "")  # class and function that fill it, as the source has them; "": not known

    @property
    def places(self) -> tuple[int, ...]:
        """All its barriers."""
        return sum(self.full, ()) + self.empty


@dataclass(frozen=True, slots=True)
class CtaRings:
    """Everything found in one CTA."""

    rings: tuple[FoundRing, ...]  # by the first full barrier
    turns: tuple[tuple[int, ...], ...]
    roles: dict[int, AgentRole]  # of agents whose part is known

    def kinds(self, barriers: int) -> list[BarrierKind]:
        """By place."""
        kinds: list[BarrierKind] = ["other"] * barriers
        for ring in self.rings:
            for stage in ring.full:
                for place in stage:
                    kinds[place] = "full"
            for place in ring.empty:
                kinds[place] = "empty"
        for turn in self.turns:
            for place in turn:
                kinds[place] = "order"
        return kinds


def find_rings(facts: Facts) -> CtaRings:
    """What fits nothing is left out: an unknown barrier is better than a wrong one."""
    arrays = find_arrays(facts)
    turns = find_turns(facts, arrays)
    in_turns = {place for turn in turns for place in turn}
    arrays = [array for array in arrays if not in_turns & set(array.members)]
    pairs, rest = find_pairs(facts, arrays)
    rings = [_paired(facts, pair) for pair in pairs]
    rings += [ring for array in rest if (ring := _without_empty(facts, array)) is not None]
    known = in_turns.union(*(ring.places for ring in rings))
    stray = [place for place, barrier in enumerate(facts.barriers) if barrier.used and place not in known]
    rings = [
        ring
        for ring in rings
        if not any(_may_be_its_empty(facts, ring, place) or _may_be_a_stage(facts, ring, place) for place in stray)
    ]
    rings.sort(key=lambda ring: ring.full[0])
    return CtaRings(tuple(rings), tuple(turns), _roles(facts, rings))


def _paired(facts: Facts, pair: Pair) -> FoundRing:
    both = pair.evidence.producers and pair.evidence.consumers
    if not pair.proved:
        confidence, why = (
            _NOT_ROUND,
            tr("agents use these barriers one after the other; that no more belong to them is told by their partners"),
        )
    elif both:
        confidence, why = (
            _ROUND_TWICE,
            tr("agents go round these barriers in order: one waits for empty and fills, one waits for full and frees"),
        )
    else:
        confidence, why = (
            _ONE_SIDED,
            tr("agents go round these barriers in order, but only one side waits on them as it should"),
        )
    fulls, empty = pair.fulls, pair.empty
    if len(fulls) > 1:
        confidence, why = (
            _SHARED,
            tr("each stage is filled on {n} barriers after one wait for empty, and freed at once", n=len(fulls)),
        )
    return FoundRing(
        tuple(zip(*(full.members for full in fulls), strict=True)),
        empty.members,
        (empty.union(facts, "waiters") - facts.followers).union(*(full.union(facts, "fillers") for full in fulls)),
        empty.union(facts, "arrivers").union(*(full.union(facts, "waiters") for full in fulls)),
        any(_is_committed(facts, full) for full in fulls),
        confidence * _doubt(facts, empty.flips and all(full.flips for full in fulls)),
        why,
    )


def _without_empty(facts: Facts, array: BarrierArray) -> FoundRing | None:
    """A ring of full barriers alone: what guards its buffers is none of them, such as a bar.sync."""
    waiters = array.union(facts, "waiters")
    if not array.wrapped or not waiters or may_lack_a_stage(facts, array):
        return None
    if not array.landed(facts) and not (_is_committed(facts, array) and array.first_parity(facts) == 0):
        return None
    if len(array) == 1:
        confidence, why = (
            _SINGLE,
            tr("what it guards is loaded on this one barrier, and none says that it is free again"),
        )
    else:
        confidence, why = (
            _NO_EMPTY,
            tr("what they guard is loaded on these barriers in turn, and none says that a stage is free again"),
        )
    return FoundRing(
        tuple((place,) for place in array.members),
        (),
        array.union(facts, "fillers"),
        waiters,
        _is_committed(facts, array),
        confidence * _doubt(facts, array.flips),
        why,
    )


def _doubt(facts: Facts, flips: bool) -> float:
    return (1.0 if flips else _ODD_PARITY) * (1.0 if facts.sited else _NO_SITES)


def _may_be_its_empty(facts: Facts, ring: FoundRing, place: int) -> bool:
    """Whether an unexplained barrier is one on which its consumers arrive or its producers wait, and the ring has full
    barriers that no empty ones are known of alone."""
    if ring.empty and len(ring.full[0]) == 1:
        return False
    barrier = facts.barriers[place]
    return not barrier.landed and bool(barrier.arrivers & ring.consumers or barrier.waiters & ring.producers)


def _may_be_a_stage(facts: Facts, ring: FoundRing, place: int) -> bool:
    """Whether an unexplained barrier is used like one of the ring's by the same instructions: where the ring ends was
    told by neighbours that turned out to be none."""
    return any(seem_one_array(facts, facts.barriers[member], facts.barriers[place]) for member in ring.places)


def _is_committed(facts: Facts, array: BarrierArray) -> bool:
    return any(facts.barriers[place].committed for place in array.members)


def _roles(facts: Facts, rings: list[FoundRing]) -> dict[int, AgentRole]:
    """Who fills is a producer and who reads a consumer; who does both, and feeds the tensor core, is its warp."""
    fills = frozenset().union(*(ring.producers for ring in rings))
    reads = frozenset().union(*(ring.consumers for ring in rings))
    reads_loads = frozenset().union(*(ring.consumers for ring in rings if not ring.committed))
    commits = frozenset(stream.agent for stream in facts.streams if stream.action == Action.COMMIT)
    roles: dict[int, AgentRole] = {}
    for agent in fills | reads:
        if agent in commits:
            roles[agent] = "mma"
        elif agent in fills and agent in reads:
            continue
        elif agent in fills:
            roles[agent] = "producer"
        else:
            roles[agent] = "consumer" if agent in reads_loads else "epilogue"
    return roles
