"""Pictures of single lanes with a font whose letters are all 8 pixels wide, so that expected labels can be counted."""

from __future__ import annotations

from visualizer.replay.history import State
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.lanes.lanes_picture import lanes_picture
from visualizer.views.timeline.lanes.text import Value
from visualizer.views.timeline.shapes.picture import Metrics, Picture
from visualizer.views.timeline.time.scale import View

METRICS = Metrics(em=16.0, text_width=lambda text: 8.0 * len(text))
HEIGHT = 40.0


def lane_picture(store: LaneStore, key: str, view: View, height: float = HEIGHT) -> Picture:
    """One lane between y 0 and `height`."""
    lane = store.lanes[store.row_of[key]]
    return lanes_picture(store, [(lane, 0.0, height)], view, METRICS)


def lane_value(store: LaneStore, state: State, lane: Lane) -> Value:
    return kind_of(lane).value(store, state, lane)


def hover_note(store: LaneStore, lane: Lane, view: View, x: float, sub_row: float) -> list[str]:
    return kind_of(lane).note(store, lane, view, x, sub_row)
