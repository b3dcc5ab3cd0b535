"""Every bulk copy of the recording: its issue paired with its landing, and how many are in flight at any step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import group_starts
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.event_columns import EventColumns
from visualizer.replay.spans import Spans
from visualizer.replay.stage_columns import place_of
from visualizer.replay.step_index import Narrow, StepIndex, Steps, rows_where


@dataclass(frozen=True, eq=False)
class Copies:
    """Copies by stage (entity = cta * stages + stage), in order of issue, and the copy engines' load by CTA."""

    issues: StepIndex
    done_step: Steps  # at the positions of `issues`: the COPY_DONE; -1: it never landed
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

    def landing_of(self, stage_row: int, issue_step: int) -> int | None:
        """The COPY_DONE step of the copy issued at `issue_step` into a stage; None: it never landed."""
        position = self.issues.position_from(stage_row, issue_step)
        done = int(self.done_step[position])
        return done if done >= 0 else None

    def under_way(self, stage_row: int, step: int) -> list[int]:
        """The issue steps of the copies into the stage, issued before `step`, that have not landed before it."""
        stop = self.issues.position_from(stage_row, step)
        start = max(int(self.issues.starts[stage_row]), stop - _LOOK_BACK)
        done = self.done_step[start:stop]
        rows = start + np.flatnonzero((done < 0) | (done >= step))
        return [int(issue) for issue in self.issues.step_at(rows)]

    def spans(self, trace: Trace, cta: int) -> Spans:
        """The copies of a CTA, issued to landed; they may overlap."""
        first = int(self.issues.starts[cta * trace.stages])
        last = int(self.issues.starts[(cta + 1) * trace.stages])
        issued = self.issues.step_at(np.arange(first, last))
        order = np.argsort(issued)
        issued, done = issued[order], self.done_step[first:last][order]
        done = np.where(done < 0, len(trace) - 1, done)
        events = trace.events[issued]
        state = np.full(len(issued), AgentActivity.RUNNING, np.uint8)
        time = trace.events["time"]
        return Spans(events["time"], time[done], state, events["tile"], events["barrier"], issued, done)


# More copies than one stage can have in flight: a tile of 512 columns takes 8, and a stage is filled once at a time.
_LOOK_BACK = 64


def build_copies(columns: EventColumns) -> Copies:
    """All copies of the trace."""
    trace = columns.trace
    concerns = columns.kind == EventKind.COPY_ISSUE
    concerns |= columns.kind == EventKind.COPY_DONE
    (steps,) = rows_where(concerns)
    del concerns
    stage, cta = place_of(columns, steps)
    placed = stage >= 0
    steps, stage, cta = steps[placed], stage[placed], cta[placed]
    is_issue = columns.kind.take(steps) == EventKind.COPY_ISSUE
    row = cta * trace.stages + stage
    issues, issued, issue_lane = _by_stage(columns, steps[is_issue], row[is_issue])
    _, landed, landing_lane = _by_stage(columns, steps[~is_issue], row[~is_issue])
    # The n-th copy of a tile into a stage is the n-th to land of that tile in that stage. Tiles mostly come in order.
    issue_order, landing_order = (np.argsort(lane, kind="stable") for lane in (issue_lane, landing_lane))
    issue_lane, landing_lane = issue_lane[issue_order], landing_lane[landing_order]
    landing = np.searchsorted(landing_lane, issue_lane) + np.arange(len(issue_lane)) - group_starts(issue_lane)
    pairs = np.flatnonzero(landing < len(landing_lane))
    pairs = pairs[landing_lane[landing[pairs]] == issue_lane[pairs]]
    issue_row, landing_row = issue_order[pairs], landing_order[landing[pairs]]
    done_step = np.full(len(issued), -1, np.int64)
    done_step[issue_row] = landed[landing_row]
    by_time = np.argsort(landed[landing_row])
    traffic, in_flight = _traffic(steps, cta, is_issue, trace)
    return Copies(issues, done_step, landed[landing_row][by_time], issued[issue_row][by_time], traffic, in_flight)


def _by_stage(
    columns: EventColumns, steps: Narrow, row: NDArray[np.int64]
) -> tuple[StepIndex, Steps, NDArray[np.int64]]:
    """Index of the steps by stage; at its positions the steps, and one number per (stage, tile)."""
    trace = columns.trace
    lane = (row << 32) + columns.tile.take(steps)
    index, (lane,) = StepIndex.build(row, steps, trace.ctas * trace.stages, len(trace), lane)
    return index, index.step_at(np.arange(len(index))), lane


def _traffic(
    steps: Narrow, cta: NDArray[np.int64], is_issue: NDArray[np.bool_], trace: Trace
) -> tuple[StepIndex, NDArray[np.int32]]:
    """Issues and landings by CTA, and how many copies are in flight after each."""
    change = np.where(is_issue, np.int32(1), np.int32(-1))
    index, (change,) = StepIndex.build(cta, steps, trace.ctas, len(trace), change)
    total = np.cumsum(change, dtype=np.int32)
    base = np.concatenate((np.zeros(1, np.int32), total))[index.starts[:-1]]
    total -= np.repeat(base, np.diff(index.starts))
    return index, total
