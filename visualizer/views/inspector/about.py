"""Who and what a focus is about, which every section of the inspector asks, and what a section is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane, stage_of_lane
from visualizer.recording.schema import kind_name
from visualizer.replay.causality import Causality
from visualizer.replay.history import AgentActivity, History
from visualizer.views.diagnosis.details_model import Line

MOST = 6
"""Links of one kind that are listed; of more the first, and how many there are."""
WAITING = (AgentActivity.WAITING, AgentActivity.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class Section:
    """One thing the focus is about. `alarm`: something is wrong with it."""

    title: str
    text: str = ""
    lines: tuple[Line, ...] = ()
    alarm: bool = False


class About:
    """Who and what a focus is about: the selected lane says it, or else the event."""

    def __init__(self, history: History, focus: Focus) -> None:
        trace = history.trace
        self.history, self.trace, self.step = history, trace, focus.step
        self.causality = Causality(history)
        self.event = trace.events[focus.step]
        self.state = history.state_at(focus.step)
        self.lane = focus.lane if focus.lane is not None else home_lane(trace, focus.step)
        self.agent = trace.agent_index.get(self.lane, -1)
        self.barrier = trace.barrier_index.get(self.lane, -1)
        self.place = stage_of_lane(history, self.lane)
        of_event = self.agent in (-1, int(self.event["agent"]))
        if self.agent < 0:
            self.agent = int(self.event["agent"])
        if self.barrier < 0 and self.place < 0:
            waits_on = int(self.state.agent_barrier[self.agent])
            self.barrier = int(self.event["barrier"]) if of_event and self.event["barrier"] >= 0 else waits_on
        if self.place < 0:
            self.place = history.event_places.at(focus.step) if of_event else -1
        if self.place < 0 and self.barrier >= 0:
            self.place = int(history.structure.place_of[self.barrier])

    def link(self, step: int, lane: str | None = None) -> Focus:
        return Focus(step, lane if lane is not None else home_lane(self.trace, step))

    def name_of(self, step: int) -> str:
        """ "w1 arrive, step 27"."""
        event = self.trace.events[step]
        agent = self.history.agent_titles[int(event["agent"])]
        return tr("{agent} {kind}, step {step}", agent=agent, kind=kind_name(int(event["kind"])), step=step)

    def lines(self, label: str, steps: Sequence[int]) -> list[Line]:
        """A link to each step; of many the first few, and how many more there are."""
        shown = [Line("" if n else label, self.name_of(at), self.link(at)) for n, at in enumerate(steps[:MOST])]
        if len(steps) > MOST:
            shown.append(Line("", tr("and {n} more", n=len(steps) - MOST)))
        return shown
