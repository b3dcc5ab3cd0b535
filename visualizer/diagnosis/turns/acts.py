"""What agents do, in a form in which one act can be held against another: the program's operations, or without a
program the events of the recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.program_steps import first_event, steps_of_operations
from visualizer.programs.operations import Advance, Delay, Exit, Operation
from visualizer.programs.program import Program
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

_NO_ACTS = (EventKind.ADVANCE, EventKind.EXIT, EventKind.FENCE, EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE)
_ENDS = (
    EventKind.WAIT_END, EventKind.SYNC_END, EventKind.CLUSTER_WAIT_END, EventKind.WGMMA_WAIT_END,
    EventKind.STORE_WAIT_END, EventKind.TIMEOUT, EventKind.TEST_FAILED,
)  # fmt: skip
_TOLD_ELSEWHERE = ("barrier", "stage", "ring", "tile", "site", "source", "parity", "destinations")

Symbol = tuple[object, ...]
"""What two acts of different turns have in common if they are the same."""


class Ranks(tuple[int, ...]):
    """In a symbol: the CTAs that the act has to do with, counted from its agent's own. CTAs of a cluster that do the
    same differ here."""


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
    ctas: int = 1  # that a multicast copy goes to
    is_behind: bool = False  # it comes after the last tile


def acts_of_program(history: History, program: Program, agent: int, within: range) -> Iterator[Act]:
    """Those performed in these steps, and where they reach to the end those that were to come."""
    steps = steps_of_operations(history, program, agent)
    begun, last = within.start, max(steps, default=-1)  # what leaves no event is where the operation before was
    name = history.trace.agents[agent].name
    for number, operation in enumerate(next((a.operations for a in program.agents if a.agent.name == name), ())):
        begun = steps.get(number, begun)
        at_hand = begun in within if number in steps or number < last else within.stop == history.steps
        if isinstance(operation, Advance | Delay | Exit) or not at_hand:
            continue
        kind = first_event(operation)
        reads = kind == EventKind.READ_BEGIN  # how much of a stage an agent reads is its share, which may be uneven
        left_out = _TOLD_ELSEWHERE + (("bytes", "work") if reads else ())
        rest = tuple((f.name, getattr(operation, f.name)) for f in fields(operation) if f.name not in left_out)
        ctas = Ranks(cta - history.trace.agents[agent].cta for _, cta in getattr(operation, "destinations", ()))
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
            ctas=max(len(ctas), 1),
        )


def _where(history: History, operation: Operation) -> tuple[str | None, int]:
    """Ring and stage of an operation."""
    if (stage := getattr(operation, "stage", -1)) >= 0:
        return history.trace.rings[getattr(operation, "ring", 0)], stage
    return place_of_barrier(history, getattr(operation, "barrier", -1))


def place_of_barrier(history: History, row: int) -> tuple[str | None, int]:
    structure = history.structure
    if row < 0 or structure.place_of[row] < 0:
        return None, -1
    return structure.rings[structure.ring_of[row]].name, int(structure.stage_of[row])


def acts_of_events(history: History, agent: int, within: range) -> Iterator[Act]:
    """Those of these steps."""
    events = history.trace.events
    mine = np.flatnonzero(events["agent"][within.start : within.stop] == agent) + within.start
    mine = mine[~np.isin(history.kinds[mine], [*_NO_ACTS, *_ENDS])]
    places = history.event_places.of(mine).tolist()
    gave_up = np.flatnonzero((events["agent"] == agent) & (history.kinds == EventKind.TIMEOUT))
    if len(gave_up):
        mine = mine[mine < gave_up[0]]  # what comes after a wait that gave up is no part of the program
    firsts = np.append(np.flatnonzero(events["flags"][mine] & EventFlag.SAME_COPY == 0), len(mine))
    lanes = _with_lanes_before(history, mine)
    # A copy's further destinations come right behind it.
    for at, ctas in zip(firsts[:-1].tolist(), np.diff(firsts).tolist(), strict=True):
        step, event, place = int(mine[at]), events[mine[at]], places[at]
        kind, row = EventKind(int(event["kind"])), int(event["barrier"])
        ring, stage = place_of_barrier(history, row)
        if place >= 0:
            ring, stage = history.structure.at(place)[0].name, history.structure.at(place)[1]
        if lanes[at]:
            continue
        amount = int(event["amount"]) if kind not in _WITHOUT_AMOUNT else -1
        further = at + 1
        while further < len(mine) and lanes[further]:
            amount += int(events["amount"][mine[further]])
            further += 1
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
                ctas,
            ),
            ctas=ctas,
        )


def _with_lanes_before(history: History, mine: Steps) -> NDArray[np.bool_]:
    """Which of these events are arrivals of lanes of the same instruction as the event before: it completed a phase,
    and the others' arrivals count for the next."""
    events = history.trace.events
    same = np.zeros(len(mine), bool)
    if len(mine) < 2:
        return same
    before, after = mine[:-1], mine[1:]
    arrives = (history.kinds[before] == EventKind.ARRIVE) & (history.kinds[after] == EventKind.ARRIVE)
    between = (after - before == 2) & (
        history.kinds[np.minimum(before + 1, len(events) - 1)] == EventKind.PHASE_COMPLETE
    )
    at_once = (events["time"][before] == events["time"][after]) | (history.trace.meta.source.get("kind") == "explorer")
    alike = (events["barrier"][before] == events["barrier"][after]) & (events["site"][before] == events["site"][after])
    same[1:] = arrives & between & at_once & alike
    return same


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
    """What a barrier has in common with that of other turns: its kind and ring, or where it lies in shared memory, and
    whose CTA's it is."""
    if row < 0:
        return ("",)
    structure, barrier = history.structure, history.trace.barriers[row]
    away = Ranks((barrier.cta - history.trace.agents[agent].cta,))
    alone = barrier.offset if barrier.offset >= 0 else row
    ring = structure.rings[structure.ring_of[row]].name if structure.place_of[row] >= 0 else alone
    return (structure.kinds[row], ring, away)
