"""Arrows for the focused event: what released this wait, and whom this event woke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from visualizer.playback.lane_steps import home_lane
from visualizer.recording.schema import EventKind
from visualizer.replay.causality import Causality
from visualizer.views.timeline.time.scale import View


@dataclass(frozen=True, slots=True)
class Cause:
    """An arrow between events, before it has a place on screen. Times in ps; `role` is a plain colour of the theme."""

    from_time: int
    from_lane: str
    to_time: int
    to_lane: str
    role: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow in pixels: a curve that leaves to the right and comes in from the left."""

    x: float
    y: float
    to_x: float
    to_y: float
    role: str

    @property
    def reach(self) -> float:
        """How far the curve's control points stand off its ends."""
        return max(abs(self.to_x - self.x) * 0.5, 18.0)


def causes(causality: Causality, step: int) -> list[Cause]:
    """The arrows to draw for the focused event; links into it are "released_by", links out of it "wakes"."""
    history = causality.history
    pivot = step
    if history.kinds[step] == EventKind.WAIT_BEGIN:
        end = causality.wait_end(step)
        pivot = step if end is None else end
    times = history.trace.events["time"]
    return [
        Cause(
            int(times[link.from_step]),
            home_lane(history.trace, link.from_step),
            int(times[link.to_step]),
            home_lane(history.trace, link.to_step),
            "wakes" if link.from_step >= pivot else "released_by",
        )
        for link in causality.links(step)
    ]


def place(causes: list[Cause], view: View, lane_middle: Callable[[str], float | None]) -> list[Arrow]:
    """Arrows in pixels, without those out of view; `lane_middle` gives a lane's middle, None if there is no lane."""
    arrows = []
    for cause in causes:
        y, to_y = lane_middle(cause.from_lane), lane_middle(cause.to_lane)
        x, to_x = view.pixel(cause.from_time), view.pixel(cause.to_time)
        if y is None or to_y is None or max(x, to_x) < 0 or min(x, to_x) > view.width:
            continue
        limit = 4.0 * view.width  # far ends: Qt needs no pixel beyond
        arrows.append(Arrow(max(x, -limit), y, min(to_x, view.width + limit), to_y, cause.role))
    return arrows
