"""The picture of the lanes in view: a pure function of (lanes, view, places), and nothing of the focus."""

from __future__ import annotations

from collections.abc import Sequence

from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.shapes.picture import Metrics, Picture
from visualizer.views.timeline.time.scale import View

Place = tuple[Lane, float, float]
"""A lane with its top and height in pixels."""


def lanes_picture(store: LaneStore, places: Sequence[Place], view: View, metrics: Metrics) -> Picture:
    """The lanes at `places`, with everything there is to see of them."""
    picture = Picture()
    for lane, top, height in places:
        kind_of(lane).add(picture, store, lane, view, top, height, metrics)
    return picture
