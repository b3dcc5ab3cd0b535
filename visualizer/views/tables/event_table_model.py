"""The event table as plain data: its columns, and the text of any one cell, straight from the numpy events.

No row object is ever made, so four million events cost nothing until a cell is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.arrived import numbered
from visualizer.language import mark, tr
from visualizer.recording.schema import CP_ASYNC_ARRIVALS, PS_PER_US, EventFlag, EventKind, kind_name
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import History
from visualizer.views.tables.cells import Cell, Column

COLUMNS = (
    Column("step", mark("step"), mark("number of the event in the recording"), True, "0000000"),
    Column("time", mark("time"), mark("time from the first event, after reconciling"), True, "00000.000 µs"),
    Column("agent", mark("agent"), mark("the warp, or copy engine (tma), that did it"), False, "consumer.w1"),
    Column("kind", mark("kind"), mark("what happened"), False, "arrive_expect_tx"),
    Column("barrier", "barrier", mark("the mbarrier it happened on, or the named barrier (bar)"), False, "empty[0]"),
    Column("stage", "stage", mark("stage buffer"), True, "stage"),
    Column("tile", "tile", mark("tile the agent was at"), True, "00000"),
    Column(
        "parity", "parity", mark("phase bit: the operand of a wait, or of the phase that completed"), True, "parity"
    ),
    Column(
        "amount",
        mark("amount"),
        mark("arrivals, bytes, threads, registers, groups to keep, the completed phase #k, or a cursor's count"),
        True,
        "16384 B",
    ),
    Column("site", mark("site"), mark("operation and source line"), False, "consumer_release :000"),
)

_BYTE_KINDS = {
    EventKind.EXPECT_TX,
    EventKind.ARRIVE_EXPECT_TX,
    EventKind.COMPLETE_TX,
    EventKind.COPY_ISSUE,
    EventKind.COPY_DONE,
    EventKind.WRITE,
    EventKind.MMA_ISSUE,
}
_COUNT_KINDS = {
    EventKind.INIT,
    EventKind.ARRIVE,
    EventKind.ARRIVE_DROP,
    EventKind.TENSOR_COMMIT,
    *CP_ASYNC_ARRIVALS,
}
_SYNC_KINDS = {EventKind.SYNC_BEGIN, EventKind.SYNC_END, EventKind.SYNC_ARRIVE}
_GROUP_WAITS = {
    EventKind.WGMMA_WAIT_BEGIN,
    EventKind.WGMMA_WAIT_END,
    EventKind.STORE_WAIT_BEGIN,
    EventKind.STORE_WAIT_END,
}
_REGISTER_KINDS = {EventKind.SETMAXNREG_DEC, EventKind.SETMAXNREG_INC_BEGIN, EventKind.SETMAXNREG_INC_END}


def time_text(ps: int) -> str:
    """A time for people, in the unit that the transport bar has, to the nanosecond: "8.346 µs"."""
    return f"{ps / PS_PER_US:.3f} µs"


def amount_text(kind: int, amount: int, counting: Counting = Counting.INIT) -> str:
    """The amount with what it counts: "16384 B", "x32" arrivals, "#4" for a phase, "count 5" for a cursor."""
    if kind in _SYNC_KINDS:
        return tr("{amount} threads", amount=amount) if amount > 0 else tr("the CTA")
    if kind in _GROUP_WAITS:
        return tr("keep {amount}", amount=amount)
    if kind in _REGISTER_KINDS:
        return tr("{amount} registers", amount=amount)
    if kind in _BYTE_KINDS:
        return f"{amount} B"
    if kind in _COUNT_KINDS:
        return f"x{amount}"
    if kind == EventKind.PHASE_COMPLETE:
        return f"#{numbered(amount, counting)}"
    if kind == EventKind.ADVANCE:
        return tr("count {amount}", amount=amount)
    return ""


def _amount(history: History, step: int, event: np.void) -> str:
    barrier = int(event["barrier"])
    counting = history.barriers.counts_from(barrier) if barrier >= 0 else Counting.INIT
    return amount_text(int(event["kind"]), int(event["amount"]), counting)


def cell_text(history: History, step: int, column: str) -> str:
    """The text of one cell; "" where the event has no such value."""
    return _CELLS[column](history, step, history.trace.events[step])


class EventRows:
    """The CellSource of the event table: every event, or those a filter left."""

    def __init__(self, history: History, steps: NDArray[np.int64] | None = None) -> None:
        """`steps`: ascending steps to show; None shows all."""
        self._history = history
        self.trace = trace = history.trace
        self.steps = steps
        names = {
            "agent": max((agent.name for agent in trace.agents), key=len, default=""),
            "barrier": max(map(history.barrier_title, range(len(trace.barriers))), key=len, default=""),
        }
        self.columns = tuple(replace(column, widest=names.get(column.key, column.widest)) for column in COLUMNS)

    def rows(self) -> int:
        return len(self.trace) if self.steps is None else len(self.steps)

    def cell(self, row: int, column: int) -> Cell:
        step = self.step_of(row)
        return Cell(cell_text(self._history, step, COLUMNS[column].key), step=step)

    def step_of(self, row: int) -> int:
        return row if self.steps is None else int(self.steps[row])

    def row_of(self, step: int) -> int | None:
        """The row that shows a step; None if the filter hides it."""
        if self.steps is None:
            return step
        row = self.row_near(step)
        return row if row < len(self.steps) and self.steps[row] == step else None

    def row_near(self, step: int) -> int:
        """The first row at or after a step; the number of rows if there is none."""
        return step if self.steps is None else int(np.searchsorted(self.steps, step))


def _site_text(history: History, row: int) -> str:
    if row < 0:
        return ""
    site = history.trace.sites[row]
    return f"{site.op} :{site.line}"


def _kind_text(event: np.void) -> str:
    name = kind_name(int(event["kind"]))
    return tr("{name} blocked", name=name) if int(event["flags"]) & EventFlag.BLOCKED else name


def _barrier_text(history: History, event: np.void) -> str:
    """What people call the mbarrier, or "bar 1" for a named barrier, which is no mbarrier."""
    if int(event["kind"]) in _SYNC_KINDS:
        return f"bar {int(event['token'])}"
    return history.barrier_title(int(event["barrier"])) if event["barrier"] >= 0 else ""


def _time_cell(event: np.void) -> str:
    text = time_text(int(event["time"]))
    return f"~{text}" if int(event["flags"]) & EventFlag.ESTIMATED else text


def _or_blank(value: int) -> str:
    return "" if value < 0 else str(value)


_CELLS: dict[str, Callable[[History, int, np.void], str]] = {
    "step": lambda history, step, event: str(step),
    "time": lambda history, step, event: _time_cell(event),
    "agent": lambda history, step, event: history.trace.agents[int(event["agent"])].name,
    "kind": lambda history, step, event: _kind_text(event),
    "barrier": lambda history, step, event: _barrier_text(history, event),
    "stage": lambda history, step, event: _or_blank(int(event["stage"])),
    "tile": lambda history, step, event: _or_blank(int(event["tile"])),
    "parity": lambda history, step, event: _or_blank(int(event["parity"])),
    "amount": _amount,
    "site": lambda history, step, event: _site_text(history, int(event["site"])),
}
