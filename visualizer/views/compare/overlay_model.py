"""An overlay of two recordings as a picture: a lane for each agent, a above and b below, and a mark where they differ.

Pure, as timeline_model is: coordinates are pixels, y 0 the top of the first lane.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.comparison.compare_overlay import Overlay, OverlayLane
from visualizer.diagnosis.wording import duration
from visualizer.language import mark, tr
from visualizer.recording.tables import without_cta
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.spans import Spans
from visualizer.views.ring.ring_picture import ACTIVITY_WORDS
from visualizer.views.timeline.lanes.lane_store import AGENT_ROLES
from visualizer.views.timeline.shapes.intervals import Intervals, add_intervals, make_intervals
from visualizer.views.timeline.shapes.picture import Layer, Metrics, Picture, Style
from visualizer.views.timeline.time.scale import View

DIFFERENCE = Style(Layer.MARK, "accent", "colour")
ANCHOR = Style(Layer.CURVE, "text", "colour")
STATES = (
    ("running", mark("running")),
    ("waiting", mark("waiting")),
    ("reading", mark("reading")),
    ("error", mark("gave up")),
)
"""What an agent's row is painted in, and what that means: Paint roles with their words, for a key."""
FLAG_GAP = 4.0
_LEAST_MARK = 1.0  # pixels: a short difference is seen all the same
_MARK, _GAP = 4, 6  # pixels at scale 1: between the two rows of a lane, and below it


class OverlayPicture:
    """Draws one overlay at any zoom; what does not hang on the zoom is worked out once."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._lanes = [
            (_intervals(lane.a, overlay.titles[0]), _intervals(lane.b, overlay.titles[1])) for lane in overlay.lanes
        ]

    def lane_height(self, metrics: Metrics) -> float:
        """Two rows of intervals, the mark between them, and a gap."""
        return 2 * self.row_height(metrics) + (_MARK + _GAP) * metrics.scale

    def row_tops(self, lane: int, metrics: Metrics) -> tuple[float, float]:
        """Where a's and b's row of a lane begin."""
        top = lane * self.lane_height(metrics)
        return top, top + self.row_height(metrics) + _MARK * metrics.scale

    def row_at(self, y: float, metrics: Metrics) -> tuple[int, bool] | None:
        """The lane at y, and whether its lower row, b's, is the nearer; None: there is none."""
        lane, below = divmod(y, self.lane_height(metrics))
        if not 0 <= lane < len(self._lanes):
            return None
        return int(lane), below >= self.row_height(metrics) + _MARK * metrics.scale / 2

    def draw(self, view: View, metrics: Metrics) -> Picture:
        """All lanes under each other, and the anchor's moment as a line through them."""
        picture, row, unit = Picture(), self.row_height(metrics), metrics.scale
        for number, (lane, (a, b)) in enumerate(zip(self._overlay.lanes, self._lanes, strict=True)):
            top, top_b = self.row_tops(number, metrics)
            add_intervals(picture, a, view, top, row, metrics)
            add_intervals(picture, b, view, top_b, row, metrics)
            seen = lane.differs[(lane.differs[:, 1] > view.start) & (lane.differs[:, 0] < view.end)]
            left, right = (view.pixels(seen[:, end]).clip(0, view.width) for end in (0, 1))
            picture.add(DIFFERENCE, left, top + row, (right - left).clip(_LEAST_MARK), _MARK * unit)
        if self._lanes and view.contains(self._overlay.at):
            height = len(self._lanes) * self.lane_height(metrics)
            picture.add_one(ANCHOR, view.pixel(self._overlay.at), 0.0, unit, height)
        return picture

    @staticmethod
    def row_height(metrics: Metrics) -> float:
        """Of one recording's intervals."""
        return round(metrics.em * 1.1)


def _intervals(spans: Spans, titles: Sequence[str]) -> Intervals:
    return make_intervals(spans, AGENT_ROLES, lambda row: _texts(spans, titles, row))


def _texts(spans: Spans, titles: Sequence[str], row: int) -> list[str]:
    """Longest first: what it does and with which tile, which tile, what it does; of a wait, for which barrier."""
    state, tile, barrier = AgentActivity(int(spans.state[row])), int(spans.tile[row]), int(spans.barrier[row])
    word = tr(ACTIVITY_WORDS[state])
    if state == AgentActivity.WAITING and barrier >= 0:
        name = without_cta(titles[barrier])
        waits = tr("waits {name}", name=name)
        return [waits, name] if tile < 0 else [tr("waits {name} · tile {tile}", name=name, tile=tile), waits, name]
    if tile < 0:
        return [word]
    named = tr("tile {n}", n=tile)
    return [f"{word} · {named}", named, word]


def hover_note(overlay: Overlay, lane: OverlayLane, time: int) -> list[str]:
    """What the agent does at `time` (ps on a's axis) in both, each by its own clock, and whether they differ."""
    lines = [lane.name, _doing("a", lane.a, overlay.titles[0], time, 0)]
    lines.append(_doing("b", lane.b, overlay.titles[1], time, overlay.shift))
    row = int(np.searchsorted(lane.differs[:, 0], time, side="right")) - 1
    if row >= 0 and time < lane.differs[row, 1]:
        begin, end = lane.differs[row].tolist()
        lines.append(tr("not in the same state for {time}", time=duration(end - begin)))
    return lines


def _doing(name: str, spans: Spans, titles: Sequence[str], time: int, shift: int) -> str:
    row = int(np.searchsorted(spans.start, time, side="right")) - 1
    if row < 0 or spans.end[row] < time:
        return tr("{recording}: not running", recording=name)
    begin, end = int(spans.start[row]) - shift, int(spans.end[row]) - shift
    return tr(
        "{recording}: {doing}, {length} from {begin}",
        recording=name,
        doing=_texts(spans, titles, row)[0],
        length=duration(end - begin),
        begin=duration(begin),
    )


def next_difference(overlay: Overlay, lanes: Sequence[int], time: int, forward: bool) -> tuple[int, int] | None:
    """Of these lanes the nearest stretch that differs and begins after (or before) `time`: its lane and begin (ps)."""
    found: list[tuple[int, int]] = []
    for lane in lanes:
        begins: NDArray[np.int64] = overlay.lanes[lane].differs[:, 0]
        row = int(begins.searchsorted(time, side="right" if forward else "left")) - (0 if forward else 1)
        if 0 <= row < len(begins):
            found.append((lane, int(begins[row])))
    return min(found, key=lambda one: abs(one[1] - time), default=None)


def place_flags(middles: Sequence[float], widths: Sequence[float], left: float, right: float) -> list[float]:
    """Where flags of these widths begin so that each stands as near its middle as the others and the ends allow."""
    order = sorted(range(len(middles)), key=lambda flag: middles[flag])
    at = [0.0] * len(middles)
    free = left
    for flag in order:
        at[flag] = max(middles[flag] - widths[flag] / 2, free)
        free = at[flag] + widths[flag] + FLAG_GAP
    free = right
    for flag in reversed(order):
        at[flag] = min(at[flag], free - widths[flag])
        free = at[flag] - FLAG_GAP
    return at
