"""What a page to step through shows, as one JSON document: pure, so that whatever makes pages can add to it.

Each step holds what it changed only; the page rebuilds every state from the first on when it opens. Rows of agents,
barriers and stages are positions in the document's own lists. Times are ps from the start of the recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.arrived import CURSOR, arrived_of, landed_at, number_of, numbered, parity_of, parity_text
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.wording import STATES, state_word
from visualizer.export.errors import ExportError
from visualizer.export.selection import Selection
from visualizer.language import current, mark, tr
from visualizer.playback.lane_steps import home_lane
from visualizer.recording.schema import kind_name
from visualizer.replay.causality import Causality
from visualizer.replay.changes import agent_changes, barrier_changes, stage_changes
from visualizer.replay.history import AgentActivity, History, StageState
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.lanes.text import own_name, said_title
from visualizer.views.timeline.painting.arrows_model import causes
from visualizer.views.timeline.shapes.intervals import Intervals

WORDS = {
    "step": mark("step {step} of {last}"),
    "timeline": mark("Timeline"),
    "barriers": mark("Barriers"),
    "stages": mark("Stage buffers"),
    "agents": mark("Agents"),
    "name": mark("name"),
    "phase": mark("phase"),
    "parity": mark("parity"),
    "arrived": mark("arrived"),
    "landed": mark("landed"),
    "pending": mark("pending {pending}, tx {tx} bytes"),
    "state": mark("state"),
    "tile": mark("tile"),
    "cursor": mark("cursor"),
    "at": CURSOR,
    "first": mark("First step"),
    "previous": mark("Previous step"),
    "next": mark("Next step"),
    "last": mark("Last step"),
    "play": mark("Play or pause"),
    "theme": mark("Dark or light"),
    "uninitialised": mark("not initialised"),
    "fold": mark("Fold or unfold these warps"),
    "keys": mark("Right and Left step, Home and End jump, Space plays; a click on the timeline goes there."),
}
"""What the page itself says; translated into the document, for the page has no catalogue."""


MOST_HELD = 100_000
"""Changes, arrows and boxes that a page holds; ordinary ones of 5000 steps have some 30 000 of them. A browser takes
seconds for more, and where everybody waits for everybody there are millions of arrows."""
_STEPS_AT_ONCE = 256


class _Room:
    """What a page can still take."""

    def __init__(self) -> None:
        self._left = MOST_HELD

    def take(self, count: int) -> None:
        """ExportError if there is no room for so many more."""
        self._left -= count
        if self._left < 0:
            raise ExportError(
                tr(
                    "a page holds up to {most} changes of state, arrows and intervals, and these steps have more;"
                    " choose fewer steps (--range) or fewer lanes (--lanes)",
                    most=f"{MOST_HELD:,}",
                )
            )


def page_words(words: Mapping[str, str]) -> dict[str, Any]:
    """What a page says, in the language spoken: `words`, and by their keys the `states` of stages and agents."""
    return {**{key: tr(word) for key, word in words.items()}, "states": {key: state_word(key) for key in STATES}}


def page_document(selection: Selection) -> dict[str, Any]:
    """The selection as the document that assets/html shows: `recording_document` and what the page says."""
    return {
        "language": current(),
        "words": page_words(WORDS),
        **recording_document(selection, selection.rows),
    }


def recording_document(selection: Selection, events: NDArray[np.int64]) -> dict[str, Any]:
    """A recording with the state after each of these events (ascending steps) of the selection; see the keys below."""
    history, trace = selection.history, selection.history.trace
    rows = {kind: [lane for lane in selection.lanes if lane.kind == kind] for kind in ("barrier", "stage", "agent")}
    room = _Room()
    meta, structure = trace.meta, history.structure
    return {
        "title": meta.program,
        "source": str(meta.source.get("gpu", meta.source.get("kind", ""))),
        "ended": {"kind": meta.ending.kind, "detail": meta.ending.detail},
        "rings": list(trace.rings),
        "barriers": [
            {"name": lane.key, "title": lane.name, "kind": structure.kinds[lane.row]} for lane in rows["barrier"]
        ],
        "stages": [{"name": lane.key} for lane in rows["stage"]],
        "agents": [{"name": lane.key, "title": lane.name, "role": structure.roles[lane.row]} for lane in rows["agent"]],
        "steps": _steps(selection, events, rows, room),
        "timeline": _timeline(selection, LaneStore(history), room),
    }


def _steps(
    selection: Selection, events: NDArray[np.int64], rows: dict[str, list[Lane]], room: _Room
) -> list[dict[str, Any]]:
    """One entry per event: the event, its explanation, its arrows, and by row what it changed."""
    history, causality = selection.history, Causality(selection.history)
    keys = {lane.key for lane in selection.lanes}
    changed = _changed(history, events, rows, room)
    steps = []
    for step in events.tolist():
        found = causes(causality, step)
        room.take(len(found))
        arrows = [
            [cause.from_time, cause.from_lane, cause.to_time, cause.to_lane, cause.role]
            for cause in found
            if cause.from_lane in keys and cause.to_lane in keys
        ]
        steps.append({**_event(history, step), "arrows": arrows, "changed": next(changed)})
    return steps


def _changed(
    history: History, events: NDArray[np.int64], rows: dict[str, list[Lane]], room: _Room
) -> Iterator[dict[str, dict[int, Any]]]:
    """What each of the events changed, by kind and row. Some events at a time: all may be too many for the page."""
    picks = {kind: np.array([lane.row for lane in lanes], np.int64) for kind, lanes in rows.items()}
    for first in range(0, len(events), _STEPS_AT_ONCE):
        before = min(first, 1)  # the last one of those that came before, all of whose rows are told already
        steps = events[first - before : first + _STEPS_AT_ONCE]
        found = {kind: _CHANGES[kind](history, steps, pick) for kind, pick in picks.items()}
        edges = {kind: np.searchsorted(one.at, np.arange(len(steps) + 1)).tolist() for kind, one in found.items()}
        for at in range(before, len(steps)):
            changed: dict[str, dict[int, Any]] = {}
            for kind, one in found.items():
                own = slice(edges[kind][at], edges[kind][at + 1])
                room.take(own.stop - own.start)
                changed[kind] = {
                    row: _VALUES[kind](history, int(steps[at]), int(picks[kind][row]), values)
                    for row, values in zip(one.row[own].tolist(), one.values[own].tolist(), strict=True)
                }
            yield changed


def _event(history: History, step: int) -> dict[str, Any]:
    trace = history.trace
    event = trace.events[step]
    site = trace.sites[int(event["site"])] if event["site"] >= 0 else None
    return {
        "step": step,
        "time": int(event["time"]),
        "agent": trace.agents[int(event["agent"])].name,
        "kind": kind_name(int(event["kind"])),
        "lane": home_lane(trace, step),
        "text": explain(history, step),
        "site": f"{site.file}:{site.line} {site.op}" if site is not None else "",
    }


def _barrier_value(history: History, step: int, row: int, values: list[int]) -> dict[str, int | str] | None:
    """None: not initialised. Texts are `number` and `parity`, which may not be known, and what of the phase has come:
    `arrived`, "64/96", and `landed`, "8/16 KiB"."""
    valid, phase, pending, expected, tx = values
    if not valid:
        return None
    now = history.barrier_at(row, step)
    return {
        "phase": phase,
        "number": number_of(now),
        "parity": parity_of(now),
        "pending": pending,
        "expected": expected,
        "tx": tx,
        "arrived": arrived_of(now),
        "landed": landed_at(history, row, step).text,
    }


def _stage_value(history: History, step: int, row: int, values: list[int]) -> dict[str, Any]:
    return {"state": StageState(values[0]).name.lower(), "tile": values[1]}


def _agent_value(history: History, step: int, row: int, values: list[int]) -> dict[str, Any]:
    """`cursors`: index, phase and count over each ring of the document's `rings`; null where it has none."""
    activity, barrier, tile, *cursors = values
    return {
        "state": AgentActivity(activity).name.lower(),
        "barrier": history.barrier_title(barrier) if barrier >= 0 else "",
        "tile": tile,
        "cursors": [cursors[at : at + 3] if cursors[at] >= 0 else None for at in range(0, len(cursors), 3)],
    }


