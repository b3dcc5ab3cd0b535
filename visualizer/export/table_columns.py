"""The events as columns for tables: names instead of row numbers, and the barrier's state after each event.

CSV writes them as text; .npz keeps them as numbers with lists of names, which is what Parquet, Arrow and data frames
call a dictionary or categorical column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.export.selection import Selection
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.replay.history import History


@dataclass(frozen=True, eq=False)
class Column:
    """One column, shape (rows,). `names`: what the values 0, 1, .. stand for; `sparse`: -1 (or `missing`) is none."""

    name: str
    values: NDArray[Any]
    names: tuple[str, ...] | None = None
    missing: NDArray[np.bool_] | None = None  # where there is no value; None: -1 says so if the column is sparse
    sparse: bool = False

    def none(self, rows: slice) -> NDArray[np.bool_]:
        """Where among `rows` there is no value."""
        if self.missing is not None:
            return self.missing[rows]
        none: NDArray[np.bool_] = np.zeros(len(self.values[rows]), bool)
        if self.sparse:
            none |= self.values[rows] < 0
        return none


def table_columns(selection: Selection) -> list[Column]:
    """The chosen events, a row each, in order of step. Times in ps; docs/export.md says what each column holds."""
    history, rows = selection.history, selection.rows
    trace = history.trace
    events = trace.events[selection.first : selection.last + 1] if selection.all_lanes else trace.events[rows]
    sites = trace.sites
    cta = trace.agent_cta[events["agent"]]
    flags = events["flags"]
    # A ring without a name is none to tell of: there is one only.
    named = (events["stage"] >= 0) & np.array([bool(ring) for ring in trace.rings])[events["ring"]]
    columns = [
        Column("step", rows),
        Column("time_ps", events["time"]),
        Column("measured_ps", events["measured"]),
        Column("kind", events["kind"], _kind_names()),
        Column("agent", events["agent"], tuple(agent.name for agent in trace.agents)),
        Column("cta", cta),
        Column("barrier", events["barrier"], tuple(barrier.name for barrier in trace.barriers), sparse=True),
        Column("stage", events["stage"], sparse=True),
        Column("tile", events["tile"], sparse=True),
        Column("parity", events["parity"], sparse=True),
        Column("amount", events["amount"]),
        Column("token", events["token"], missing=(flags & EventFlag.HAS_TOKEN) == 0),
    ]
    for flag in (EventFlag.BLOCKED, EventFlag.DERIVED, EventFlag.ESTIMATED):
        columns.append(Column(str(flag.name).lower(), ((flags & flag) != 0).astype(np.uint8)))
    columns += _barrier_state(history, rows)
    columns += [
        Column("file", events["site"], tuple(site.file for site in sites), sparse=True),
        Column("line", np.array([site.line for site in sites] + [-1])[events["site"]], sparse=True),
        Column("op", events["site"], tuple(site.op for site in sites), sparse=True),
        Column("ring", np.where(named, events["ring"].astype(np.int16), -1), tuple(trace.rings), sparse=True),
        Column("barrier_title", events["barrier"], history.barrier_titles, sparse=True),
    ]
    return columns


def _kind_names() -> tuple[str, ...]:
    known = set(EventKind)
    return tuple(kind_name(kind) if kind in known else "" for kind in range(max(EventKind) + 1))


def _barrier_state(history: History, rows: NDArray[np.int64]) -> list[Column]:
    """phase, pending, expected, tx of the event's barrier after it, where the event changes a barrier."""
    barriers = history.barriers
    place = np.full(history.steps, -1, np.int64)
    place[barriers.index.keys % history.steps] = np.arange(len(barriers.index))
    place = place[rows]
    missing = place < 0
    named = {"phase": barriers.phase, "pending": barriers.pending, "expected": barriers.expected, "tx": barriers.tx}
    return [
        Column(name, values[place] if len(values) else np.zeros(len(rows), np.int32), missing=missing)
        for name, values in named.items()
    ]
