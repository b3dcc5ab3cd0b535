"""Value change dump (IEEE 1364): the recording as waveforms for GTKWave, Surfer and other hardware people's viewers.

A scope per CTA and in it one per lane; a barrier has phase, parity, pending and tx as signals, an agent its activity,
tile and cursor, a stage what it holds. One unit is one picosecond. A signal has one value per time: of several changes
within one picosecond the last is kept.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct
from visualizer.export.errors import needed
from visualizer.export.selection import Selection
from visualizer.export.writing import CHUNK_ROWS, Writing
from visualizer.language import mark, tr
from visualizer.recording.schema import EventKind
from visualizer.replay.history import AgentActivity, Spans
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.structure.titles import barrier_name
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.lanes.text import own_name

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Signal:
    """One waveform: `value` from each `time` (ps, ascending) on. `names` makes it a text: value -> name."""

    scope: str
    name: str
    time: Ints
    value: Ints
    bits: int = 32
    names: dict[int, str] | None = None


def write_vcd(selection: Selection, writing: Writing) -> None:
    """The selection as one VCD file. ExportError if pyvcd is not installed."""
    vcd = needed("vcd", "pyvcd", mark("VCD files"))
    text = io.TextIOWrapper(writing.file, "ascii", errors="replace")
    trace = selection.history.trace
    # A $end in it would end it.
    program = trace.meta.program.replace("$", "S")
    comment = f"phasescope: {program}, ended: {trace.meta.ending.kind}{_recorded_names(selection)}"
    with vcd.VCDWriter(text, timescale="1 ps", comment=comment, init_timestamp=selection.begin) as writer:
        variables, parts = [], []
        for number, signal in enumerate(signals(selection)):
            kind, size = ("string", None) if signal.names else (("wire", 1) if signal.bits == 1 else ("integer", 32))
            shown = _values(signal)
            variables.append(writer.register_var(signal.scope, signal.name, kind, size, init=shown[0]))
            time, value = signal.time[1:], np.array(shown[1:], object)
            parts.append((time, np.full(len(time), number), value))
        time, which, value = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(time, kind="stable")
        time, which, value = time[order], which[order], value[order]
        for first in range(0, len(time), CHUNK_ROWS):
            chunk = slice(first, first + CHUNK_ROWS)
            for at, row, shown in zip(time[chunk].tolist(), which[chunk].tolist(), value[chunk], strict=True):
                writer.change(variables[row], at, shown)
            writing.reached((first + CHUNK_ROWS) / len(time), tr("writing waveforms"))
        writer.close(selection.end)
    text.detach()  # the file is not ours to close


def signals(selection: Selection) -> Iterator[Signal]:
    """Every waveform of the chosen lanes, its first row at the selection's beginning; pure."""
    for lane, scope in zip(selection.lanes, _scopes(selection), strict=True):
        if lane.kind == "barrier":
            yield from _barrier(selection, lane, scope)
        elif lane.kind == "agent":
            yield from _agent(selection, lane, scope)
        elif lane.kind == "stage":
            spans = selection.history.stage_spans(lane.row)
            yield _clipped(selection, scope, "state", spans.start, spans.state.astype(np.int64), names=_STATE_NAMES)
            yield _clipped(selection, scope, "tile", spans.start, _tile(spans.tile))
        else:
            yield _in_flight(selection, lane, scope)


def _scopes(selection: Selection) -> list[str]:
    """What each lane's scope is called; of two names that differ in signs only, the second gets its lane's number."""
    several, scopes, taken = selection.history.trace.ctas > 1, list[str](), set[str]()
    for number, lane in enumerate(selection.lanes):
        scope = (f"cta{lane.cta}." if several else "") + _identifier(lane.title)
        scopes.append(f"{scope}_lane{number}" if scope in taken else scope)
        taken.add(scopes[-1])
    return scopes


def _recorded_names(selection: Selection) -> str:
    """Of barriers whose scope tells what they are for: the addresses by which the recording knows them, a line each."""
    scopes = zip(selection.lanes, _scopes(selection), strict=True)
    return "".join(f"\n{scope}: {own}" for lane, scope in scopes if (own := own_name(lane)))


def _barrier(selection: Selection, lane: Lane, scope: str) -> Iterator[Signal]:
    curve = selection.history.barrier_curve(lane.row)
    yield _clipped(selection, scope, "phase", curve.time, curve.phase.astype(np.int64))
    yield _clipped(selection, scope, "parity", curve.time, curve.phase.astype(np.int64) & 1, bits=1)
    yield _clipped(selection, scope, "pending", curve.time, curve.pending.astype(np.int64))
    yield _clipped(selection, scope, "tx", curve.time, curve.tx.astype(np.int64))


