"""Lanes as trace viewers think of them: slices, instants, counters and flows. Perfetto and Chrome JSON share them.

Names are English in every language, so that queries over exported files hold. Columns throughout: a text is a code
into a list of texts, so that millions of rows stay a few arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct
from visualizer.diagnosis.arrived import numbered, parity_text
from visualizer.export.selection import Selection
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.replay.history import AgentActivity, History, Spans, StageState
from visualizer.replay.kinds import kind_mask
from visualizer.replay.phases import completions_before
from visualizer.views.timeline.lanes.lanes import Lane, copy_targets, target_title
from visualizer.views.timeline.lanes.wait_names import waited_for
from visualizer.views.timeline.shapes.copies import joined

Ints = NDArray[np.int64]

_TICK = 1  # ps
_KINDS = int(max(EventKind))
_SHOWN_AS_SLICES = kind_mask(
    EventKind.WAIT_BEGIN,
    EventKind.READ_BEGIN,
    EventKind.READ_END,
    EventKind.RANGE_BEGIN,
    EventKind.RANGE_END,
    EventKind.PHASE_COMPLETE,
)


@dataclass(frozen=True, eq=False)
class Slices:
    """What lasts, not overlapping, in order of start. `step`: the event each begins with. All shape (slices,)."""

    start: Ints  # ps
    end: Ints  # ps
    step: Ints
    text: Ints  # rows of texts
    texts: list[str]


@dataclass(frozen=True, eq=False)
class Instants:
    """What happens at a moment, in order of step; all shape (instants,)."""

    time: Ints  # ps
    step: Ints
    amount: Ints
    text: Ints  # rows of texts
    texts: list[str]


@dataclass(frozen=True, eq=False)
class Counter:
    """A number over time: `value` from each `time` (ps) on."""

    name: str  # "pending", "tx bytes"
    unit: str
    time: Ints
    value: Ints


@dataclass(frozen=True, eq=False)
class Track:
    """One lane; a copy engine's copies may overlap, so each stage has a track of its own."""

    lane: Lane
    title: str
    slices: Slices
    instants: Instants | None = None
    counters: tuple[Counter, ...] = ()


@dataclass(frozen=True, eq=False)
class Flows:
    """Blocked waits and what released them: the PHASE_COMPLETE, and the WAIT_END. Both shape (flows,), steps."""

    source: Ints
    target: Ints


def tracks(selection: Selection) -> Iterator[Track]:
    """The selection's lanes in drawing order, one at a time: thousands of them need not be in memory together."""
    history = selection.history
    for lane in selection.lanes:
        if lane.kind == "barrier":
            yield _barrier(selection, lane)
        elif lane.kind == "stage":
            yield Track(lane, lane.title, _slices(history.stage_spans(lane.row), selection, _stage_text))
        elif lane.kind == "agent":
            yield Track(lane, lane.title, _of_agent(selection, lane.row), _instants(selection, lane.row))
        else:
            yield from _copies(selection, lane)


def flows(selection: Selection) -> Flows:
    """Every blocked wait in the range that was released in it: the latest completion of the parity it waited for."""
    trace, barriers = selection.history.trace, selection.history.barriers
    events = trace.events[selection.first : selection.last + 1]
    blocked = (events["kind"] == EventKind.WAIT_END) & ((events["flags"] & EventFlag.BLOCKED) != 0)
    ends = np.flatnonzero(blocked & (events["barrier"] >= 0))
    target = ends + selection.first
    position = barriers.index.latest(events["barrier"][ends], target)
    source = barriers.index.step_at(completions_before(barriers, position, events["parity"][ends] & 1))
    found = source >= selection.first
    source, target = source[found], target[found]
    if not selection.all_lanes:
        chosen = {kind: {lane.row for lane in selection.lanes if lane.kind == kind} for kind in ("agent", "barrier")}
        kept = np.isin(trace.events["barrier"][target], list(chosen["barrier"]))
        kept &= np.isin(trace.events["agent"][target], list(chosen["agent"]))
        source, target = source[kept], target[kept]
    return Flows(source, target)


def _of_agent(selection: Selection, agent: int) -> Slices:
    history = selection.history
    spans = history.agent_spans(agent)
    if len(spans):  # of thousands of agents most may have done nothing
        # Two events at one tick (a wait passes, the read begins) have no work between them.
        spans = spans.keep((spans.state != AgentActivity.RUNNING) | (spans.end - spans.start > _TICK))
        # A wait for anything but an mbarrier is told by its kind: numbers beyond those of the barriers.
        other = (spans.barrier < 0) & (spans.state == AgentActivity.WAITING)
        beyond = len(history.trace.barriers) + history.kinds[spans.first_step].astype(np.int32)
        # A range is told by its site: numbers beyond those.
        site = history.trace.events["site"][spans.first_step].astype(np.int32)
        named = len(history.trace.barriers) + _KINDS + 1 + site
        ranges = spans.state == AgentActivity.IN_RANGE
        spans = replace(spans, barrier=np.select([other, ranges], [beyond, named], spans.barrier).astype(np.int32))
    return _slices(spans, selection, _agent_text(history))


