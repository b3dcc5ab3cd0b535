"""The picture of the lanes in view: a pure function of (lanes, view, layout), and nothing of the focus."""

from __future__ import annotations

from visualizer.views.lanes import Lane
from visualizer.views.timeline_barriers import add_barrier
from visualizer.views.timeline_intervals import add_intervals
from visualizer.views.timeline_lanes import LaneStore
from visualizer.views.timeline_layout import LaneLayout
from visualizer.views.timeline_model import Dash, Metrics, Picture
from visualizer.views.timeline_samples import add_samples
from visualizer.views.timeline_scale import View


def lanes_picture(
    store: LaneStore, view: View, layout: LaneLayout, scroll: float, height: float, metrics: Metrics
) -> Picture:
    """The lanes between `scroll` and `scroll + height` of the stack; y 0 of the picture is at `scroll`."""
    picture = Picture()
    for row in layout.in_range(scroll, scroll + height):
        top = float(layout.top[row]) - scroll
        _add_lane(picture, store, store.lanes[row], view, top, float(layout.height[row]), metrics)
    return picture


def _add_lane(
    picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
) -> None:
    if lane.kind == "barrier":
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
    each = height / len(copies.rows)
    for index, (row, estimated) in enumerate(zip(copies.rows, copies.estimated, strict=True)):
        row_top = round(top + index * each)
        row_height = round(top + (index + 1) * each) - row_top - (1 if len(copies.rows) > 1 else 0)
        add_intervals(picture, row, view, row_top, row_height, metrics)
        x = view.pixels(estimated)
        shown = x[(x > 0) & (x < view.width)]
        if len(shown) <= view.width // 8:
            picture.dashes += [Dash(float(at), row_top, row_top + row_height, "tma") for at in shown]
