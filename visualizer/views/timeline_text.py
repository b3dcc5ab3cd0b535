"""What the timeline says in words: each lane's value at the focus, and what is under the pointer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from visualizer.diagnosis.wording import state_word
from visualizer.language import tr, trn
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState, State
from visualizer.views.lanes import Lane
from visualizer.views.timeline_intervals import LEAST_PIXELS, Intervals, rows_in_view
from visualizer.views.timeline_lanes import STUCK, LaneStore
from visualizer.views.timeline_samples import sample_text
from visualizer.views.timeline_scale import View, format_time

WIDEST_VALUE = "phase #888 (0) · 96/96 · 16384 B"
"""A text as wide as the value column has to be."""

_ACTIVITY_ROLES = {
    AgentActivity.RUNNING: "running",
    AgentActivity.WAITING: "waiting",
    AgentActivity.READING: "reading",
    AgentActivity.TIMED_OUT: "error",
}


@dataclass(frozen=True, slots=True)
class Value:
    """A lane's value at the focus, and the Paint role of its swatch ("" for none)."""

    text: str
    role: str


def lane_value(store: LaneStore, state: State, lane: Lane) -> Value:
    """What the lane is at, right after the focused event."""
    trace = store.history.trace
    if lane.kind == "agent":
        value = _agent_value(trace, state, lane.row)
        return Value(tr("stuck: {text}", text=value.text), "error") if store.is_stuck(lane, state.step) else value
    if lane.kind == "copy":
        return _copy_value(store.history, state, lane)
    if lane.kind == "cta":
        return _cta_value(trace, state, lane.cta)
    if lane.kind == "stage":
        stage, tile = StageState(int(state.stage_state[lane.row])), int(state.stage_tile[lane.row])
        name = stage.name.lower()
        word = state_word(name)
        return Value(f"{word} · tile {tile}" if tile >= 0 else word, name)
    return _barrier_value(state, lane.row)


def _agent_value(trace: Trace, state: State, row: int) -> Value:
    activity = AgentActivity(int(state.agent_activity[row]))
    role = _ACTIVITY_ROLES.get(activity, "")
    barrier, tile, stage = int(state.agent_barrier[row]), int(state.agent_tile[row]), int(state.agent_stage[row])
    if barrier >= 0:
        verb = tr("gave up on") if activity == AgentActivity.TIMED_OUT else tr("waiting")
        name = trace.barriers[barrier].name_in_cta
        return Value(f"{verb} {name} p{int(state.agent_parity[row])}", role)
    name = state_word(activity.name.lower()).replace("_", " ")
    if activity == AgentActivity.READING and stage >= 0:
        return Value(tr("reading stage[{stage}] · tile {tile}", stage=stage, tile=tile), role)
    return Value(f"{name} · tile {tile}" if role and tile >= 0 else name, role)


def _cta_value(trace: Trace, state: State, cta: int) -> Value:
    """How many of the CTA's warps do what."""
    counts = _activity_counts(trace, state)[cta]
    shown = (AgentActivity.TIMED_OUT, AgentActivity.WAITING, AgentActivity.READING, AgentActivity.RUNNING)
    parts = [
        f"{counts[activity]} {state_word(activity.name.lower()).replace('_', ' ')}"
        for activity in shown
        if counts[activity]
    ]
    role = "error" if counts[AgentActivity.TIMED_OUT] else ""
    return Value(" · ".join(parts) or tr("idle"), role)


@lru_cache(maxsize=2)
def _activity_counts(trace: Trace, state: State) -> list[list[int]]:
    """How many warps of each CTA are in each AgentActivity: for all CTAs at once, as each is asked for."""
    kinds = len(AgentActivity)
    warps = [agent.role != "copy_engine" for agent in trace.agents]
    cell = (trace.agent_cta * kinds + state.agent_activity)[warps]
    return np.bincount(cell, minlength=trace.ctas * kinds).reshape(-1, kinds).tolist()


def _copy_value(history: History, state: State, lane: Lane) -> Value:
    if state.agent_activity[lane.row] != AgentActivity.RUNNING:
        return Value(tr("idle"), "")
    places = history.structure.places_of(lane.cta)
    filling = np.flatnonzero(state.stage_state[places] == StageState.FILLING)
    tiles = sorted({int(tile) for tile in state.stage_tile[places][filling] if tile >= 0})
    if not tiles:
        return Value(tr("copying"), "tma")
    shown = ", ".join(map(str, tiles))
    return Value(trn("copying tile {tiles}", "copying tiles {tiles}", len(tiles), tiles=shown), "tma")


