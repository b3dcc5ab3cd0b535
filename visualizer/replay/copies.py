"""Every copy of the recording: its issue paired with its landing, and how many are in flight at any step.

A copy with several destinations (multicast) has an issue for each, and each of them its own barrier and landing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import group_starts
from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.event_places import EventPlaces
from visualizer.replay.spans import Spans
from visualizer.replay.step_index import Narrow, StepIndex, Steps, rows_where


@dataclass(frozen=True, eq=False)
class Copies:
    """Copies by the barrier that their bytes are counted down on, and the load of copy engines by CTA.

    The entity of a copy bound to no barrier (cp.async) is further on, by place, or by CTA where that is not known.
    """

    issues: StepIndex
    unbound: int  # the entity of copies into place 0 that are bound to no barrier; those into others follow
    done_step: Steps  # at the positions of `issues`: the COPY_DONE; -1: it never landed
    issued: Narrow  # every COPY_ISSUE, ascending ...
    landed: Steps  # ... and its COPY_DONE; -1: it never landed
    done_steps: Steps  # every paired COPY_DONE, ascending ...
    done_issue: Steps  # ... and the COPY_ISSUE it belongs to
    traffic: StepIndex  # COPY_ISSUE and COPY_DONE (entity = CTA)
    in_flight: NDArray[np.int32]  # at the positions of `traffic`: copies under way after the event

    def issue_of(self, done_step: int) -> int | None:
        """The COPY_ISSUE step of the copy that landed at `done_step`."""
        row = int(np.searchsorted(self.done_steps, done_step))
        if row < len(self.done_steps) and self.done_steps[row] == done_step:
            return int(self.done_issue[row])
        return None

    def landing_of(self, issue_step: int) -> int | None:
        """The COPY_DONE step of the copy issued at `issue_step`; None: it never landed."""
        row = int(self.issued.searchsorted(self.issued.dtype.type(issue_step)))
        done = int(self.landed[row]) if row < len(self.issued) and self.issued[row] == issue_step else -1
        return done if done >= 0 else None

    def under_way(self, entity: int, step: int) -> list[int]:
        """The issue steps of the copies bound to a barrier, issued before `step`, that have not landed before it."""
        if entity + 1 >= len(self.issues.starts):
            return []
        stop = self.issues.position_from(entity, step)
        start = max(int(self.issues.starts[entity]), stop - _LOOK_BACK)
        done = self.done_step[start:stop]
        rows = start + np.flatnonzero((done < 0) | (done >= step))
        return [int(issue) for issue in self.issues.step_at(rows)]

    def never_landed(self, barrier: int) -> list[int]:
        """The issue steps of the copies bound to the barrier that never landed."""
        rows = self.issues.rows(barrier)
        never = rows.start + np.flatnonzero(self.done_step[rows] < 0)
        return [int(issue) for issue in self.issues.step_at(never)]

    def spans(self, trace: Trace, cta: int) -> Spans:
        """The copies of a CTA, issued to landed, in order of issue; they may overlap."""
        steps = self.traffic.steps(cta)
        issued = steps[trace.events["kind"][steps] == EventKind.COPY_ISSUE]
        done = self.landed[np.searchsorted(self.issued, issued.astype(self.issued.dtype))]
        done = np.where(done < 0, len(trace) - 1, done)
        events = trace.events[issued]
        state = np.full(len(issued), AgentActivity.RUNNING, np.uint8)
        time = trace.events["time"]
        return Spans(events["time"], time[done], state, events["tile"], events["barrier"], issued, done)


# More copies than one barrier can have in flight: a tile of 512 columns takes 8, and a stage is filled once at a time.
_LOOK_BACK = 64


def build_copies(columns: EventColumns, places: EventPlaces) -> Copies:
    """All copies of the trace."""
    trace = columns.trace
    concerns = columns.kind == EventKind.COPY_ISSUE
    concerns |= columns.kind == EventKind.COPY_DONE
    (steps,) = rows_where(concerns)
    del concerns
    cta = places.ctas_of(steps)
    is_issue = columns.kind.take(steps) == EventKind.COPY_ISSUE
    entity, entities = _entities(columns, places, steps, cta)
    all_issued = steps[is_issue]
    issues, issued, issue_lane, rank = _by_entity(columns, all_issued, entity[is_issue], entities)
    _, landed, landing_lane, _ = _by_entity(columns, steps[~is_issue], entity[~is_issue], entities)
    # The n-th copy of a tile on a barrier is the n-th to land of that tile there. Tiles mostly come in order.
    issue_order, landing_order = (np.argsort(lane, kind="stable") for lane in (issue_lane, landing_lane))
    issue_lane, landing_lane = issue_lane[issue_order], landing_lane[landing_order]
    landing = np.searchsorted(landing_lane, issue_lane) + np.arange(len(issue_lane)) - group_starts(issue_lane)
    pairs = np.flatnonzero(landing < len(landing_lane))
    pairs = pairs[landing_lane[landing[pairs]] == issue_lane[pairs]]
    issue_row, landing_row = issue_order[pairs], landing_order[landing[pairs]]
    done_step = np.full(len(issued), -1, np.int64)
    done_step[issue_row] = landed[landing_row]
    by_time = np.argsort(landed[landing_row])
    landed_at = np.empty(len(issued), np.int64)
    landed_at[rank] = done_step
    traffic, in_flight = _traffic(steps, cta, is_issue, places.ctas, len(trace))
    done_steps, done_issue = landed[landing_row][by_time], issued[issue_row][by_time]
    unbound = len(trace.barriers) + places.ctas
    return Copies(issues, unbound, done_step, all_issued, landed_at, done_steps, done_issue, traffic, in_flight)


def _entities(
    columns: EventColumns, places: EventPlaces, steps: Narrow, cta: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """Whose each copy is: its barrier, or else its place, or else its CTA; and how many there may be."""
    barriers = len(columns.trace.barriers)
    entity = columns.barrier.take(steps).astype(np.int64)
    unbound = np.flatnonzero(entity < 0)
    if not len(unbound):
        return entity, barriers
    place = places.of(steps[unbound])
    entity[unbound] = barriers + np.where(place >= 0, places.ctas + place, cta[unbound])
    return entity, max(barriers, 1 + int(entity.max()))


def _by_entity(
    columns: EventColumns, steps: Narrow, entity: NDArray[np.int64], entities: int
) -> tuple[StepIndex, Steps, NDArray[np.int64], Narrow]:
    """Index of the steps by entity; at its positions the steps, one number per (entity, tile), and rows of `steps`."""
    lane = (entity << 32) + columns.tile[steps]
    rank = np.arange(len(steps), dtype=steps.dtype)
    index, (lane, rank) = StepIndex.build(entity, steps, entities, len(columns.trace), lane, rank)
    return index, index.step_at(np.arange(len(index))), lane, rank


def _traffic(
    steps: Narrow, cta: NDArray[np.int64], is_issue: NDArray[np.bool_], ctas: int, length: int
) -> tuple[StepIndex, NDArray[np.int32]]:
    """Issues and landings by CTA, and how many copies are in flight after each."""
    change = np.where(is_issue, np.int32(1), np.int32(-1))
    index, (change,) = StepIndex.build(cta, steps, ctas, length, change)
    total = np.cumsum(change, dtype=np.int32)
    base = np.concatenate((np.zeros(1, np.int32), total))[index.starts[:-1]]
    total -= np.repeat(base, np.diff(index.starts))
    return index, total