_VALUES = {"barrier": _barrier_value, "stage": _stage_value, "agent": _agent_value}
_CHANGES = {"barrier": barrier_changes, "stage": stage_changes, "agent": agent_changes}


def _timeline(selection: Selection, store: LaneStore, room: _Room) -> dict[str, Any]:
    """A lane that can be folded names its `group`, which stands above the first of them."""
    end = selection.end if selection.last < selection.history.steps - 1 else max(selection.end, store.end)
    groups = {lane.key: lane for lane in _warp_groups(selection, store)}
    return {
        "begin": selection.begin,
        "end": end,
        "lanes": [_lane(selection, store, lane, set(groups), end, room) for lane in selection.lanes],
        "groups": {
            key: {"title": said_title(lane, with_cta=True), "folded": key in selection.folded}
            for key, lane in groups.items()
        },
    }


def _warp_groups(selection: Selection, store: LaneStore) -> list[Lane]:
    """The groups of warps whose lanes are all chosen."""
    chosen = {lane.key for lane in selection.lanes}
    groups = [lane for lane in store.lanes if lane.kind == "warps"]
    return [group for group in groups if all(lane.key in chosen for lane in store.members[group.key])]


def _lane(
    selection: Selection, store: LaneStore, lane: Lane, groups: set[str], end: int, room: _Room
) -> dict[str, Any]:
    """`boxes`: [begin, end, role, texts longest first]; a barrier's `arrived`: [time, arrivals] at each change."""
    title = " ".join(filter(None, (lane.name, own_name(lane))))
    drawn: dict[str, Any] = {"key": lane.key, "title": title, "kind": lane.kind}
    if lane.parent in groups:
        drawn["group"] = lane.parent
    if lane.kind == "barrier":
        return {**drawn, **_barrier_lane(selection, store, lane, end, room)}
    rows = store.copies(lane).rows if lane.kind == "copy" else [store.intervals(lane)]
    boxes = [box for row in rows for box in _boxes(row, selection.begin, end, room)]
    return {**drawn, "boxes": sorted(boxes, key=lambda box: box[0])}


