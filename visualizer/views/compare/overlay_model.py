"""An overlay of two recordings as a picture: a lane for each agent, a above and b below, and a mark where they differ.

Pure, as timeline_model is: coordinates are pixels, y 0 the top of the first lane.
"""

from __future__ import annotations

from visualizer.diagnosis.comparison.compare_overlay import Overlay
from visualizer.language import tr
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.spans import Spans
from visualizer.views.ring.ring_model import ACTIVITY_WORDS
from visualizer.views.timeline.intervals import Intervals, add_intervals, make_intervals
from visualizer.views.timeline.lane_store import AGENT_ROLES
from visualizer.views.timeline.picture import Layer, Metrics, Picture, Style
from visualizer.views.timeline.scale import View

DIFFERENCE = Style(Layer.MARK, "accent", "colour")
ANCHOR = Style(Layer.CURVE, "accent", "colour")
_LEAST_MARK = 1.0  # pixels: a short difference is seen all the same


class OverlayPicture:
    """Draws one overlay at any zoom; what does not hang on the zoom is worked out once."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._lanes = [(_intervals(lane.a), _intervals(lane.b)) for lane in overlay.lanes]

    def lane_height(self, metrics: Metrics) -> float:
        """Two rows of intervals, the mark between them, and a gap."""
        return 2 * self._row(metrics) + 6 * metrics.scale

    def draw(self, view: View, metrics: Metrics) -> Picture:
        """All lanes under each other, and the anchor's moment as a line through them."""
        picture, row, unit = Picture(), self._row(metrics), metrics.scale
        for number, (lane, (a, b)) in enumerate(zip(self._overlay.lanes, self._lanes, strict=True)):
            top = number * self.lane_height(metrics)
            add_intervals(picture, a, view, top, row, metrics)
            add_intervals(picture, b, view, top + row + 2 * unit, row, metrics)
            seen = lane.differs[(lane.differs[:, 1] > view.start) & (lane.differs[:, 0] < view.end)]
            left, right = (view.pixels(seen[:, end]).clip(0, view.width) for end in (0, 1))
            picture.add(DIFFERENCE, left, top + row, (right - left).clip(_LEAST_MARK), 2 * unit)
        if self._lanes and view.contains(self._overlay.at):
            height = len(self._lanes) * self.lane_height(metrics)
            picture.add_one(ANCHOR, view.pixel(self._overlay.at), 0.0, unit, height)
        return picture

    @staticmethod
    def _row(metrics: Metrics) -> float:
        return round(metrics.em * 1.1)


def _intervals(spans: Spans) -> Intervals:
    return make_intervals(spans, AGENT_ROLES, lambda row: _texts(spans, row))


def _texts(spans: Spans, row: int) -> list[str]:
    """Longest first: what it does and with which tile, which tile, what it does."""
    word = tr(ACTIVITY_WORDS[AgentActivity(int(spans.state[row]))])
    tile = int(spans.tile[row])
    return [word] if tile < 0 else [f"{word} · tile {tile}", f"tile {tile}", word]
