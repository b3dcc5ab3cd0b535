"""The picture of the lanes in view: a pure function of (lanes, view, places), and nothing of the focus."""

from __future__ import annotations

from collections.abc import Sequence

from visualizer.views.timeline.barriers import add_barrier
from visualizer.views.timeline.intervals import add_intervals
from visualizer.views.timeline.lane_store import LaneStore
from visualizer.views.timeline.lanes import Lane
from visualizer.views.timeline.layout import sub_rows
from visualizer.views.timeline.picture import Dash, Metrics, Picture
from visualizer.views.timeline.samples import add_samples
from visualizer.views.timeline.scale import View
from visualizer.views.timeline.summary import add_summary

Place = tuple[Lane, float, float]
"""A lane with its top and height in pixels."""


def lanes_picture(store: LaneStore, places: Sequence[Place], view: View, metrics: Metrics) -> Picture:
    """The lanes at `places`, with everything there is to see of them."""
    picture = Picture()
    for lane, top, height in places:
        _add_lane(picture, store, lane, view, top, height, metrics)
    return picture


def _add_lane(
    picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
) -> None:
    if lane.folds:
        add_summary(picture, store.summary(lane), view, top, height, metrics)
    elif lane.kind == "barrier":
        add_barrier(picture, store.barrier(lane), view, store.end, top, height, metrics)
        add_samples(picture, store.samples(lane), store.barrier(lane), view, top, height, metrics)
    elif lane.kind == "copy":
        _add_copies(picture, store, lane, view, top, height, metrics)
    else:
        add_intervals(picture, store.intervals(lane), view, top, height, metrics)


def _add_copies(
    picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
) -> None:
    copies = store.copies(lane)
    if not copies.rows:
        return
    places = sub_rows(top, height, len(copies.rows))
    for row, estimated, (row_top, row_height) in zip(copies.rows, copies.estimated, places, strict=True):
        add_intervals(picture, row, view, row_top, row_height, metrics)
        x = view.pixels(estimated)
        shown = x[(x > 0) & (x < view.width)]
        if len(shown) <= view.width // 8:
            picture.dashes += [Dash(float(at), row_top, row_top + row_height, "tma") for at in shown]
