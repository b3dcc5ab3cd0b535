"""What each lane is drawn from: built from History when the lane first comes into view, and kept for a while.

A recording can have thousands of lanes; a window shows some sixty of them. Lanes may be built in another thread.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct
from visualizer.diagnosis.wording import state_word
from visualizer.language import tr
from visualizer.playback.lane_steps import LaneSteps, lane_steps
from visualizer.recording.trace import Trace
from visualizer.replay.cta_part import CtaParts
from visualizer.replay.history import AgentActivity, History, Spans, StageState, State
from visualizer.views.look.theme import GLYPHS
from visualizer.views.timeline.lanes.lanes import Lane, build_lanes, copy_targets, lanes_of_folds
from visualizer.views.timeline.lanes.wait_names import waited_for
from visualizer.views.timeline.shapes.barriers import BarrierLane, make_barrier_lane
from visualizer.views.timeline.shapes.copies import CopyRows, estimated, joined, most_at_once
from visualizer.views.timeline.shapes.intervals import Intervals, make_intervals
from visualizer.views.timeline.shapes.level_of_detail import Grid, SummedMix
from visualizer.views.timeline.shapes.samples import SampleLane, make_sample_lane
from visualizer.views.timeline.shapes.summary import Flips, Summary

_KEPT = 200  # lanes; some 0.5 MB each where a CTA has 75 000 events
_NO_STEPS = np.empty(0, np.int64)
STUCK = 255
"""State of a wait that the recording ends in: nothing released it."""
_TICK = 1  # ps
_STUCK_SHARE = 0.1  # of the recording's length, added so that a wait without end has a length to be seen

AGENT_ROLES = {
    int(AgentActivity.READING): "reading",
    int(AgentActivity.RUNNING): "running",
    int(AgentActivity.IN_RANGE): "running",
    int(AgentActivity.WAITING): "waiting",
    int(AgentActivity.TIMED_OUT): "error",
    STUCK: "error",
}
_STAGE_ROLES = {
    int(StageState.EMPTY): "empty",
    int(StageState.FILLING): "filling",
    int(StageState.FULL): "full",
    int(StageState.READING): "reading",
}

Data = TypeVar("Data")


@dataclass(frozen=True, eq=False)
class _Events:
    """A lane's events: steps, ascending, and times (ps)."""

    steps: NDArray[np.int64]
    times: NDArray[np.int64]


