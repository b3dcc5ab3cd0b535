"""What an agent does cut into turns, so that one turn can be held against another.

A turn is what an agent does for one tile; where tiles are not noted, from one wait on its ring to the next. Of barriers
and stages it matters how far they lie from those of the turn, and of parities whether they go on as the turns before
had them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from visualizer.diagnosis.turns.acts import Act, Symbol, acts_of_events, acts_of_program, place_of_barrier
from visualizer.programs.program import Program
from visualizer.replay.history import History


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent does for one tile, or at its end for one stage."""

    agent: int
    number: int  # of the tile; of those behind the last tile they go on
    tile: int  # -1: behind the last
    acts: tuple[Act, ...]
    is_cut: bool  # the recording ends within it
    follows: Act | None  # the agent's next act after the turn
    bases: Mapping[str, int]  # ring -> the stage that the turn is on


Word = tuple[Symbol, ...]
"""What two turns have in common if they are the same."""


def word_of(turn: Turn) -> Word:
    return tuple(act.symbol for act in turn.acts)


@dataclass(frozen=True, slots=True)
class Turns:
    """An agent's turns in order: those for its tiles, and those behind the last, as a producer's tail has them."""

    tiles: tuple[Turn, ...] = ()
    tail: tuple[Turn, ...] = ()


def turns_of(history: History, program: Program | None, agent: int, within: range | None = None) -> Turns:
    """The agent's turns, of these steps only if they are given; none if it has no ring and notes no tiles."""
    within = range(history.steps) if within is None else within
    if program is not None:
        acts = _tiled(list(acts_of_program(history, program, agent, within)))
    else:
        acts = _tiled(list(acts_of_events(history, agent, within)))
    ended = (program is not None or agent in history.left) and within.stop == history.steps
    found: list[Turn] = []
    first = 0
    for at in range(1, len(acts) + 1):
        if at < len(acts) and acts[at].tile == acts[first].tile:
            continue
        number, following = acts[first].tile, acts[at] if at < len(acts) else None
        if number is not None and number >= 0:
            own = tuple(acts[first:at])
            is_tail = any(act.is_behind for act in own)
            is_cut = following is None and not ended
            found.append(Turn(agent, number, -1 if is_tail else number, own, is_cut, following, {}))
        first = at
    # Of the first turn something may be before these steps.
    found = _with_bases(history, _with_parities(history, found[1:] if within.start else found))
    return Turns(tuple(t for t in found if t.tile >= 0), tuple(t for t in found if t.tile < 0))


def _tiled(acts: list[Act]) -> list[Act]:
    """The acts with the number of a turn each; -1: of none. What notes no tile belongs to what is before it, if that is
    of the same turn as what is after it. Where no act notes one, turns are counted from wait to wait, and so are those
    behind the last tile."""
    last = max((at for at, act in enumerate(acts) if act.tile is not None and act.tile >= 0), default=-1)
    if last < 0:
        return _counted(acts, -1)
    tiled: list[Act] = []
    for at, act in enumerate(acts[: last + 1]):
        if act.tile is None:
            following = next(other.tile for other in acts[at:] if other.tile is not None)
            before = tiled[-1].tile if tiled else -1
            act = replace(act, tile=before if following >= 0 else -1)
        tiled.append(act)
    while last + 1 < len(acts) and acts[last + 1].kind == "read_end":
        last += 1
        tiled.append(replace(acts[last], tile=tiled[-1].tile))
    most = max(act.tile for act in tiled if act.tile is not None)
    return [*tiled, *(replace(act, is_behind=True) for act in _counted(acts[last + 1 :], most))]


def _counted(acts: list[Act], turn: int) -> list[Act]:
    """The acts, numbered from the turn after `turn` on; those before the first wait are of none."""
    waits = [act.symbol for act in acts if act.kind == "wait_begin" and act.ring is not None]
    counted, before = [], turn
    for act in acts:
        if waits and act.symbol == waits[0] and act.kind == "wait_begin":
            turn += 1
        counted.append(replace(act, tile=turn if turn > before else -1))
    return counted


