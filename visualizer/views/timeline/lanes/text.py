"""What the timeline says in words: each lane's value at the focus, and what is under the pointer.

A `*_value` is of a State; a `*_note` is the lines about pixel `x` of a view.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from visualizer.diagnosis.arrived import arrived_of, bytes_of, landed_of, number_of, numbered, parity_of, parity_text
from visualizer.diagnosis.wording import state_word
from visualizer.language import tr, trn
from visualizer.recording.tables import without_cta
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import AgentActivity, History, StageState, State
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.structure.model import TOLD
from visualizer.views.timeline.lanes.lane_store import STUCK, LaneStore
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.shapes.intervals import LEAST_PIXELS, Intervals, rows_in_view
from visualizer.views.timeline.shapes.samples import sample_text
from visualizer.views.timeline.time.scale import View, format_time
from visualizer.views.words.context import parity_paint

WIDEST_VALUE = "phase #888 (0) · 96/96 · 16384 B"
"""A text as wide as the value column has to be."""

_MOST_NAMES = 4  # of warps, in a note

_COUNTED = tuple(
    (int(activity), activity.name.lower())
    for activity in (
        AgentActivity.TIMED_OUT,
        AgentActivity.WAITING,
        AgentActivity.READING,
        AgentActivity.IN_RANGE,
        AgentActivity.RUNNING,
    )
)
"""The activities that are told of several warps, and their names."""
_ACTIVITY_ROLES = {
    AgentActivity.RUNNING: "running",
    AgentActivity.IN_RANGE: "running",
    AgentActivity.WAITING: "waiting",
    AgentActivity.READING: "reading",
    AgentActivity.TIMED_OUT: "error",
}


@dataclass(frozen=True, slots=True)
class Value:
    """A lane's value at the focus, and the Paint role of its swatch ("" for none)."""

    text: str
    role: str


def said_title(lane: Lane, with_cta: bool = False) -> str:
    """The lane's title; of a group of warps and of a ring also how much it holds."""
    title = lane.name if with_cta else lane.title
    if lane.kind == "warps":
        return f"{title} ×{lane.size}"
    if lane.kind == "ring" and lane.row >= 0:
        return trn("{ring}: {count} stage", "{ring}: {count} stages", lane.size, ring=title, count=lane.size)
    return title


def own_name(lane: Lane) -> str:
    """What the recording calls a barrier, its address, where the lane is called by what it is for; otherwise ""."""
    own = without_cta(lane.key)
    return own if lane.kind == "barrier" and own != lane.title else ""


def agent_value(store: LaneStore, state: State, lane: Lane) -> Value:
    """What an agent does, and on which tile; that it is stuck, once it waits for what never comes."""
    value = _activity_value(store, state, lane.row)
    return Value(tr("stuck: {text}", text=value.text), "error") if store.is_stuck(lane, state.step) else value


def stage_value(state: State, lane: Lane) -> Value:
    """What a stage buffer holds."""
    name, tile = STAGE_STATES[state.stage_state[lane.row]], int(state.stage_tile[lane.row])
    word = state_word(name)
    return Value(f"{word} · tile {tile}" if tile >= 0 else word, name)


def _activity_value(store: LaneStore, state: State, row: int) -> Value:
    activity = AgentActivity(int(state.agent_activity[row]))
    role = _ACTIVITY_ROLES.get(activity, "")
    barrier, tile, stage = int(state.agent_barrier[row]), int(state.agent_tile[row]), int(state.agent_stage[row])
    if barrier >= 0:
        verb = tr("gave up on") if activity == AgentActivity.TIMED_OUT else tr("waiting")
        name = store.barrier_titles[barrier]
        return Value(f"{verb} {name} p{int(state.agent_parity[row])}", role)
    name = state_word(activity.name.lower())
    if activity == AgentActivity.IN_RANGE:
        name = store.history.trace.op_of(int(state.agent_site[row])) or name
    if activity == AgentActivity.READING and stage >= 0 and tile < 0:
        return Value(tr("reading stage[{stage}]", stage=stage), role)
    if activity == AgentActivity.READING and stage >= 0:
        return Value(tr("reading stage[{stage}] · tile {tile}", stage=stage, tile=tile), role)
    return Value(f"{name} · tile {tile}" if role and tile >= 0 else name, role)