def _boxes(intervals: Intervals, begin: int, end: int, room: _Room) -> list[list[Any]]:
    spans = intervals.spans
    touch = np.flatnonzero((spans.end > begin) & (spans.start < end))
    room.take(len(touch))
    return [
        [max(int(spans.start[row]), begin), min(int(spans.end[row]), end), role, intervals.texts(row)]
        for row in touch.tolist()
        if (role := intervals.roles.get(int(spans.state[row]))) is not None
    ]


def _barrier_lane(selection: Selection, store: LaneStore, lane: Lane, end: int, room: _Room) -> dict[str, Any]:
    data = store.barrier(lane)
    counting = data.curve.counting
    touch = np.flatnonzero((data.end > selection.begin) & (data.start < end)).tolist()
    boxes = [
        [
            max(int(data.start[row]), selection.begin),
            min(int(data.end[row]), end),
            "phase_odd" if number & 1 else "phase_even",
            [f"phase #{numbered(number, counting)} ({parity_text(number, counting)})", parity_text(number, counting)],
        ]
        for row in touch
        if (number := int(data.number[row])) >= 0
    ]
    curve = data.curve
    first = max(int(np.searchsorted(curve.time, selection.begin, side="right")) - 1, 0)
    last = int(np.searchsorted(curve.time, end, side="right"))
    room.take(len(touch) + last - first)
    points = np.stack((np.maximum(curve.time[first:last], selection.begin), data.arrived[first:last]), axis=1)
    return {"boxes": boxes, "arrived": points.tolist(), "most_arrived": data.top_arrived}
