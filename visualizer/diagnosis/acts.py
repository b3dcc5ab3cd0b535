"""What agents do, turn by turn, in a form in which one turn can be held against another.

A turn is what an agent does for one tile; where tiles are not noted, from one wait on its ring to the next. Of barriers
and stages it matters how far they lie from those of the turn, and of parities whether they go on as the turns before
had them. The acts are the program's operations, or without a program the events of the recording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from visualizer.diagnosis.program_steps import LEAVES, steps_of_operations
from visualizer.programs.operations import Advance, Delay, Exit, Operation
from visualizer.programs.program import Program
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.replay.history import History

_NO_ACTS = (EventKind.ADVANCE, EventKind.EXIT, EventKind.FENCE, EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE)
_ENDS = (
    EventKind.WAIT_END, EventKind.SYNC_END, EventKind.CLUSTER_WAIT_END, EventKind.WGMMA_WAIT_END,
    EventKind.STORE_WAIT_END, EventKind.TIMEOUT, EventKind.TEST_FAILED,
)  # fmt: skip
_TOLD_ELSEWHERE = ("barrier", "stage", "ring", "tile", "site", "source", "parity", "destinations")

Symbol = tuple[object, ...]
"""What two acts of different turns have in common if they are the same."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing an agent does. `step` is its event, -1 if it was not performed; `number` its place in the program."""

    kind: str  # as events spell it, "arrive_expect_tx"
    barrier: int
    ring: str | None  # None: of no ring
    stage: int  # there; -1: none
    parity: int
    amount: int  # bytes, or arrivals; -1: it has neither
    tile: int | None  # None: it never notes one
    site: int
    step: int
    number: int
    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent does for one tile."""

    agent: int
    tile: int
    acts: tuple[Act, ...]
    is_cut: bool  # the recording ends within it
    follows: Act | None  # the agent's next act after the turn


def turns_of(history: History, program: Program | None, agent: int) -> list[Turn]:
    """The agent's turns in order; none if it has no ring and notes no tiles."""
    acts = list(_of_program(history, program, agent) if program is not None else _of_events(history, agent))
    acts = _with_parities(history, _tiled(acts))
    ended = program is not None or bool((history.trace.events["agent"][history.kinds == EventKind.EXIT] == agent).any())
    turns: list[Turn] = []
    first = 0
    for at in range(1, len(acts) + 1):
        if at < len(acts) and acts[at].tile == acts[first].tile:
            continue
        tile, following = acts[first].tile, acts[at] if at < len(acts) else None
        if tile is not None and tile >= 0:
            is_cut = following is None and not ended
            turns.append(Turn(agent, tile, tuple(_placed(history, acts[first:at])), is_cut, following))
        first = at
    return turns


def _of_program(history: History, program: Program, agent: int) -> Iterator[Act]:
    steps = steps_of_operations(history, program, agent)
    name = history.trace.agents[agent].name
    for number, operation in enumerate(next((a.operations for a in program.agents if a.agent.name == name), ())):
        if isinstance(operation, Advance | Delay | Exit):
            continue
        kind = LEAVES.get(type(operation))
        rest = tuple((f.name, getattr(operation, f.name)) for f in fields(operation) if f.name not in _TOLD_ELSEWHERE)
        ctas = tuple(cta - history.trace.agents[agent].cta for _, cta in getattr(operation, "destinations", ()))
        ring, stage = _where(history, operation)
        yield Act(
            kind_name(kind) if kind is not None else type(operation).__name__.lower(),
            barrier=getattr(operation, "barrier", -1),
            ring=ring,
            stage=stage,
            parity=getattr(operation, "parity", -1),
            amount=getattr(operation, "bytes", getattr(operation, "count", -1)),
            tile=getattr(operation, "tile", None),
            site=getattr(operation, "site", -1),
            step=steps.get(number, -1),
            number=number,
            symbol=(type(operation).__name__, *_family(history, agent, getattr(operation, "barrier", -1)), *rest, ctas),
        )


def _where(history: History, operation: Operation) -> tuple[str | None, int]:
    """Ring and stage of an operation."""
    if (stage := getattr(operation, "stage", -1)) >= 0:
        return history.trace.rings[getattr(operation, "ring", 0)], stage
    return _of_barrier(history, getattr(operation, "barrier", -1))


def _of_barrier(history: History, row: int) -> tuple[str | None, int]:
    structure = history.structure
    if row < 0 or structure.place_of[row] < 0:
        return None, -1
    return structure.rings[structure.ring_of[row]].name, int(structure.stage_of[row])


def _of_events(history: History, agent: int) -> Iterator[Act]:
    events = history.trace.events
    mine = np.flatnonzero((events["agent"] == agent) & ~np.isin(history.kinds, [*_NO_ACTS, *_ENDS]))
    places = history.event_places.of(mine).tolist()
    for step, event, place in zip(mine.tolist(), events[mine], places, strict=True):
        kind, row = EventKind(int(event["kind"])), int(event["barrier"])
        if event["flags"] & EventFlag.SAME_COPY:
            continue
        ring, stage = _of_barrier(history, row)
        if place >= 0:
            ring, stage = history.structure.at(place)[0].name, history.structure.at(place)[1]
        amount = int(event["amount"]) if kind not in _WITHOUT_AMOUNT else -1
        yield Act(
            kind_name(kind),
            barrier=row,
            ring=ring,
            stage=stage,
            parity=int(event["parity"]) if kind == EventKind.WAIT_BEGIN else -1,
            amount=amount,
            tile=int(event["tile"]) if kind not in _WITHOUT_TILE else None,
            site=int(event["site"]),
            step=step,
            number=-1,
            symbol=(
                kind_name(kind),
                *_family(history, agent, row),
                amount,
                int(event["token"]) if _counts(kind) else 0,
            ),
        )