def cta_value(store: LaneStore, state: State, lane: Lane) -> Value:
    """How many of a CTA's warps do what."""
    nobody = [0] * len(AgentActivity)
    counts = store.at_state(state, lambda state: _activity_counts(store, state))
    return _counts_value(store, state, lane, counts.get(lane.cta, nobody))


def warps_value(store: LaneStore, state: State, lane: Lane) -> Value:
    """How many of a group's warps do what."""
    rows = [one.row for one in store.members[lane.key]]
    counts = np.bincount(state.agent_activity[rows], minlength=len(AgentActivity)).tolist()
    return _counts_value(store, state, lane, counts)


def _counts_value(store: LaneStore, state: State, lane: Lane, counts: list[int]) -> Value:
    """`counts`: how many warps are in each AgentActivity."""
    parts = [f"{counts[activity]} {state_word(name)}" for activity, name in _COUNTED if counts[activity]]
    text = " · ".join(parts) or tr("idle")
    stuck = store.summary(lane).stuck
    if len(stuck) and (stuck <= state.step).any():
        return Value(tr("stuck: {text}", text=text), "error")
    return Value(text, "error" if counts[AgentActivity.TIMED_OUT] else "")


def ring_value(store: LaneStore, state: State, lane: Lane) -> Value:
    """How many of the ring's stages are in which state."""
    places = [one.row for one in store.members[lane.key] if one.kind == "stage"]
    counts = np.bincount(state.stage_state[places], minlength=len(StageState)).tolist()
    parts = [f"{count} {state_word(name)}" for count, name in zip(counts, STAGE_STATES, strict=True) if count]
    return Value(" · ".join(parts), "")


def _activity_counts(store: LaneStore, state: State) -> dict[int, list[int]]:
    """How many warps of each CTA that has agents are in each AgentActivity: for all at once, as each is asked for. (A
    grid may have a million CTAs of which few are recorded.)"""
    kinds = len(AgentActivity)
    ctas, place = store.agent_ctas
    cell = np.delete(place * kinds + state.agent_activity, store.history.engine_rows)
    counts = np.bincount(cell, minlength=len(ctas) * kinds).reshape(-1, kinds)
    return dict(zip(ctas.tolist(), counts.tolist(), strict=True))


def copy_value(history: History, state: State, lane: Lane) -> Value:
    """Which tiles a copy engine is bringing."""
    if state.agent_activity[lane.row] != AgentActivity.RUNNING:
        return Value(tr("idle"), "")
    places = history.structure.places_of(lane.cta)
    filling = np.flatnonzero(state.stage_state[places] == StageState.FILLING)
    tiles = sorted({int(tile) for tile in state.stage_tile[places][filling] if tile >= 0})
    if not tiles:
        return Value(tr("copying"), "tma")
    shown = ", ".join(map(str, tiles))
    return Value(trn("copying tile {tiles}", "copying tiles {tiles}", len(tiles), tiles=shown), "tma")


def barrier_value(history: History, row: int, change: int) -> Value:
    """The barrier's phase and parity, and how much of what it waits for has come, after its latest change as
    State.barrier_change tells it."""
    now = history.barriers.after(row, change)
    if not now.valid:
        return Value(tr("not initialised"), "")
    if now.counting == Counting.NOTHING:
        return Value(tr("phase not known"), "")
    landed = landed_of(now).text if history.structure.kinds[row] != "empty" else ""
    text = " · ".join(filter(None, (f"phase #{number_of(now)} ({parity_of(now)})", arrived_of(now), landed)))
    return Value(text, parity_paint(now))