class LaneStore:
    """Lanes of one recording and, on demand, what they are drawn from."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.lanes = build_lanes(history.trace, history.structure)
        self.row_of = {lane.key: row for row, lane in enumerate(self.lanes)}
        self.members = lanes_of_folds(self.lanes)
        self.barrier_titles = {lane.row: lane.title for lane in self.lanes if lane.kind == "barrier"}
        self.copy_rows = max(Counter(lane.cta for lane in self.lanes if lane.kind == "stage").values(), default=1)
        """Rows that a copy engine's lane may have: the stages of a CTA, of all its rings."""
        self.stuck = history.trace.meta.ending.kind != "completed"
        recorded = history.trace.duration_ps
        self.end = round(recorded * (1 + _STUCK_SHARE)) if self.stuck else recorded
        """Where the picture ends (ps): the recording's end, or a little later when something still waits."""
        self.grid = Grid(self.end)
        self._parts = CtaParts(history)
        self._data: OrderedDict[tuple[str, str], object] = OrderedDict()  # by what it is, and the lane's key
        self._of_barriers: dict[int, tuple[int, Any]] = {}
        self._of_state: tuple[State | None, Any] = None, None
        self._lock = threading.RLock()

    def has(self, lane: Lane) -> bool:
        """Whether the lane is built, so that it can be drawn at once."""
        return ("lane", lane.key) in self._data

    def intervals(self, lane: Lane) -> Intervals:
        """An agent's or stage's intervals."""
        make = self._agent if lane.kind == "agent" else self._stage
        return self._keep(lane, lambda: self._on_grid(make(lane)))

    def copies(self, lane: Lane) -> CopyRows:
        return self._keep(lane, lambda: self._copies(lane.cta))

    def barrier(self, lane: Lane) -> BarrierLane:
        def make() -> BarrierLane:
            made = make_barrier_lane(self._parts[lane.cta].history.barrier_curve(lane.row), self.end)
            made.mix.put_on(self.grid)
            return made

        return self._keep(lane, make)

    def at_barrier(self, row: int, state: State, make: Callable[[int], Data]) -> Data:
        """What `make` says of a barrier after its latest change in this state: asked again once it has changed, which
        few do from one step to the next."""
        change = int(state.barrier_change[row])
        known = self._of_barriers.get(row)
        if known is None or known[0] != change:
            known = self._of_barriers[row] = change, make(change)
        return cast(Data, known[1])

    def at_state(self, state: State, make: Callable[[State], Data]) -> Data:
        """What `make` says of all lanes in this state, asked once for all of them."""
        if self._of_state[0] is not state:
            self._of_state = state, make(state)
        return cast(Data, self._of_state[1])

    @cached_property
    def agent_ctas(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The CTAs that have agents, ascending, and which of them each agent is in, (agents,)."""
        ctas, place = np.unique(self.history.trace.agent_cta, return_inverse=True)
        return ctas, place

    def summary(self, lane: Lane) -> Summary:
        return self._keep(lane, lambda: self._summary(lane))

    def samples(self, lane: Lane) -> SampleLane:
        """What a probe saw of a barrier; empty without one."""
        trace = self.history.trace
        if not len(trace.samples):  # not worth a place among the lanes kept
            return make_sample_lane(trace, lane.row)
        return self._keep(lane, lambda: make_sample_lane(trace, lane.row), "samples")

    def steps(self, lane: Lane) -> NDArray[np.int64]:
        """The steps of the lane's events, ascending; of a CTA's or a ring's lane the phase completions."""
        return self._events(lane).steps

    def nearest_step(self, lane: Lane, time: int) -> int | None:
        """The lane's event nearest to `time`; of several at one time the last, which holds their outcome."""
        events = self._events(lane)
        times = events.times
        if not len(times):
            return None
        after = int(np.searchsorted(times, time, side="left"))
        before = after - 1
        if after == len(times) or (before >= 0 and time - times[before] < times[after] - time):
            after = before
        return int(events.steps[int(np.searchsorted(times, times[after], side="right")) - 1])

    def _events(self, lane: Lane) -> _Events:
        def make() -> _Events:
            part = self._parts[lane.cta]
            if lane.kind in ("cta", "ring"):
                steps = self._flips(lane)
            elif lane.kind == "warps":
                rows = tuple(one.row for one in self.members[lane.key])
                steps = LaneSteps(part.history.agents.acts, rows).steps()
            else:
                found = lane_steps(part.history, lane.key)
                steps = _NO_STEPS if found is None else found.steps()
            return _Events(part.in_recording(steps), part.history.trace.events["time"][steps])

        return self._keep(lane, make, "events")

    def waits_on(self, lane: Lane) -> bool:
        """Whether the recording ends in a wait of the agent that nothing released."""
        states = self.intervals(lane).spans.state
        return len(states) > 0 and int(states[-1]) == STUCK

    def is_stuck(self, lane: Lane, step: int) -> bool:
        """Whether an agent is, at `step`, in the wait that the recording ends in."""
        if not self.stuck or not self.waits_on(lane):
            return False
        spans = self.intervals(lane).spans
        return step >= int(self._parts[lane.cta].in_recording(spans.first_step[-1:])[0])

    def _keep(self, lane: Lane, make: Callable[[], Data], what: str = "lane") -> Data:
        key = what, lane.key
        with self._lock:
            if key in self._data:
                self._data.move_to_end(key)
                return cast(Data, self._data[key])  # each key is only ever asked for with one maker
        made = make()
        with self._lock:
            made = cast(Data, self._data.setdefault(key, made))
            if len(self._data) > _KEPT:
                self._data.popitem(last=False)
        return made

    def _on_grid(self, intervals: Intervals) -> Intervals:
        intervals.mix.put_on(self.grid)
        return intervals

    def _summary(self, lane: Lane) -> Summary:
        members, part = self.members[lane.key], self._parts[lane.cta]
        if lane.kind == "ring":
            spans, roles = [self._stage_spans(one) for one in members if one.kind == "stage"], _STAGE_ROLES
        else:
            spans, roles = [self._agent_spans(one) for one in members if one.kind == "agent"], AGENT_ROLES
        mix = SummedMix([(found.start, found.end, found.state) for found in spans], tuple(roles))
        mix.put_on(self.grid)
        stuck = [found for found in spans if len(found) and found.state[-1] == STUCK]
        since = np.array([found.start[-1] for found in stuck], np.int64)
        steps = part.in_recording(np.array([found.first_step[-1] for found in stuck], np.int64))
        flips = None
        if lane.kind != "warps":
            times = part.history.trace.events["time"][self._flips(lane)]
            flips = Flips(times, times.searchsorted(self.grid.edges()))
        return Summary(mix, roles, flips, steps, since)

    def _flips(self, lane: Lane) -> NDArray[np.int64]:
        """Steps, of the CTA's part, at which a barrier of a CTA's or a ring's lane completes a phase."""
        history = self._parts[lane.cta].history
        barriers = [one.row for one in self.members[lane.key] if one.kind == "barrier"]
        steps = history.completion_steps
        return steps[np.isin(history.trace.events["barrier"][steps], barriers)]

    def _agent(self, lane: Lane) -> Intervals:
        spans = self._agent_spans(lane)
        trace = self._parts[lane.cta].history.trace
        return make_intervals(spans, AGENT_ROLES, lambda index: self._agent_texts(spans, index, trace))

    def _agent_spans(self, lane: Lane) -> Spans:
        spans = self._parts[lane.cta].history.agent_spans(lane.row)
        # Two events at one tick (a wait passes, the read begins) have no work between them.
        spans = spans.keep((spans.state != AgentActivity.RUNNING) | (spans.end - spans.start > _TICK))
        if self.stuck and len(spans) and spans.state[-1] in (AgentActivity.WAITING, AgentActivity.TIMED_OUT):
            state, end = spans.state.copy(), spans.end.copy()
            state[-1] = STUCK if state[-1] == AgentActivity.WAITING else state[-1]
            end[-1] = self.end
            spans = replace(spans, state=state, end=end)
        return spans

    def _agent_texts(self, spans: Spans, index: int, trace: Trace) -> list[str]:
        state, tile, barrier = int(spans.state[index]), int(spans.tile[index]), int(spans.barrier[index])
        # Without its CTA's name, which the lane's header shows.
        name = (
            self.barrier_titles[barrier]
            if barrier >= 0
            else waited_for(int(trace.events["kind"][spans.first_step[index]]))
        )
        if state == STUCK:
            return [tr("⚠ never released: waits {name}", name=name), tr("⚠ waits {name}", name=name), f"⚠ {name}", "⚠"]
        if state == AgentActivity.TIMED_OUT:
            return [tr("⚠ gave up on {name}", name=name), f"⚠ {name}", "⚠"]
        if state == AgentActivity.WAITING:
            return (
                [tr("waits {name} · tile {tile}", name=name, tile=tile), tr("waits {name}", name=name), name]
                if tile >= 0
                else [tr("waits {name}", name=name), name]
            )
        if state == AgentActivity.READING:
            return [tr("reads tile {tile}", tile=tile), f"tile {tile}", f"{tile}"] if tile >= 0 else [tr("reading")]
        if state == AgentActivity.IN_RANGE:
            return [trace.op_of(int(trace.events["site"][spans.first_step[index]]))]
        return [f"tile {tile}"] if tile >= 0 else []

    def _stage_spans(self, lane: Lane) -> Spans:
        spans = self._parts[lane.cta].history.stage_spans(lane.row)
        if self.stuck and len(spans):
            end = spans.end.copy()
            end[-1] = self.end
            spans = replace(spans, end=end)
        return spans

    def _stage(self, lane: Lane) -> Intervals:
        spans = self._stage_spans(lane)

        def texts(index: int) -> list[str]:
            state, tile = StageState(int(spans.state[index])).name.lower(), int(spans.tile[index])
            glyph = GLYPHS[state]
            if tile < 0:
                return [state_word(state), *([] if state == "empty" else [glyph])]
            return [f"{state_word(state)} · tile {tile}", f"{glyph} tile {tile}", f"{glyph}{tile}", f"{tile}"]

        return make_intervals(spans, _STAGE_ROLES, texts)

    def _copies(self, cta: int) -> CopyRows:
        part = self._parts[cta].history
        spans = part.copy_spans(cta)
        events = part.trace.events
        targets = copy_targets(part, spans)
        rows = [joined(spans.keep(targets == target)) for target in distinct(targets)]
        if len(rows) > 1 and most_at_once(rows) == 1:
            rows = [joined(spans)]
        return CopyRows([self._on_grid(self._copy_row(row)) for row in rows], [estimated(events, row) for row in rows])

    def _copy_row(self, spans: Spans) -> Intervals:
        def texts(index: int) -> list[str]:
            tile = int(spans.tile[index])
            return [f"tile {tile}", f"{tile}"] if tile >= 0 else [tr("copying")]

        return make_intervals(spans, {int(AgentActivity.RUNNING): "tma"}, texts)