_WITHOUT_AMOUNT = (EventKind.WAIT_BEGIN, EventKind.READ_BEGIN, EventKind.READ_END)
_WITHOUT_TILE = (
    EventKind.READ_END, EventKind.SYNC_BEGIN, EventKind.SYNC_ARRIVE, EventKind.WGMMA_COMMIT, EventKind.WGMMA_WAIT_BEGIN,
    EventKind.STORE_COMMIT, EventKind.STORE_WAIT_BEGIN, EventKind.PROXY_FENCE, EventKind.CLUSTER_ARRIVE,
    EventKind.CLUSTER_WAIT_BEGIN,
)  # fmt: skip


def _counts(kind: EventKind) -> bool:
    """Whether the event's token is the id of a named barrier."""
    return kind in (EventKind.SYNC_BEGIN, EventKind.SYNC_ARRIVE)


def _family(history: History, agent: int, row: int) -> Symbol:
    """What a barrier has in common with that of other turns: its kind and ring, and whose CTA's it is."""
    if row < 0:
        return ("",)
    structure, barrier = history.structure, history.trace.barriers[row]
    kind = structure.kinds[row]
    away = barrier.cta - history.trace.agents[agent].cta
    ring = structure.rings[structure.ring_of[row]].name if structure.place_of[row] >= 0 else row
    return (kind, ring, away)


def _tiled(acts: list[Act]) -> list[Act]:
    """The acts with a tile each: what notes none belongs to what is before it, if that is of the same turn as what is
    after it. Where no act notes one, turns are counted from wait to wait."""
    if not any(act.tile is not None and act.tile >= 0 for act in acts):
        return _counted(acts)
    following: list[int] = []
    after = -1
    for act in reversed(acts):
        after = act.tile if act.tile is not None else after
        following.insert(0, after)
    tiled, before = [], -1
    for act, after in zip(acts, following, strict=True):
        if act.tile is None:
            act = replace(act, tile=before if after >= 0 or act.kind == "read_end" else -1)
        before = act.tile if act.tile is not None else -1
        tiled.append(act)
    return tiled


def _counted(acts: list[Act]) -> list[Act]:
    waits = [act.symbol for act in acts if act.kind == "wait_begin" and act.ring is not None]
    counted, turn = [], -1
    for act in acts:
        if waits and act.symbol == waits[0] and act.kind == "wait_begin":
            turn += 1
        counted.append(replace(act, tile=turn))
    return counted


def _with_parities(history: History, acts: list[Act]) -> list[Act]:
    """The acts, of each wait whether its parity goes on from the others on such barriers as the laps do."""
    last: dict[Symbol, tuple[int, int, int]] = {}
    laps: dict[int, tuple[Symbol, int]] = {}
    for at, act in enumerate(acts):
        if act.parity < 0:
            continue
        stage, parity, lap = last.get(act.symbol, (act.stage, act.parity, 0))
        if act.ring is None:
            goes_on = act.symbol not in last or act.parity != parity
            last[act.symbol] = (act.stage, act.parity, 0)
            acts[at] = replace(act, symbol=(*act.symbol, goes_on))
            continue
        if act.symbol in last:
            repeated = act.stage == stage and act.parity == parity and _several(history, act)
            lap += act.stage <= stage and not repeated
        last[act.symbol] = (act.stage, act.parity, lap)
        laps[at] = (act.symbol, act.parity ^ (lap & 1))
    usual = {s: Counter(p for t, p in laps.values() if t == s).most_common(1)[0][0] for s, _ in laps.values()}
    for at, (symbol, parity) in laps.items():
        acts[at] = replace(acts[at], symbol=(*symbol, parity == usual[symbol]))
    return acts


def _several(history: History, act: Act) -> bool:
    """Whether the act's ring has several stages."""
    return any(ring.name == act.ring and ring.stages > 1 for ring in history.structure.rings)


def _placed(history: History, acts: list[Act]) -> Iterator[Act]:
    """The acts of a turn, of each stage how far it lies from the turn's own."""
    stages = {ring.name: ring.stages for ring in history.structure.rings}
    at: dict[str, int] = {}
    for ring in {act.ring for act in acts if act.ring is not None}:
        at[ring] = base_of(acts, ring)
    for act in acts:
        away = (act.stage - at[act.ring]) % stages.get(act.ring, 1) if act.ring is not None and act.stage >= 0 else -1
        own, stage = _of_barrier(history, act.barrier)
        completes = (stage - at[own]) % stages.get(own, 1) if own is not None and own in at else -1
        yield replace(act, symbol=(*act.symbol, away, completes))


def base_of(acts: Sequence[Act], ring: str) -> int:
    """The turn's own stage of a ring: that of most of its acts there."""
    mine = [act.stage for act in acts if act.ring == ring and act.stage >= 0]
    return Counter(mine).most_common(1)[0][0] if mine else 0
