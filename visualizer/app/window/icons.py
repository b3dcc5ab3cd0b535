"""The transport's icons, drawn as paths in the theme's text colour, so that they are sharp at any scale."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPixmap, QPolygonF

from visualizer.views.look.painting import painter_on
from visualizer.views.look.theme import Theme

_Shape = tuple[str, float, float]
"""("right" | "left" | "bar" | "flip", x of its left edge, width), in a unit square."""

_ICONS: dict[str, tuple[_Shape, ...]] = {
    "step.first": (("bar", 0.14, 0.12), ("left", 0.30, 0.56)),
    "step.previous": (("left", 0.22, 0.52),),
    "step.next": (("right", 0.26, 0.52),),
    "step.last": (("right", 0.14, 0.56), ("bar", 0.74, 0.12)),
    "step.previous_phase": (("left", 0.04, 0.40), ("flip", 0.48, 0.48)),
    "step.next_phase": (("flip", 0.04, 0.48), ("right", 0.56, 0.40)),
    "play": (("right", 0.22, 0.64),),
    "pause": (("bar", 0.22, 0.2), ("bar", 0.58, 0.2)),
}


def icon(name: str, theme: Theme) -> QIcon:
    """The icon `name` in the colours of `theme`."""
    return QIcon(_PathEngine(_ICONS[name], QColor(theme.text), QColor(theme.text_disabled)))


class _PathEngine(QIconEngine):
    def __init__(self, shapes: tuple[_Shape, ...], colour: QColor, disabled: QColor) -> None:
        super().__init__()
        self._shapes = shapes
        self._colour = colour
        self._disabled = disabled

    def clone(self) -> QIconEngine:
        return _PathEngine(self._shapes, self._colour, self._disabled)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        with painter_on(pixmap) as painter:
            self.paint(painter, pixmap.rect(), mode, state)
        return pixmap

    def paint(self, painter: QPainter, rect: object, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.x(), rect.y())
        painter.scale(rect.width(), rect.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._disabled if mode == QIcon.Mode.Disabled else self._colour)
        for kind, x, width in self._shapes:
            painter.drawPath(_PATHS[kind](x, width))
        painter.restore()


def _right(x: float, width: float) -> QPainterPath:
    return _polygon((x, 0.14), (x + width, 0.5), (x, 0.86))


def _left(x: float, width: float) -> QPainterPath:
    return _polygon((x + width, 0.14), (x, 0.5), (x + width, 0.86))


def _bar(x: float, width: float) -> QPainterPath:
    path = QPainterPath()
    path.addRect(QRectF(x, 0.14, width, 0.72))
    return path


def _flip(x: float, width: float) -> QPainterPath:
    """A waveform that goes from 0 to 1: a phase completes."""
    middle, line = x + width / 2, 0.11
    return _polygon(
        (x, 0.80 - line), (middle - line / 2, 0.80 - line), (middle - line / 2, 0.2), (x + width, 0.2),
        (x + width, 0.2 + line), (middle + line / 2, 0.2 + line), (middle + line / 2, 0.80), (x, 0.80),
    )  # fmt: skip


def _polygon(*points: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()
    return path


_PATHS: dict[str, Callable[[float, float], QPainterPath]] = {
    "right": _right,
    "left": _left,
    "bar": _bar,
    "flip": _flip,
}
