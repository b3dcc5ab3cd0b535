"""The barrier table as plain data: one row per barrier with its counts, what this step changed, and who waits on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.diagnosis.arrived import arrived_of, landed_at, number_of, parity_of
from visualizer.diagnosis.wording import commas
from visualizer.language import mark, tr
from visualizer.replay.history import AgentActivity, History, State
from visualizer.views.tables.cells import Cell, Column
from visualizer.views.words.context import FEW_BARRIERS, cta_at, cta_barriers, join_names, short_name

COLUMNS = (
    Column("name", "barrier", mark("the mbarrier"), False, "empty[0]"),
    Column(
        "phase",
        "phase",
        mark(
            "phases completed since init: the barrier is in phase #k; #?+k where the recording begins in the middle,"
            " after an even number of phases that is not known"
        ),
        True,
        "#00000",
    ),
    Column("parity", "parity", mark("the phase bit, k & 1, that waits are tested against"), True, "parity"),
    Column("arrived", mark("arrived"), mark("arrivals that are in, of those this phase takes"), True, "* 96/96"),
    Column("landed", mark("landed"), mark("bytes that are in, of those expected so far"), True, "* 16/16 KiB"),
    Column(
        "waiting",
        mark("waiting agents"),
        mark("who waits on it, with the parity of the wait"),
        False,
        "w1 w2 w3 (parity 0)",
    ),
)
CHANGE_MARK = "*"


class BarrierRows:
    """The CellSource of the barrier table at one step: the focused event's CTA, or all CTAs when barriers are few."""

    def __init__(self, history: History, step: int) -> None:
        trace = history.trace
        self.trace = trace
        self.barriers = (
            list(range(len(trace.barriers)))
            if len(trace.barriers) <= FEW_BARRIERS
            else cta_barriers(trace, cta_at(trace, step))
        )
        self._titles = [history.barrier_title(row) for row in self.barriers]
        longest = max(self._titles, key=len, default="")
        self.columns = (replace(COLUMNS[0], widest=longest), *COLUMNS[1:])
        self._history, self._step = history, step
        self._waiting = _waiting(history, history.state_at(step), self.barriers)

    def rows(self) -> int:
        return len(self.barriers)

    def row_of(self, name: str | None) -> int | None:
        """The row of the barrier called `name`; None if it is not shown."""
        names = [self.trace.barriers[barrier].name for barrier in self.barriers]
        return names.index(name) if name in names else None

    def lane(self, row: int) -> str:
        """The lane key of a row's barrier."""
        return self.trace.barriers[self.barriers[row]].name

    def cell(self, row: int, column: int) -> Cell:
        barrier, key = self.barriers[row], COLUMNS[column].key
        if key == "name":
            return Cell(self._titles[row])
        if key == "waiting":
            text, gave_up = self._waiting.get(barrier, ("", False))
            return Cell(text, "error" if gave_up else "waiting" if text else "")
        text = _count_text(self._history, barrier, self._step, key)
        before = _count_text(self._history, barrier, self._step - 1, key) if self._step > 0 else text
        changed = text != before
        return Cell(
            f"{CHANGE_MARK} {text}" if changed else text, "changed" if changed else "", hint=self._hint(barrier)
        )

    def _hint(self, barrier: int) -> str:
        """What the barrier itself counts."""
        now = self._history.barrier_at(barrier, self._step)
        return tr("pending {pending}, tx {tx} bytes", pending=now.pending, tx=now.tx) if now.valid else ""


def _count_text(history: History, barrier: int, step: int, key: str) -> str:
    now = history.barrier_at(barrier, step)
    if not now.valid:
        return "-"
    if key == "phase":
        return f"#{number_of(now)}"
    if key == "parity":
        return parity_of(now)
    return arrived_of(now) if key == "arrived" else landed_at(history, barrier, step).text


def _waiting(history: History, state: State, barriers: list[int]) -> dict[int, tuple[str, bool]]:
    """Barrier row -> who waits on it with which parity, and whether any of them gave up; of these barriers only."""
    groups: dict[int, dict[tuple[int, bool], list[str]]] = {}
    for row in np.flatnonzero(np.isin(state.agent_barrier, barriers)).tolist():
        wait = (int(state.agent_parity[row]), int(state.agent_activity[row]) == AgentActivity.TIMED_OUT)
        waits = groups.setdefault(int(state.agent_barrier[row]), {})
        waits.setdefault(wait, []).append(short_name(history.trace.agents[row]))
    return {
        barrier: (
            commas([_waits(names, parity, gave_up) for (parity, gave_up), names in waits.items()]),
            any(gave_up for _, gave_up in waits),
        )
        for barrier, waits in groups.items()
    }


def _waits(names: list[str], parity: int, gave_up: bool) -> str:
    if gave_up:
        return tr("{names} (parity {parity}, gave up)", names=join_names(names), parity=parity)
    return f"{join_names(names)} (parity {parity})"
