"""The ring's shapes in Qt's terms: segment outlines, boxes of barriers and cursors, and what a click hits.

Between ring_layout, which knows no fonts, with ring_frame_widget, which knows what stays from step to step, and
ring_paint_widget, which only paints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath

from visualizer.diagnosis.wording import state_word
from visualizer.language import tr
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.ring.ring_frame_widget import CARDS_AT_LEAST, RingFrame, consumer_lines
from visualizer.views.ring.ring_layout import Box, boxes_fit
from visualizer.views.ring.ring_picture import Ring, RingBarrier, RingCursor, RingStage

PILL_SCALES = (1.0, 0.9, 0.8, 0.7)
"""Sizes tried for the cursors' labels."""


@dataclass(frozen=True)
class Hit:
    """A shape that can be clicked, and what a click on it means."""

    path: QPainterPath
    kind: str  # "stage", "barrier", "agent"
    lane: str
    stage: int
    help: str


class RingShapes:
    """All shapes of one ring in its frame."""

    def __init__(self, ring: Ring, frame: RingFrame) -> None:
        self.ring = ring
        self.frame = frame
        self.sizes = frame.sizes
        self.bounds = frame.bounds
        self.layout = frame.layout
        self.card_of = self._cards()
        self.brief, self.pill_font, self.consumer_boxes = self._place_consumers()

    def _cards(self) -> dict[int, int]:
        """Which of the layout's cards a stage has: each its own, or, of a few, those of the producer's stage, then of
        what is in focus and of the consumers', each the nearer one."""
        if not self.layout.few:
            return {stage.index: stage.index for stage in self.ring.stages}
        focused = [s.index for s in self.ring.stages if s.focused or any(b.focused for b in s.barriers)]
        cursors = [[cursor.index for cursor in of] for of in (self.ring.producers, self.ring.consumers)]
        every = range(len(self.ring.stages))
        first, second = list(dict.fromkeys([*cursors[0], *focused, *cursors[1], *every]))[:CARDS_AT_LEAST]

        def way(card: int, stage: int) -> float:
            return self.layout.cards[card].gap_to(*self.layout.point(self.layout.angles[stage], self.layout.outer))

        straight = way(0, first) + way(1, second) <= way(1, first) + way(0, second)
        return {first: 0, second: 1} if straight else {first: 1, second: 0}

    def title_box(self) -> QRectF:
        return QRectF(self.bounds.x, self.bounds.y + self.sizes.margin, self.bounds.width, self.sizes.title)

    def wedge(self, stage: int, inner: float, outer: float, inset: float = 0.0) -> QPainterPath:
        """The part of a stage's segment between two radii, drawn in by `inset` pixels on every side."""
        layout = self.layout
        inner, outer = inner + inset, max(outer - inset, inner + inset)
        x, y = layout.centre
        circles = [QRectF(x - r, y - r, 2 * r, 2 * r) for r in (outer, inner)]
        path = QPainterPath()
        if layout.span >= 360.0:
            for circle in circles:
                path.addEllipse(circle)
            return path
        # Qt counts angles counter-clockwise from 3 o'clock. A gap of equal width at every radius parts neighbours.
        gap = self.sizes.char * 0.25 + inset
        half = [layout.span / 2 - _degrees(gap, radius) for radius in (outer, inner)]
        middle = 90.0 - layout.angles[stage]
        path.arcMoveTo(circles[0], middle + half[0])
        path.arcTo(circles[0], middle + half[0], -2 * half[0])
        path.arcTo(circles[1], middle - half[1], 2 * half[1])
        path.closeSubpath()
        return path

    def barrier_boxes(self, stage: RingStage) -> list[QRectF]:
        """The boxes of a stage's barriers in its card, one below the other; none where it has no card."""
        if stage.index not in self.card_of:
            return []
        at, sizes = self.card_of[stage.index], self.sizes
        card = self.layout.cards[at]
        gap = 0.6 * sizes.pad
        top = card.y + (sizes.row + gap if self.layout.slot_at_top[at] else 0.0)
        boxes: list[QRectF] = []
        for barrier in stage.barriers:
            boxes.append(QRectF(card.x, top, card.width, sizes.rows[barrier.kind] * sizes.row))
            top = boxes[-1].bottom() + gap
        return boxes

    def producer_box(self, stage: int) -> QRectF:
        """Where the producer's label goes while its cursor is at a stage: the card's row next to the ring."""
        at, row = self.card_of[stage], self.sizes.row
        card = self.layout.cards[at]
        top = card.y if self.layout.slot_at_top[at] else card.y + card.height - row
        return QRectF(card.x, top, card.width, row)

    def producer_label(self, cursor: RingCursor) -> tuple[str, QFont]:
        """The producer's label and its font: smaller if need be, and "P" if even that does not fit its box."""
        full = f"{', '.join(cursor.lines)} {cursor.state_text}"
        room = self.producer_box(cursor.index).width() - 2.5 * self.sizes.pad
        brief = (f"P {cursor.state_text}", f"P {cursor.brief_text}", "P")
        for text in (full, full.replace("producer", "P", 1), *brief):
            for font in self._pill_fonts():
                if QFontMetricsF(font).horizontalAdvance(text) <= room:
                    return text, font
        return text, font

    def is_free(self, box: Box) -> bool:
        """Whether a box lies in the pane and on no card."""
        bounds = self.bounds
        inside = all(
            bounds.x <= x <= bounds.x + bounds.width and bounds.y <= y <= bounds.y + bounds.height
            for x, y in box.corners
        )
        return inside and not any(box.overlaps(card) for card in self.layout.cards)

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """Everything that can be clicked, in painting order."""
        hits = []
        for stage in self.ring.stages:
            wedge = self.wedge(stage.index, self.layout.inner, self.layout.outer)
            places = self.barrier_boxes(stage)
            untold = [] if places else [_told(barrier) for barrier in stage.barriers]
            help_ = "\n".join((f"{stage.lane}: {state_word(stage.state)}", *untold))
            hits.append(Hit(wedge, "stage", stage.lane, stage.index, help_))
            hits += [
                Hit(_rectangle(place), "barrier", barrier.name, stage.index, _told(barrier))
                for barrier, place in zip(stage.barriers, places, strict=bool(places))
            ]
        boxes = [self.producer_box(cursor.index) for cursor in self.carded_producers] + self.consumer_boxes
        for cursor, box in zip(self.carded_producers + self.ring.consumers, boxes, strict=True):
            help_ = tr(
                "{names} at {cursor}",
                names=", ".join(cursor.lines),
                cursor=cursor.state_text,
            )
            hits.append(Hit(_rectangle(box), "agent", cursor.lanes[0], cursor.index, help_))
        return tuple(hits)

    @property
    def carded_producers(self) -> tuple[RingCursor, ...]:
        """Those whose stage has a card, which has a row for their label."""
        return tuple(cursor for cursor in self.ring.producers if cursor.index in self.card_of)

    def _pill_fonts(self) -> list[QFont]:
        smallest = self.sizes.smallest
        return [scaled_font(self.sizes.bold, scale, bold=True, smallest=smallest) for scale in PILL_SCALES]

    def _place_consumers(self) -> tuple[int, QFont, list[QRectF]]:
        """How brief the labels are, their font and boxes: beside their pointers, else stacked in the ring's middle."""
        centre, radius = self.layout.centre, self.layout.inner - self.sizes.pointer
        cursors = self.ring.consumers
        for brief in range(4 if self.sizes.smallest else 1):
            for font in self._pill_fonts():
                placed = [self._beside_pointer(cursor, self._pill_size(cursor, font, brief)) for cursor in cursors]
                if boxes_fit(placed, centre, self.layout.inner):
                    return brief, font, [QRectF(*box) for box in placed]
            for font in self._pill_fonts():
                stacked = self._stacked([self._pill_size(cursor, font, brief) for cursor in cursors])
                if boxes_fit(stacked, centre, radius):
                    return brief, font, [QRectF(*box) for box in stacked]
        return brief, font, [QRectF(*box) for box in stacked]

    def _pill_size(self, cursor: RingCursor, font: QFont, brief: int) -> tuple[float, float]:
        metrics = QFontMetricsF(font)
        lines = consumer_lines(cursor, brief)
        width = max(metrics.horizontalAdvance(line) for line in lines)
        return width + 2.5 * self.sizes.pad, metrics.height() * len(lines) + 0.5 * self.sizes.pad

    def _beside_pointer(self, cursor: RingCursor, size: tuple[float, float]) -> Box:
        """The label as far out along the cursor's angle as the inside of the ring allows."""
        angle = self.layout.angles[cursor.index]
        reach = self.layout.inner - self.sizes.pointer
        for part in range(20, -1, -1):
            x, y = self.layout.point(angle, reach * part / 20)
            box = Box(x - size[0] / 2, y - size[1] / 2, *size)
            if boxes_fit([box], self.layout.centre, reach):
                return box
        return box

    def _stacked(self, sizes: list[tuple[float, float]]) -> list[Box]:
        """One above the other in the middle, in the order of their pointers from the top: lines do not cross."""
        gap = self.sizes.pad / 2
        x, y = self.layout.centre
        top = y - (sum(height for _, height in sizes) + gap * (len(sizes) - 1)) / 2
        boxes = [Box(x, y, 0.0, 0.0)] * len(sizes)
        cursors = self.ring.consumers
        heights = [self.layout.point(self.layout.angles[cursor.index], 1.0)[1] for cursor in cursors]
        for number in sorted(range(len(sizes)), key=heights.__getitem__):
            width, height = sizes[number]
            boxes[number] = Box(x - width / 2, top, width, height)
            top += height + gap
        return boxes


def _told(barrier: RingBarrier) -> str:
    """A barrier in words."""
    return tr(
        "{name}: phase #{phase} (parity {parity}), arrived {arrived}; pending {pending}, tx {tx} bytes",
        name=barrier.called or barrier.name,
        phase=barrier.number,
        parity=barrier.digit,
        arrived=barrier.arrived_text,
        pending=barrier.pending,
        tx=barrier.tx,
    ) + (f"; {barrier.owed}" if barrier.owed else "")


def _degrees(length: float, radius: float) -> float:
    """The angle an arc of this length has."""
    return length / max(radius, 1.0) * 57.29578


def _rectangle(box: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRect(box)
    return path