def _with_parities(history: History, turns: list[Turn]) -> list[Turn]:
    """The turns, of each wait whether its parity goes on from the others on such barriers as the laps do. Barriers
    that belong to no stage complete once in a turn."""
    last: dict[Symbol, tuple[int, int, int]] = {}
    laps: list[tuple[Symbol, int]] = []
    for at, act in ((at, act) for at, turn in enumerate(turns) for act in turn.acts if act.parity >= 0):
        stage, parity, lap = last.get(act.symbol, (act.stage, act.parity, 0))
        if act.ring is None:
            lap = at
        elif act.symbol in last:
            repeated = act.stage == stage and act.parity == parity and _several(history, act)
            lap += act.stage <= stage and not repeated
        last[act.symbol] = (act.stage, act.parity, lap)
        laps.append((act.symbol, act.parity ^ (lap & 1)))
    votes: defaultdict[Symbol, Counter[int]] = defaultdict(Counter)
    for symbol, parity in laps:
        votes[symbol][parity] += 1
    usual = {symbol: counts.most_common(1)[0] for symbol, counts in votes.items()}
    told = iter(laps)
    found = []
    for turn in turns:
        acts = []
        for act in turn.acts:
            if act.parity >= 0:
                symbol, parity = next(told)
                value, times = usual[symbol]
                # Where most do not agree, parities follow another rule than the laps.
                fits = parity == value or 3 * times < 2 * votes[symbol].total()
                act = replace(act, symbol=(*act.symbol, fits))
            acts.append(act)
        found.append(replace(turn, acts=tuple(acts)))
    return found


def _several(history: History, act: Act) -> bool:
    """Whether the act's ring has several stages."""
    return any(ring.name == act.ring and ring.stages > 1 for ring in history.structure.rings)


def _with_bases(history: History, turns: list[Turn]) -> list[Turn]:
    """The turns with the stages that they are on, and of each act how far from these its stage and its barrier's lie.

    A turn is on the stage of most of its acts. If it is not the one that comes next and the turn after it goes on as if
    it had been, it is taken to be on that: the acts are elsewhere then.
    """
    stages = {ring.name: ring.stages for ring in history.structure.rings}
    bases: list[dict[str, int]] = [
        {ring: _most_used(turn.acts, ring) for ring in {act.ring for act in turn.acts if act.ring is not None}}
        for turn in turns
    ]
    for ring in {ring for one in bases for ring in one}:
        own = [at for at, one in enumerate(bases) if ring in one]
        ways = Counter((bases[b][ring] - bases[a][ring]) % stages.get(ring, 1) for a, b in pairwise(own))
        if not ways or 2 * ways.most_common(1)[0][1] < len(own) - 1:
            continue
        way = ways.most_common(1)[0][0]
        for before, at, after in zip(own, own[1:], [*own[2:], -1], strict=False):
            due = (bases[before][ring] + way) % stages.get(ring, 1)
            if after >= 0 and bases[at][ring] != due and bases[after][ring] == (due + way) % stages.get(ring, 1):
                bases[at][ring] = due
            if after < 0 and len(own) > 2 and turns[at].tile < 0:
                bases[at][ring] = due
    found = []
    for turn, own_bases in zip(turns, bases, strict=True):

        def away(place: tuple[str | None, int], base: Mapping[str, int] = own_bases) -> int:
            ring, stage = place
            return (
                (stage - base[ring]) % stages.get(ring, 1) if ring is not None and ring in base and stage >= 0 else -1
            )

        acts = [
            replace(a, symbol=(*a.symbol, away((a.ring, a.stage)), away(place_of_barrier(history, a.barrier))))
            for a in turn.acts
        ]
        found.append(replace(turn, acts=tuple(acts), bases=own_bases))
    return found


def _most_used(acts: Sequence[Act], ring: str) -> int:
    mine = [act.stage for act in acts if act.ring == ring and act.stage >= 0]
    return Counter(mine).most_common(1)[0][0] if mine else 0
