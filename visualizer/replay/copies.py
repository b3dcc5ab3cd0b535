"""Every copy of a recording: its issue paired with its landing, what it brings where, and how many are in flight.

A copy with several destinations (multicast) has an issue for each, and each of them its own barrier and landing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import group_starts
from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.barrier_columns import BarrierColumns
from visualizer.replay.event_places import EventPlaces
from visualizer.replay.spans import Spans
from visualizer.replay.step_index import Narrow, StepIndex, Steps, pick, rows_where


@dataclass(frozen=True, eq=False)
class Copies:
    """Every copy, in order of issue; copies by the barrier that their bytes are counted down on; and the load of copy
    engines by CTA.

    The entity of a copy bound to no barrier (cp.async) is further on, by place, or by CTA where that is not known.
    """

    columns: EventColumns
    places: EventPlaces
    issued: Narrow  # (copies,): every COPY_ISSUE, ascending ...
    landed: Steps  # ... and its COPY_DONE; -1: it never landed
    issues: StepIndex
    unbound: int  # the entity of copies into place 0 that are bound to no barrier; those into others follow
    done_step: Steps  # at the positions of `issues`: the COPY_DONE; -1: it never landed
    traffic: StepIndex  # COPY_ISSUE and COPY_DONE (entity = CTA)
    in_flight: NDArray[np.int32]  # at the positions of `traffic`: copies under way after the event

    def __len__(self) -> int:
        return len(self.issued)

    @cached_property
    def agent(self) -> Steps:
        """Who issued each, (copies,)."""
        return self.columns.agent.take(self.issued).astype(np.int64)

    @cached_property
    def barrier(self) -> Steps:
        """The barrier that each completes bytes on, (copies,); -1: none."""
        return self.columns.barrier.take(self.issued).astype(np.int64)

    @cached_property
    def place(self) -> Steps:
        """The stage buffer that each goes to, (copies,); -1: not known."""
        return self.places.of(self.issued)

    @cached_property
    def tile(self) -> Steps:
        """The tile that each brings, (copies,); -1: not known."""
        return self.columns.tile.take(self.issued).astype(np.int64)

    @cached_property
    def amount(self) -> Steps:
        """Bytes of each, (copies,)."""
        return self.columns.amount.take(self.issued).astype(np.int64)

    @cached_property
    def by_landing(self) -> Steps:
        """Those that landed, as rows, in order of landing."""
        rows = np.flatnonzero(self.landed >= 0)
        return rows[np.argsort(self.landed[rows])]

    def activity(self, positions: Steps) -> NDArray[np.uint8]:
        """What a copy engine does after a row of its CTA's `traffic`, (n,); -1: before the first."""
        busy = pick(self.in_flight, positions, np.zeros(len(positions), np.int32)) > 0
        return np.where(busy, np.uint8(AgentActivity.RUNNING), np.uint8(AgentActivity.IDLE))

    def phases(self, barriers: BarrierColumns) -> Steps:
        """The phase of its barrier when the last bytes of each came, (copies,); -1: they did not, or it has none."""
        rows = np.flatnonzero(barriers.kind == EventKind.COMPLETE_TX)
        phase = np.full(len(self), -1, np.int64)
        if not len(rows):
            return phase
        keys = barriers.index.keys[rows]
        first = self.barrier * len(self.columns.trace)
        last = np.maximum(np.searchsorted(keys, first + self.landed) - 1, 0)
        came = (self.landed >= 0) & (self.barrier >= 0) & (keys[last] > first + self.issued)
        came &= keys[last] < first + self.landed
        phase[came] = barriers.phase[rows[last[came]]]  # bytes change no phase: the one after them is their own
        return phase

    def issue_of(self, done_step: int) -> int | None:
        """The COPY_ISSUE step of the copy that landed at `done_step`."""
        row = int(np.searchsorted(self._landings, done_step))
        if row < len(self._landings) and self._landings[row] == done_step:
            return int(self.issued[self.by_landing[row]])
        return None

    @cached_property
    def _landings(self) -> Steps:
        return self.landed[self.by_landing]

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
    landed_at = np.empty(len(issued), np.int64)
    landed_at[rank] = done_step
    traffic, in_flight = _traffic(steps, cta, is_issue, places.ctas, len(trace))
    unbound = len(trace.barriers) + places.ctas
    return Copies(columns, places, all_issued, landed_at, issues, unbound, done_step, traffic, in_flight)


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