def _barrier_value(state: State, row: int) -> Value:
    if not state.barrier_valid[row]:
        return Value(tr("not initialised"), "")
    phase, tx = int(state.barrier_phase[row]), int(state.barrier_tx[row])
    counts = f"{int(state.barrier_pending[row])}/{int(state.barrier_expected[row])}"
    return Value(f"phase #{phase} ({phase & 1}) · {counts} · {tx} B", "phase_odd" if phase & 1 else "phase_even")


def hover_note(store: LaneStore, lane: Lane, view: View, x: float, sub_row: float) -> list[str]:
    """Lines about what is under pixel `x` of a lane; `sub_row` (0..1) is how far down the lane the pointer is."""
    time = view.time(x)
    if lane.kind == "barrier":
        return _barrier_note(store, lane, view, x)
    if lane.kind == "cta":
        return _cta_note(store, lane, view, x)
    intervals = _row_at(store, lane, sub_row)
    if intervals is None:
        return [lane.title]
    spans = intervals.spans
    column = replace(view, start=view.time(np.floor(x)), width=1)
    rows = rows_in_view(spans, column)
    count = rows.stop - rows.start
    narrow = bool((spans.end[rows] - spans.start[rows] < LEAST_PIXELS * view.ps_per_px).any())
    if count > 1 and narrow:
        return [tr("{title} · {count} intervals folded", title=lane.title, count=count), *_shares(intervals, column)]
    row = int(np.searchsorted(spans.start, time, side="right")) - 1
    if row < 0 or spans.end[row] < time:
        return [
            tr("{title} · not running", title=lane.title)
            if lane.kind == "agent"
            else tr("{title} · idle", title=lane.title)
        ]
    texts = intervals.texts(row) or [tr("running")]
    begin, end = int(spans.start[row]), int(spans.end[row])
    if spans.state[row] == STUCK:
        return [f"{lane.title} · {texts[0]}", tr("since {time}", time=format_time(begin))]
    return [
        f"{lane.title} · {texts[0]}",
        tr(
            "{length} · from {begin} to {end}",
            length=format_time(end - begin),
            begin=format_time(begin),
            end=format_time(end),
        ),
    ]


def _cta_note(store: LaneStore, lane: Lane, view: View, x: float) -> list[str]:
    summary = store.summary(lane)
    edges = view.column_edges(int(x), int(x))
    named = zip(summary.mix.states, summary.mix.columns(edges).share[:, 0].tolist(), strict=True)
    shares = [f"{share:.0%} {state_word(summary.roles[state])}" for state, share in named if share]
    flips = int(np.diff(summary.flips.searchsorted(edges))[0])
    return [tr("{title} · {flips} phases complete", title=lane.title, flips=flips), " · ".join(shares) or tr("idle")]


def _row_at(store: LaneStore, lane: Lane, sub_row: float) -> Intervals | None:
    if lane.kind != "copy":
        return store.intervals(lane)
    rows = store.copies(lane).rows
    return rows[min(int(sub_row * len(rows)), len(rows) - 1)] if rows else None


def _shares(intervals: Intervals, column: View) -> list[str]:
    shares = intervals.mix.columns(column.column_edges(0, 0)).share[:, 0].tolist()
    named = zip(intervals.mix.states, shares, strict=True)
    parts = [f"{share:.0%} {state_word(intervals.roles[state])}" for state, share in named if share]
    return [" · ".join(parts)] if parts else []


def _barrier_note(store: LaneStore, lane: Lane, view: View, x: float) -> list[str]:
    data = store.barrier(lane)
    flips = int(data.mix.columns(view.column_edges(int(x), int(x))).begun.sum())
    if flips > 1:
        return [tr("{title} · {flips} phases folded", title=lane.title, flips=flips)]
    row = int(np.searchsorted(data.curve.time, view.time(x), side="right")) - 1
    if row < 0:
        return [tr("{title} · not initialised", title=lane.title)]
    curve = data.curve
    phase, pending, expected = int(curve.phase[row]), int(curve.pending[row]), int(curve.expected[row])
    at = int(np.searchsorted(data.number, phase))
    length = format_time(int(data.end[at] - data.start[at]))
    sampled = sample_text(store.samples(lane), view.time(x))
    return [
        tr(
            "{title} · phase #{phase} (parity {parity}) · {length}",
            title=lane.title,
            phase=phase,
            parity=phase & 1,
            length=length,
        ),
        tr(
            "{pending} of {expected} arrivals pending · {tx} B outstanding",
            pending=pending,
            expected=expected,
            tx=int(curve.tx[row]),
        ),
        *([sampled] if sampled else []),
    ]