def _agent(selection: Selection, lane: Lane, scope: str) -> Iterator[Signal]:
    history, trace = selection.history, selection.history.trace
    spans = history.agent_spans(lane.row)
    time, state, tile = _until_left(selection, lane, spans)
    yield _clipped(selection, scope, "activity", time, state, names=_activity_names(selection, state))
    yield _clipped(selection, scope, "tile", time, _tile(tile))
    agent = trace.agents[lane.row]
    for ring, start in ((trace.rings[0], agent.start), *agent.more_starts):
        if start is None:
            continue
        row = trace.rings.index(ring)
        moves = trace.events[history.agents.advances.steps(row * len(trace.agents) + lane.row)]
        at = np.append(0, moves["time"])
        # The first ring's cursor has no ring's name, as where there is one only.
        title = f"cursor_{_identifier(ring)}" if row else "cursor"
        for name, column, first in (("index", "stage", start.index), ("phase", "parity", start.phase)):
            value = np.append(first, moves[column]).astype(np.int64)
            yield _clipped(selection, scope, f"{title}_{name}", at, value, bits=1 if column == "parity" else 32)


def _activity_names(selection: Selection, state: Ints) -> dict[int, str]:
    """Activity and, for a wait, its barrier: "waiting_full_0"; activities alone stand below 256. Barriers that `state`
    has alone are named: of many agents each waits on few."""
    names = dict(_ACTIVITIES)
    trace, structure = selection.history.trace, selection.history.structure
    for row in distinct((state >> 8) - 1).tolist():
        if row < 0:
            continue
        title = _identifier(barrier_name(trace, structure, row))
        for activity in (AgentActivity.WAITING, AgentActivity.TIMED_OUT):
            names[(row + 1 << 8) + activity] = f"{activity.name.lower()}_{title}"
    return names


def _until_left(selection: Selection, lane: Lane, spans: Spans) -> tuple[Ints, Ints, Ints]:
    """Time, activity and tile of each span, from "not started" before the first to "exited" after the last."""
    state = spans.state.astype(np.int64) + (spans.barrier.astype(np.int64) + 1 << 8)
    time, tile = spans.start.astype(np.int64), spans.tile.astype(np.int64)
    time, state = np.append(0, time), np.append(int(AgentActivity.NOT_STARTED), state)
    tile = np.append(-1, tile)
    history = selection.history
    last = history.agents.last_deciding(history.kinds, lane.row)
    if last >= 0 and history.kinds[last] == EventKind.EXIT:
        time = np.append(time, history.trace.events["time"][last])
        state, tile = np.append(state, int(AgentActivity.EXITED)), np.append(tile, -1)
    return time, state, tile


def _in_flight(selection: Selection, lane: Lane, scope: str) -> Signal:
    copies = selection.history.copies
    time = selection.history.trace.events["time"][copies.traffic.steps(lane.cta)]
    flying = copies.in_flight[copies.traffic.rows(lane.cta)].astype(np.int64)
    return _clipped(selection, scope, "copies_in_flight", np.append(0, time), np.append(0, flying))


def _clipped(
    selection: Selection,
    scope: str,
    name: str,
    time: Ints,
    value: Ints,
    bits: int = 32,
    names: dict[int, str] | None = None,
) -> Signal:
    """The signal within the selection: its value at the beginning, then each change, one per picosecond."""
    last_of_time = np.ones(len(time), bool)
    last_of_time[:-1] = time[1:] != time[:-1]
    time, value = time[last_of_time], value[last_of_time]
    before = int(time.searchsorted(selection.begin, side="right")) - 1
    stop = int(time.searchsorted(selection.end, side="right"))
    first = value[before] if before >= 0 else _UNKNOWN
    time = np.concatenate(([selection.begin], time[before + 1 : stop]))
    value = np.concatenate(([first], value[before + 1 : stop]))
    changes = np.ones(len(value), bool)
    changes[1:] = value[1:] != value[:-1]
    return Signal(scope, name, time[changes], value[changes], bits, names)


def _tile(tile: NDArray[np.integer]) -> Ints:
    return np.where(tile < 0, _NONE, tile.astype(np.int64))


_STATE_NAMES = dict(enumerate(STAGE_STATES))
_ACTIVITIES = {int(activity): activity.name.lower() for activity in AgentActivity}
_UNKNOWN, _NONE = -(1 << 40), -(1 << 41)
"""No value: the barrier is not initialised yet (x); there is no tile (z). Counts may be negative, but not so much."""


def _values(signal: Signal) -> list[Any]:
    """The values as pyvcd takes them."""
    if signal.names is not None:
        return [signal.names.get(value, "x") for value in signal.value.tolist()]
    letters = {_UNKNOWN: "x", _NONE: "z"}
    return [letters.get(value, value) for value in signal.value.tolist()]


def _identifier(name: str) -> str:
    """full[0] -> full_0: brackets would be read as a range of bits, dots as levels of the hierarchy."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "lane"
