"""What a query can ask of an event: every column with its type, its meaning and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from visualizer.language import mark
from visualizer.playback.query.events import NOTHING, Events, Selection
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.recording.tables import AgentRole, BarrierKind
from visualizer.replay.history import History, StageState
from visualizer.replay.stage_columns import STAGE_STATES

ColumnType = Literal["name", "number", "duration", "flag"]


@dataclass(frozen=True, slots=True)
class Column:
    """`read` gives the value at each selected event: ids into `names`, whole numbers, ps, or booleans.

    `titles`, by id as well: what people call what the recording has another name for. A value of `missing` means that
    the event has none. `cost` orders what is evaluated first.
    """

    name: str
    type: ColumnType
    help: str
    example: str
    read: Callable[[Events, Selection], NDArray[Any]]
    names: Callable[[History], Sequence[str]] | None = None
    titles: Callable[[History], Sequence[str]] | None = None
    missing: int = -1
    cost: int = 1


def called(column: Column, history: History) -> list[tuple[str, ...]]:
    """What each id of a column of names may be called: as people call it, and as the recording does; () for none."""
    names = column.names(history) if column.names is not None else ()
    titles = column.titles(history) if column.titles is not None else names
    return [tuple(dict.fromkeys(filter(None, pair))) for pair in zip(titles, names, strict=True)]


def _field(name: str) -> Callable[[Events, Selection], NDArray[Any]]:
    return lambda events, steps: events.field(name, steps)


def _flag(flag: EventFlag) -> Callable[[Events, Selection], NDArray[np.bool_]]:
    return lambda events, steps: (events.field("flags", steps) & flag) != 0


def _of_agent(value: Callable[[Any], Any]) -> Callable[[Events, Selection], NDArray[Any]]:
    """A value of the event's agent, looked up by its row."""
    return lambda events, steps: np.array([value(a) for a in events.trace.agents])[events.field("agent", steps)]


def _known_kinds(events: Events, steps: Selection) -> NDArray[np.int64]:
    """What the event's barrier is for, told or inferred, as an id into BARRIER_KINDS."""
    kinds = [BARRIER_KINDS.index(kind) for kind in events.history.structure.kinds]
    return np.array([*kinds, -1], np.int64).take(events.field("barrier", steps))


def _known_roles(events: Events, steps: Selection) -> NDArray[np.int64]:
    """The role of the event's agent, told or inferred, as an id into ROLES."""
    roles = [ROLES.index(role) for role in events.history.structure.roles]
    return np.array(roles, np.int64).take(events.field("agent", steps))


def _of_site(value: Callable[[Any], int]) -> Callable[[Events, Selection], NDArray[Any]]:
    return lambda events, steps: np.array([*(value(s) for s in events.trace.sites), -1])[events.field("site", steps)]


def _kinds(history: History) -> list[str]:
    known = set(EventKind)
    return [kind_name(kind) if kind in known else "" for kind in range(max(EventKind) + 1)]


ROLES: tuple[AgentRole, ...] = get_args(AgentRole)
BARRIER_KINDS: tuple[BarrierKind, ...] = get_args(BarrierKind)