def intervals_note(lane: Lane, intervals: Intervals, view: View, x: float, between: str) -> list[str]:
    """Of one row of a lane; `between` is said where no interval is."""
    time = view.time(x)
    spans = intervals.spans
    column = replace(view, start=view.time(np.floor(x)), width=1)
    rows = rows_in_view(spans, column)
    count = rows.stop - rows.start
    narrow = bool((spans.end[rows] - spans.start[rows] < LEAST_PIXELS * view.ps_per_px).any())
    if count > 1 and narrow:
        return [tr("{title} · {count} intervals folded", title=lane.title, count=count), *_shares(intervals, column)]
    row = int(np.searchsorted(spans.start, time, side="right")) - 1
    if row < 0 or spans.end[row] < time:
        return [between]
    texts = intervals.texts(row) or [tr("running")]
    begin, end = int(spans.start[row]), int(spans.end[row])
    if spans.state[row] == STUCK:
        return [f"{lane.title} · {texts[0]}", tr("since {time}", time=format_time(begin))]
    return [
        f"{lane.title} · {texts[0]}",
        tr(
            "{length} · from {begin} to {end}",
            length=format_time(end - begin),
            begin=format_time(begin, among=end),
            end=format_time(end),
        ),
    ]


def summary_note(store: LaneStore, lane: Lane, view: View, x: float) -> list[str]:
    """Of a lane that others fold into: what they did in the pixel, or how many phases completed there."""
    summary = store.summary(lane)
    edges = view.column_edges(int(x), int(x))
    named = zip(summary.mix.states, summary.mix.columns(edges).share[:, 0].tolist(), strict=True)
    shares = " · ".join(f"{share:.0%} {state_word(summary.roles[state])}" for state, share in named if share)
    if summary.flips is None:
        names = [one.title for one in store.members[lane.key]]
        shown = " ".join(names) if len(names) <= _MOST_NAMES else f"{names[0]} … {names[-1]}"
        return [f"{lane.title} · {shown}", shares or tr("idle")]
    flips = int(np.diff(summary.flips.times.searchsorted(edges))[0])
    told = tr("{title} · {flips} phases complete", title=said_title(lane), flips=flips)
    if lane.kind == "cta":
        return [told, shares or tr("idle")]
    confidence = store.history.structure.rings[lane.row].confidence if lane.row >= 0 else TOLD
    sure = tr("{percent:.0f} % sure", percent=100 * confidence) if confidence < TOLD else ""
    return [line for line in (told, shares, sure) if line]


def _shares(intervals: Intervals, column: View) -> list[str]:
    shares = intervals.mix.columns(column.column_edges(0, 0)).share[:, 0].tolist()
    named = zip(intervals.mix.states, shares, strict=True)
    parts = [f"{share:.0%} {state_word(intervals.roles[state])}" for state, share in named if share]
    return [" · ".join(parts)] if parts else []


def barrier_note(store: LaneStore, lane: Lane, view: View, x: float) -> list[str]:
    """The phase under the pointer and its counts, with what a probe saw; how many phases, where a pixel has several."""
    data = store.barrier(lane)
    title = f"{lane.title} ({own})" if (own := own_name(lane)) else lane.title
    flips = int(data.mix.columns(view.column_edges(int(x), int(x))).begun.sum())
    if flips > 1:
        return [tr("{title} · {flips} phases folded", title=title, flips=flips)]
    row = int(np.searchsorted(data.curve.time, view.time(x), side="right")) - 1
    if row < 0:
        return [tr("{title} · not initialised", title=title)]
    curve = data.curve
    if curve.counting == Counting.NOTHING:
        return [tr("{title} · phase not known", title=title), tr("nothing tells how many arrivals a phase takes")]
    phase, landed = int(curve.phase[row]), int(data.landed[row])
    arrived = tr("arrived {arrived}", arrived=f"{int(data.arrived[row])}/{int(data.needed[row])}")
    if bytes_expected := landed + max(int(curve.tx[row]), 0):
        some = bytes_of(landed, bytes_expected)
        arrived = tr("{arrived} · landed {bytes}", arrived=arrived, bytes=some)
    at = max(int(np.searchsorted(data.start, curve.time[row], side="right")) - 1, 0)  # numbers begin anew after an init
    length = format_time(int(data.end[at] - data.start[at]))
    sampled = sample_text(store.samples(lane), view.time(x))
    return [
        tr(
            "{title} · phase #{phase} (parity {parity}) · {length}",
            title=title,
            phase=numbered(phase, curve.counting),
            parity=parity_text(phase, curve.counting),
            length=length,
        ),
        arrived,
        tr("pending {pending}, tx {tx} bytes", pending=int(curve.pending[row]), tx=int(curve.tx[row])),
        *([sampled] if sampled else []),
    ]
