"""Paints who waits for whom: boxes from left to right, arrows between them, a cycle's arrow back underneath."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.views.diagnosis.chain_model import Chain, ChainNode
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, colour, draw_arrow_head, hatch_brush, pen
from visualizer.views.look.pane_look_widget import scaled_font, smallest_text
from visualizer.views.look.theme import Paint, Theme, load_theme

SCALES = (1.0, 0.9, 0.8, 0.72)
"""Text sizes tried, largest first, over the widget's font."""
CENTRE = Qt.AlignmentFlag.AlignCenter


class ChainWidget(Painted, QWidget):
    """The chain of one finding. A click on a box asks for the focus it stands for; Up, Down and Enter do so by key."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Who waits for whom"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._theme = load_theme("dark")
        self._chain = Chain()
        self._key_node = -1
        self._focus: Focus | None = None
        self._measured: tuple[QFont, int, list[_Sizes]] | None = None

    def set_chain(self, chain: Chain) -> None:
        self._chain = chain
        self._measured = None
        self._key_node = -1
        self.setAccessibleDescription(chain.summary())
        self.updateGeometry()
        self.update()

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """As much as the smallest text needs."""
        return QSize(
            round(self._tried()[-1].width), round(_Sizes(self._chain, self.font(), smallest_text(self)).height)
        )

    def boxes(self) -> list[QRectF]:
        """Where each node stands, in their order."""
        sizes = self._sizes()
        spare = max(self.width() - sizes.width, 0.0) / max(len(sizes.widths), 1)
        rows = {c: 1 + max(n.row for n in self._chain.nodes if n.column == c) for c in range(len(sizes.widths))}
        boxes = []
        for node in self._chain.nodes:
            left = sizes.margin + sum(sizes.widths[: node.column]) + node.column * (sizes.gap + min(spare, sizes.gap))
            above = (sizes.rows - rows[node.column]) / 2 + node.row
            top = sizes.margin + above * (sizes.box + sizes.margin)
            boxes.append(QRectF(round(left), round(top), round(sizes.widths[node.column]), round(sizes.box)))
        return boxes

    def paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sizes, boxes = self._sizes(), self.boxes()
        for a, b in self._chain.edges:
            forward = self._chain.nodes[a].column < self._chain.nodes[b].column
            self._paint_edge(painter, boxes[a], boxes[b], forward, sizes)
        for node, box in zip(self._chain.nodes, boxes, strict=True):
            self._paint_node(painter, node, box, sizes)
        if self.hasFocus() and 0 <= self._key_node < len(boxes):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(self._theme.text, 2.0, dashed=True))
            painter.drawRect(boxes[self._key_node].adjusted(-3, -3, 3, 3))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        places = [index for index, node in enumerate(self._chain.nodes) if node.focus is not None]
        if places and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            change = 1 if event.key() == Qt.Key.Key_Down else -1
            at = places.index(self._key_node) + change if self._key_node in places else 0
            self._key_node = places[at % len(places)]
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._key_node in places:
            self.focus_requested.emit(self._chain.nodes[self._key_node].focus)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        node = self._node_at(event.position())
        if node is not None and node.focus is not None and event.button() == Qt.MouseButton.LeftButton:
            self.focus_requested.emit(node.focus)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        node = self._node_at(event.position())
        leads = node is not None and node.focus is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def _sizes(self) -> _Sizes:
        tried = self._tried()
        return next((sizes for sizes in tried if sizes.width <= self.width()), tried[-1])

    def _tried(self) -> list[_Sizes]:
        """All there are, largest first; where text may not shrink, the last one leaves the details out. Measured once
        for a chain and a font: layouts ask dozens of times, and every move of the mouse."""
        font, smallest = self.font(), smallest_text(self)
        if self._measured is None or self._measured[:2] != (font, smallest):
            fonts = [scaled_font(font, scale, smallest=smallest) for scale in SCALES]
            tried = [_Sizes(self._chain, one, smallest) for one in fonts]
            tried += [_Sizes(self._chain, fonts[-1], smallest, details=False)] if smallest else []
            self._measured = font, smallest, tried
        return self._measured[2]

    def _node_at(self, point: QPointF) -> ChainNode | None:
        pairs = zip(self._chain.nodes, self.boxes(), strict=True)
        return next((node for node, box in pairs if box.contains(point)), None)

    def _paint_node(self, painter: QPainter, node: ChainNode, box: QRectF, sizes: _Sizes) -> None:
        theme = self._theme
        plain = Paint(theme.header, theme.text_muted, theme.text)
        paint = theme.error if node.kind == "nobody" else theme.waiting if node.root else plain
        corner = 3.0 if node.kind == "barrier" else box.height() / 3
        painter.setBrush(brush(paint.fill))
        painter.setPen(pen(paint.outline, 1.5, dashed=node.kind == "nobody"))
        painter.drawRoundedRect(box, corner, corner)
        if node.root and node.kind == "agent":
            # Blocked lanes are hatched everywhere; here at the edge only, so that the words stay readable.
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(hatch_brush(paint.text))
            painter.drawRoundedRect(QRectF(box.x(), box.y(), sizes.margin * 1.5, box.height()), 3, 3)
        if node.focus is not None and node.focus == self._focus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(theme.accent, 3.0))
            painter.drawRoundedRect(box, corner, corner)
        painter.setPen(colour(paint.text))
        if not sizes.details:
            painter.setFont(sizes.bold)
            painter.drawText(box, CENTRE, node.title)
            return
        half = box.height() / 2
        for font, text, top in ((sizes.bold, node.title, 0.08), (sizes.plain, node.detail, 0.92)):
            painter.setFont(font)
            painter.drawText(QRectF(box.x(), box.y() + top * half, box.width(), half), CENTRE, text)

    def _paint_edge(self, painter: QPainter, a: QRectF, b: QRectF, forward: bool, sizes: _Sizes) -> None:
        line = self._theme.waiting.outline
        head = sizes.gap * 0.4
        painter.setPen(pen(line, 2.0))
        painter.setBrush(brush(line))
        if forward:
            start, end = QPointF(a.right(), a.center().y()), QPointF(b.left(), b.center().y())
            painter.drawLine(start, QPointF(end.x() - head, end.y()))
            painter.setPen(Qt.PenStyle.NoPen)
            draw_arrow_head(painter, end.x(), end.y(), 1, 0, head)
            return
        below = sizes.margin + sizes.rows * (sizes.box + sizes.margin) + sizes.margin / 2
        corners = [
            QPointF(a.center().x(), a.bottom()),
            QPointF(a.center().x(), below),
            QPointF(b.center().x(), below),
            QPointF(b.center().x(), b.bottom() + head),
        ]
        painter.drawPolyline(corners)
        painter.setPen(Qt.PenStyle.NoPen)
        draw_arrow_head(painter, b.center().x(), b.bottom(), 0, -1, head)


class _Sizes:
    """What a chain needs at one text size, in pixels."""

    def __init__(self, chain: Chain, font: QFont, smallest: int = 0, details: bool = True) -> None:
        self.details = details
        self.bold = scaled_font(font, 1.0, bold=True)
        self.plain = scaled_font(font, 0.85, smallest=smallest)
        bold, plain = QFontMetricsF(self.bold), QFontMetricsF(self.plain)
        self.margin = bold.height() * 0.4
        self.gap = bold.height() * 1.2
        self.box = (bold.height() + plain.height()) * 1.1
        columns = 1 + max((node.column for node in chain.nodes), default=-1)
        self.widths = [0.0] * columns
        for node in chain.nodes:
            text = max(bold.horizontalAdvance(node.title), details * plain.horizontalAdvance(node.detail))
            edge = 3.0 if node.root else 1.5  # room for the hatch
            self.widths[node.column] = max(self.widths[node.column], text + 2 * edge * self.margin)
        self.rows = 1 + max((node.row for node in chain.nodes), default=-1)
        self.width = sum(self.widths) + max(columns - 1, 0) * self.gap + 2 * self.margin
        back = any(chain.nodes[a].column >= chain.nodes[b].column for a, b in chain.edges)
        self.height = self.margin + self.rows * (self.box + self.margin) + (1.5 * self.margin if back else 0.0)
