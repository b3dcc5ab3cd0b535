"""Paints the ring: a Ring (what) and its RingShapes (where) become one picture.

Kept apart from RingWidget so that the same picture can go on any QPaintDevice.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from visualizer.language import mark, tr
from visualizer.views.look.painting import colour, hatch_brush, pen
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.theme import Paint, Theme, mix
from visualizer.views.ring.ring_frame_widget import consumer_lines
from visualizer.views.ring.ring_layout import Box, direction
from visualizer.views.ring.ring_picture import Ring, RingBarrier, RingCursor, RingStage
from visualizer.views.ring.ring_shapes_widget import Hit, RingShapes

WRAP_TEXT = mark("phase flips")
CENTRE = Qt.AlignmentFlag.AlignCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RingPicture:
    """One picture of the ring, ready to paint."""

    def __init__(self, ring: Ring, theme: Theme, shapes: RingShapes) -> None:
        self.ring = ring
        self.theme = theme
        self.shapes = shapes
        self.layout = shapes.layout
        self.sizes = shapes.sizes

    def paint(self, painter: QPainter) -> None:
        if self.ring.title:
            painter.setFont(self.sizes.bold)
            painter.setPen(pen(self.theme.text))
            box = self.shapes.title_box()
            title = QFontMetricsF(self.sizes.bold).elidedText(
                self.ring.title, Qt.TextElideMode.ElideMiddle, box.width() - 2 * self.sizes.margin
            )
            painter.drawText(box, CENTRE, title)
        for stage in self.ring.stages:
            self._paint_segment(painter, stage)
        self._paint_wrap(painter)
        for stage in self.ring.stages:
            self._paint_leader(painter, stage)
            self._paint_card(painter, stage)
        for cursor in self.ring.producers:
            self._paint_producer(painter, cursor)
        consumers = list(zip(self.ring.consumers, self.shapes.consumer_boxes, strict=True))
        for cursor, box in consumers:
            self._paint_consumer_pointer(painter, cursor, box)
        for cursor, box in consumers:
            font = self.shapes.pill_font
            lines = consumer_lines(cursor, self.shapes.brief)
            self._paint_pill(painter, cursor, self.theme.consumer, box, lines, font)

    def paint_key_mark(self, painter: QPainter, hit: Hit) -> None:
        """The dashed outline of what the arrow keys stand on."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self.theme.text, 2.0, dashed=True))
        painter.drawPath(hit.path)

    def _paint_segment(self, painter: QPainter, stage: RingStage) -> None:
        layout, paint = self.layout, self.theme.paint(stage.state)
        wedge = self.shapes.wedge(stage.index, layout.inner, layout.outer)
        painter.setPen(Qt.PenStyle.NoPen)
        under_way = mix(paint.fill, "#ffffff", 0.6)
        painter.setBrush(colour(under_way if stage.state == "filling" else paint.fill))
        painter.drawPath(wedge)
        if stage.state == "filling":
            # The buffer fills from the inside as bytes land; what is still under way is hatched.
            level = layout.inner + (layout.outer - layout.inner) * stage.filled
            painter.setBrush(hatch_brush(mix(paint.fill, "#000000", 0.3)))
            painter.drawPath(wedge)
            painter.setBrush(colour(paint.fill))
            painter.drawPath(self.shapes.wedge(stage.index, layout.inner, level))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(paint.outline, 2.0, dashed=stage.state == "empty"))
        painter.drawPath(self.shapes.wedge(stage.index, layout.inner, layout.outer, inset=1.0))
        if stage.focused:
            painter.setPen(pen(self.theme.accent, 4.0))
            painter.drawPath(self.shapes.wedge(stage.index, layout.inner, layout.outer, inset=2.0))
        self._paint_segment_text(painter, stage, paint)

    def _paint_segment_text(self, painter: QPainter, stage: RingStage, paint: Paint) -> None:
        painter.setPen(pen(paint.text))
        for text, font, box in self.shapes.frame.segment_texts(stage.index, stage.state, stage.tile):
            painter.setFont(font)
            painter.drawText(QRectF(*box).adjusted(-2, 0, 2, 0), CENTRE, text)

    def _paint_wrap(self, painter: QPainter) -> None:
        """Where a cursor wraps to index 0 and its phase flips; in words where there is room for them."""
        layout, pointer = self.layout, self.sizes.pointer
        angle = layout.angles[0] - layout.span / 2
        end = layout.outer + 0.7 * pointer
        painter.setPen(pen(self.theme.text, 3.0))
        painter.drawLine(
            QPointF(*layout.point(angle, layout.inner - 0.4 * pointer)), QPointF(*layout.point(angle, end))
        )
        font = scaled_font(self.sizes.text, 0.8, smallest=self.sizes.smallest)
        metrics = QFontMetricsF(font)
        width, height = metrics.horizontalAdvance(tr(WRAP_TEXT)), metrics.height()
        dx, dy = direction(angle)
        x, y = layout.point(angle, end + (abs(dx) * width + abs(dy) * height) / 2 + self.sizes.pad / 2)
        box = Box(x - width / 2, y - height / 2, width, height)
        if self.shapes.is_free(box):
            painter.setFont(font)
            painter.setPen(pen(self.theme.text_muted))
            painter.drawText(QRectF(*box), CENTRE, tr(WRAP_TEXT))

    def _paint_leader(self, painter: QPainter, stage: RingStage) -> None:
        """A line that ties a card to its segment; without barriers there is no card."""
        boxes = self.shapes.barrier_boxes(stage)
        if not boxes or not self.layout.faces(self.shapes.card_of[stage.index], stage.index):
            return
        x, y = self.layout.point(self.layout.angles[stage.index], self.layout.outer + 1)
        card = boxes[0] | boxes[-1]
        painter.setPen(pen(self.theme.border, 1.5))
        painter.drawLine(QPointF(x, y), _nearest_point(card, x, y))

    def _paint_card(self, painter: QPainter, stage: RingStage) -> None:
        boxes = self.shapes.barrier_boxes(stage)
        for barrier, box in zip(stage.barriers, boxes, strict=bool(boxes)):
            painter.setPen(pen(self.theme.border, 1.0))
            painter.setBrush(colour(self.theme.header))
            if barrier.focused:
                painter.setPen(pen(self.theme.accent, 3.0))
                painter.setBrush(colour(self.theme.selection))
            painter.drawRoundedRect(box, self.sizes.pad / 2, self.sizes.pad / 2)
            self._paint_barrier(painter, barrier, box)

    def _paint_barrier(self, painter: QPainter, barrier: RingBarrier, box: QRectF) -> None:
        sizes, theme = self.sizes, self.theme
        row = QRectF(box.x() + sizes.pad, box.y(), box.width() - 2 * sizes.pad, sizes.row)
        painter.setFont(sizes.text)
        painter.setPen(pen(theme.text))
        painter.drawText(row, LEFT, barrier.title)
        side = sizes.row * 0.8
        digit = QRectF(row.x() + sizes.label + sizes.pad, row.y() + (sizes.row - side) / 2, side, side)
        paint = {"0": theme.phase_even, "1": theme.phase_odd}.get(barrier.digit, theme.empty)
        painter.setBrush(colour(paint.fill) if barrier.valid else Qt.BrushStyle.NoBrush)
        painter.setPen(pen(paint.outline, 1.5, dashed=not barrier.valid))
        painter.drawRect(digit)
        painter.setPen(pen(paint.text))
        painter.setFont(sizes.number_bold)
        painter.drawText(digit, CENTRE, barrier.digit if barrier.valid else "-")
        painter.setFont(sizes.number)
        bar_left = digit.right() + sizes.pad
        self._paint_bar(
            painter, bar_left, row, sizes.arrived, barrier.arrived_share, theme.pending, barrier.arrived_text
        )
        if barrier.landed.expected:
            row.moveTop(row.top() + sizes.row)
            left = row.x()
            if not sizes.compact:
                painter.setFont(sizes.text)
                painter.setPen(pen(theme.text))
                painter.drawText(row, LEFT, tr("bytes"))
                left += QFontMetricsF(sizes.text).horizontalAdvance(tr("bytes")) + sizes.pad
            painter.setFont(sizes.number)
            self._paint_bar(painter, left, row, sizes.bytes, barrier.landed.share, theme.tx, barrier.landed.text)
        row.moveTop(row.top() + sizes.row)
        if barrier.owed and row.bottom() <= box.bottom() + 1:
            painter.setFont(sizes.bold)
            painter.setPen(pen(theme.waiting.outline))
            metrics = QFontMetricsF(sizes.bold)
            painter.drawText(row, LEFT, metrics.elidedText(barrier.owed, Qt.TextElideMode.ElideRight, row.width()))

    def _paint_bar(
        self, painter: QPainter, left: float, row: QRectF, text_width: float, share: float, fill: str, text: str
    ) -> None:
        """A bar of what has come, from `left`, its text on the right end of the row."""
        painter.setPen(pen(self.theme.text))
        painter.drawText(row, RIGHT, text)
        if self.sizes.compact:
            return
        height = self.sizes.row * 0.42
        width = row.right() - text_width - self.sizes.pad - left
        frame = QRectF(left, row.center().y() - height / 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(fill))
        painter.drawRect(QRectF(frame.x(), frame.y(), width * min(max(share, 0.0), 1.0), height))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self.theme.text_muted, 1.0))
        painter.drawRect(frame)

    def _paint_producer(self, painter: QPainter, cursor: RingCursor) -> None:
        layout, sizes = self.layout, self.sizes
        x, y = layout.point(layout.angles[cursor.index], layout.outer + 2)
        dx, dy = direction(layout.angles[cursor.index])
        self._paint_pointer(painter, self.theme.producer, x, y, -dx, -dy)
        if cursor.index not in self.shapes.card_of:
            return
        box = self.shapes.producer_box(cursor.index)
        if layout.faces(self.shapes.card_of[cursor.index], cursor.index):
            painter.setPen(pen(self.theme.producer.outline, 3.0))
            painter.drawLine(QPointF(x + dx * sizes.pointer, y + dy * sizes.pointer), _nearest_point(box, x, y))
        text, font = self.shapes.producer_label(cursor)
        self._paint_pill(painter, cursor, self.theme.producer, box, (text,), font)

    def _paint_consumer_pointer(self, painter: QPainter, cursor: RingCursor, box: QRectF) -> None:
        layout = self.layout
        x, y = layout.point(layout.angles[cursor.index], layout.inner - 2)
        dx, dy = direction(layout.angles[cursor.index])
        painter.setPen(pen(self.theme.consumer.outline, 3.0))
        painter.drawLine(QPointF(x - dx * self.sizes.pointer, y - dy * self.sizes.pointer), box.center())
        self._paint_pointer(painter, self.theme.consumer, x, y, dx, dy)

    def _paint_pointer(self, painter: QPainter, paint: Paint, x: float, y: float, dx: float, dy: float) -> None:
        """A triangle with its tip at (x, y), pointing along (dx, dy); slender, so that its tip is not in doubt."""
        length, half = 1.25 * self.sizes.pointer, 0.4 * self.sizes.pointer
        back = QPointF(x - dx * length, y - dy * length)
        side = QPointF(-dy * half, dx * half)
        painter.setPen(pen(paint.outline, 1.5))
        painter.setBrush(colour(paint.fill))
        painter.drawPolygon([QPointF(x, y), back + side, back - side])

    def _paint_pill(
        self,
        painter: QPainter,
        cursor: RingCursor,
        paint: Paint,
        box: QRectF,
        lines: tuple[str, ...],
        font: QFont,
    ) -> None:
        """A cursor's label. Waiting is a hatched vermillion edge beside the word; a wait that gave up, error purple."""
        corner = self.sizes.pad / 2
        painter.setBrush(colour(paint.fill))
        painter.setPen(pen(paint.outline, 1.5))
        painter.drawRoundedRect(box, corner, corner)
        if cursor.waits or cursor.gave_up:
            state = self.theme.error if cursor.gave_up else self.theme.waiting
            strip = QRectF(box.x(), box.y(), self.sizes.pad, box.height())
            painter.setBrush(colour(state.fill))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRect(strip)
            painter.setBrush(hatch_brush(state.text))
            painter.drawRect(strip)
        if cursor.focused:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(self.theme.accent, 3.0))
            painter.drawRoundedRect(box, corner, corner)
        painter.setPen(pen(paint.text))
        painter.setFont(font)
        line = box.height() / len(lines)
        left = self.sizes.pad if cursor.waits or cursor.gave_up else 0.0
        for number, text in enumerate(lines):
            painter.drawText(QRectF(box.x() + left, box.y() + number * line, box.width() - left, line), CENTRE, text)


def _nearest_point(box: QRectF, x: float, y: float) -> QPointF:
    """The point of a box nearest to (x, y)."""
    return QPointF(min(max(x, box.left()), box.right()), min(max(y, box.top()), box.bottom()))