COLUMNS = (
    Column(
        "kind",
        "name",
        mark("what happened: arrive, wait_end, phase_complete, copy_issue and so on"),
        "kind == phase_complete",
        lambda events, steps: events.kinds(steps),
        _kinds,
        cost=0,
    ),
    Column(
        "barrier",
        "name",
        mark("the mbarrier it happened on"),
        'barrier == "full[1]"',
        _field("barrier"),
        lambda history: [barrier.name for barrier in history.trace.barriers],
        lambda history: history.barrier_titles,
    ),
    Column(
        "barrier.kind",
        "name",
        mark("what the barrier is for: full, empty, order or other"),
        "barrier.kind == empty",
        _known_kinds,
        lambda history: BARRIER_KINDS,
    ),
    Column(
        "agent",
        "name",
        mark("the warp, or copy engine, that did it"),
        "agent == consumer.w1",
        _field("agent"),
        lambda history: [agent.name for agent in history.trace.agents],
        lambda history: history.agent_titles,
    ),
    Column(
        "role",
        "name",
        mark("the agent's role: producer, consumer, mma, epilogue, copy_engine, tensor_core or other"),
        "role == consumer",
        _known_roles,
        lambda history: ROLES,
    ),
    Column("cta", "number", mark("the CTA of the agent"), "cta == 0", _of_agent(lambda agent: agent.cta)),
    Column(
        "ring",
        "name",
        mark("the ring whose stage it concerns"),
        "ring == none",
        lambda events, steps: events.rings(steps),
        lambda history: history.structure.names,
        cost=2,
    ),
    Column("stage", "number", mark("the stage buffer"), "stage in 0..1", _field("stage")),
    Column("tile", "number", mark("the tile the agent was at"), "tile >= 4", _field("tile")),
    Column(
        "parity",
        "number",
        mark("the phase bit: the operand of a wait, or of the phase that completed"),
        "parity == 1",
        _field("parity"),
    ),
    Column(
        "amount",
        "number",
        mark("arrivals, bytes, the number of the completed phase, or a cursor's count"),
        "kind == arrive_expect_tx and amount >= 16384",
        _field("amount"),
        missing=NOTHING,
    ),
    Column(
        "step",
        "number",
        mark("the number of the event in the recording"),
        "step in 100..120",
        lambda events, steps: events.steps(steps),
        cost=0,
    ),
    Column(
        "time",
        "duration",
        mark("time from the first event, after reconciling"),
        "time < 2 us",
        _field("time"),
        missing=NOTHING,
    ),
    Column(
        "measured",
        "duration",
        mark("the time as the clock gave it"),
        "measured != time",
        _field("measured"),
        missing=NOTHING,
    ),
    Column(
        "op",
        "name",
        mark("CUTLASS's word for the operation in the source"),
        "op == producer_acquire",
        _field("site"),
        lambda history: [site.op for site in history.trace.sites],
    ),
    Column(
        "site",
        "name",
        mark("the line of the source, as FILE:LINE"),
        'site ~ "*:6?"',
        _field("site"),
        lambda history: [f"{site.file}:{site.line}" for site in history.trace.sites],
    ),
    Column("line", "number", mark("the line number alone"), "line > 100", _of_site(lambda site: site.line)),
    Column(
        "wait",
        "duration",
        mark("how long the wait took that ended, or gave up, here"),
        "wait > 500 ns",
        lambda events, steps: events.paired("waits", steps),
    ),
    Column(
        "copy",
        "duration",
        mark("how long the copy took that landed here"),
        "copy > 600 ns",
        lambda events, steps: events.paired("copies", steps),
    ),
    Column(
        "phase",
        "number",
        mark("the phase of the event's barrier after the event, counted from 0"),
        "phase == 2",
        lambda events, steps: events.barrier_state("phase", steps),
        missing=NOTHING,
        cost=3,
    ),
    Column(
        "pending",
        "number",
        mark("the arrivals that the event's barrier still waits for, after the event"),
        "pending < 64",
        lambda events, steps: events.barrier_state("pending", steps),
        missing=NOTHING,
        cost=3,
    ),
    Column(
        "expected",
        "number",
        mark("the arrivals per phase of the event's barrier"),
        "pending == expected",
        lambda events, steps: events.barrier_state("expected", steps),
        missing=NOTHING,
        cost=3,
    ),
    Column(
        "tx",
        "number",
        mark("the bytes that the event's barrier still waits for, after the event"),
        "tx > 0",
        lambda events, steps: events.barrier_state("tx", steps),
        missing=NOTHING,
        cost=3,
    ),
    Column(
        "stage.state",
        "name",
        mark("what the event's stage holds after the event: empty, filling, full or reading"),
        "stage.state == reading",
        lambda events, steps: events.stage_state(steps),
        lambda history: STAGE_STATES,
        cost=3,
    ),
    Column("blocked", "flag", mark("a wait ended that had to wait"), "blocked", _flag(EventFlag.BLOCKED)),
    Column(
        "derived",
        "flag",
        mark("the event was worked out from what agents saw; no record of it was logged"),
        "derived",
        _flag(EventFlag.DERIVED),
    ),
    Column(
        "estimated",
        "flag",
        mark("the time of the event is an estimate between two observations"),
        "not estimated",
        _flag(EventFlag.ESTIMATED),
    ),
    Column(
        "stage.overwritten_unread",
        "flag",
        mark("a copy goes into a stage whose last tile no consumer began to read"),
        "stage.overwritten_unread",
        lambda events, steps: events.overwrites((StageState.FILLING, StageState.FULL), steps),
    ),
    Column(
        "stage.overwritten_unreleased",
        "flag",
        mark("a copy goes into a stage that is being read and was not released"),
        "stage.overwritten_unreleased",
        lambda events, steps: events.overwrites((StageState.READING,), steps),
    ),
)

COLUMN_OF = {column.name: column for column in COLUMNS}