def _slices(spans: Spans, selection: Selection, text_of: Callable[[int, int, int], str]) -> Slices:
    """The spans that touch the selection, cut at its ends; `text_of(state, tile, barrier)` names them."""
    spans = spans.keep((spans.end >= selection.begin) & (spans.start <= selection.end))
    key = (spans.state.astype(np.int64) << 56) + (spans.barrier.astype(np.int64) + 1 << 32) + spans.tile + 1
    unique = distinct(key)
    parts = [(value >> 56, (value & 0xFFFFFFFF) - 1, (value >> 32 & 0xFFFFFF) - 1) for value in unique.tolist()]
    return Slices(
        np.maximum(spans.start, selection.begin),
        np.minimum(spans.end, selection.end),
        spans.first_step,
        unique.searchsorted(key),
        [text_of(*part) for part in parts],
    )


def _agent_text(history: History) -> Callable[[int, int, int], str]:
    def text(state: int, tile: int, barrier: int) -> str:
        of_tile = f" (tile {tile})" if tile >= 0 else ""
        count = len(history.trace.barriers)
        if state == AgentActivity.IN_RANGE:
            return history.trace.op_of(barrier - count - _KINDS - 1) or "range"
        other = waited_for(barrier - count) if barrier >= count else "?"
        name = history.barrier_title(barrier) if 0 <= barrier < count else other
        if state == AgentActivity.WAITING:
            return f"waits {name}{of_tile}"
        if state == AgentActivity.TIMED_OUT:
            return f"gave up on {name}{of_tile}"
        if state == AgentActivity.READING:
            return f"reads tile {tile}" if tile >= 0 else "reads"
        return f"runs{of_tile}"

    return text


def _stage_text(state: int, tile: int, barrier: int) -> str:
    name = StageState(state).name.lower()
    return f"{name} (tile {tile})" if tile >= 0 else name


def _instants(selection: Selection, agent: int) -> Instants:
    """The agent's events that are not the beginning or end of a slice; a blocked wait's end, for flows to end at."""
    history = selection.history
    _, steps = history.agents.acts.between(agent, selection.first, selection.last + 1)
    events = history.trace.events[steps]
    passed_at_once = (events["kind"] == EventKind.WAIT_END) & ((events["flags"] & EventFlag.BLOCKED) == 0)
    keep = ~_SHOWN_AS_SLICES[events["kind"]] & ~passed_at_once
    steps, events = steps[keep], events[keep]
    key = (events["kind"].astype(np.int64) << 32) + events["barrier"] + 1
    unique = distinct(key)
    texts = [_instant_text(history, value >> 32, (value & 0xFFFFFFFF) - 1) for value in unique.tolist()]
    time, amount = events["time"].astype(np.int64), events["amount"].astype(np.int64)
    return Instants(time, steps, amount, unique.searchsorted(key), texts)


def _instant_text(history: History, kind: int, barrier: int) -> str:
    name = f" {history.barrier_title(barrier)}" if barrier >= 0 else ""
    return f"released by{name}" if kind == EventKind.WAIT_END else f"{kind_name(kind)}{name}"


def _copies(selection: Selection, lane: Lane) -> Iterator[Track]:
    history = selection.history
    spans = history.copy_spans(lane.cta)
    targets = copy_targets(history, spans)
    for target in distinct(targets).tolist():
        title = f"{lane.title} to {target_title(history, target)}"
        yield Track(lane, title, _slices(joined(spans.keep(targets == target)), selection, _copy_text))


def _copy_text(state: int, tile: int, barrier: int) -> str:
    return f"copies tile {tile}" if tile >= 0 else "copies"


def _barrier(selection: Selection, lane: Lane) -> Track:
    curve = selection.history.barrier_curve(lane.row)
    changes = np.ones(len(curve.phase), bool)
    changes[1:] = curve.phase[1:] != curve.phase[:-1]
    start, number, step = curve.time[changes], curve.phase[changes].astype(np.int64), curve.step[changes]
    end = np.append(start[1:], selection.history.trace.duration_ps)[: len(start)]
    touch = (end >= selection.begin) & (start <= selection.end)
    start, end = np.maximum(start[touch], selection.begin), np.minimum(end[touch], selection.end)
    number = number[touch]
    texts = distinct(number)
    names = [f"phase {numbered(n, curve.counting)} (parity {parity_text(n, curve.counting)})" for n in texts.tolist()]
    first = int(np.searchsorted(curve.time, selection.begin, side="right")) - 1
    last = int(np.searchsorted(curve.time, selection.end, side="right"))
    rows = slice(max(first, 0), last)
    time = np.maximum(curve.time[rows], selection.begin)
    counters = (
        Counter("pending", "arrivals", time, curve.pending[rows].astype(np.int64)),
        Counter("tx", "bytes", time, curve.tx[rows].astype(np.int64)),
    )
    return Track(lane, lane.title, Slices(start, end, step[touch], texts.searchsorted(number), names), None, counters)
