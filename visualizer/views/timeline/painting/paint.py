"""Paints the timeline's picture: every colour comes from the theme, every rectangle in a batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath

from visualizer.views.look.painting import brush, colour, draw_arrow_head, draw_rects, hatch_brush, pen
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.theme import PAINT_ROLES, Theme
from visualizer.views.timeline.painting.arrows_model import Arrow
from visualizer.views.timeline.painting.columns import TINT_ALPHA, hatch_colour, paint_columns
from visualizer.views.timeline.shapes.picture import Dash, Label, Layer, Metrics, Picture, Style

_PAD = 5.0  # pixels beside text
_EM = 16.0  # pixels of a line at scale 1


class Fonts:
    """The widget's font, plain and bold, with their metrics; text widths are cached, they are asked for often."""

    def __init__(self, font: QFont) -> None:
        self.plain = QFont(font)
        self.bold = QFont(font)
        self.bold.setBold(True)
        measure = QFontMetricsF(self.bold)
        self.em = float(measure.height())
        self.scale = max(round(self.em / _EM * 4) / 4, 1.0)
        """How much larger than at first lines and marks are; follows the font, and so the UI scale."""
        self.line = round(2 * self.scale)
        self.small = scaled_font(font, 0.8)  # for compact lanes, whose height is about half a line
        self.ascent = float(measure.ascent())
        plain = QFontMetricsF(self.plain)
        self.width = lru_cache(maxsize=20_000)(lambda text: float(measure.horizontalAdvance(text)))
        self.plain_width = lru_cache(maxsize=20_000)(lambda text: float(plain.horizontalAdvance(text)))
        self._bold = measure
        self.metrics = Metrics(self.em, self.width, self.scale)  # bold, the wider: what fits then fits in both

    def elided(self, text: str, room: float) -> str:
        """The text in bold with as much of it as has `room` pixels, and "…" if that is not all."""
        return str(self._bold.elidedText(text, Qt.TextElideMode.ElideRight, room))


def paint_picture(painter: QPainter, picture: Picture, theme: Theme, fonts: Fonts) -> None:
    """Rectangles by layer, then dashes, then labels."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    batches = picture.batches()
    below = [batch for batch in batches if batch[0].layer < Layer.HATCH]
    above = [batch for batch in batches if batch[0].layer >= Layer.HATCH]
    for style, rects in below:
        painter.setBrush(_brush(style, theme))
        draw_rects(painter, rects)
    paint_columns(painter, picture.columns, theme)
    for style, rects in above:
        painter.setBrush(_brush(style, theme))
        draw_rects(painter, rects)
    for dash in picture.dashes:
        _paint_dash(painter, dash, theme)
    _paint_labels(painter, picture.labels, theme, fonts)


def _brush(style: Style, theme: Theme) -> object:
    if style.part == "colour":
        return brush(theme.colour(style.role))
    if style.part == "tint":
        return brush(theme.colour(style.role), TINT_ALPHA[style.role])
    paint = theme.paint(style.role)
    if style.part == "hatch":
        return hatch_brush(hatch_colour(paint))
    return brush(paint.fill if style.part == "fill" else paint.outline)


def _paint_dash(painter: QPainter, dash: Dash, theme: Theme) -> None:
    painter.setPen(pen(theme.panel, 2.0, dashed=True))
    painter.drawLine(QPointF(dash.x, dash.top), QPointF(dash.x, dash.bottom))


def _paint_labels(painter: QPainter, labels: Sequence[Label], theme: Theme, fonts: Fonts) -> None:
    """Grouped by font, because changing it costs more than drawing a label."""
    for bold, font in ((False, fonts.plain), (True, fonts.bold)):
        painter.setFont(font)
        for label in labels:
            if label.bold == bold:
                _paint_label(painter, label, theme, fonts)


def _paint_label(painter: QPainter, label: Label, theme: Theme, fonts: Fonts) -> None:
    if label.role == "fold_count":
        painter.setPen(pen(theme.border))
        painter.setBrush(brush(theme.raised))
        middle = label.y + label.height / 2
        painter.drawRect(QRectF(round(label.x), round(middle - fonts.em / 2), round(label.width), round(fonts.em)))
        painter.setPen(colour(theme.text))
    else:
        painter.setPen(colour(theme.paint(label.role).text if label.role in PAINT_ROLES else theme.colour(label.role)))
    text_width = fonts.width(label.text) if label.bold else fonts.plain_width(label.text)
    x = label.x + (label.width - text_width) / 2
    if label.backed:
        patch = QRectF(
            round(x) - 3, round(label.y + (label.height - fonts.em) / 2), round(text_width) + 6, round(fonts.em)
        )
        painter.fillRect(patch, brush(theme.paint(label.role).fill))
    baseline = label.y + (label.height - fonts.em) / 2 + fonts.ascent
    painter.drawText(QPointF(round(x), round(baseline)), label.text)


def paint_text(painter: QPainter, fonts: Fonts, text: str, x: float, top: float, height: float) -> None:
    """One line, left at x, upright in the middle; in the painter's pen and font."""
    painter.drawText(QPointF(round(x), round(top + (height - fonts.em) / 2 + fonts.ascent)), text)


def paint_arrows(painter: QPainter, arrows: Sequence[Arrow], theme: Theme, fonts: Fonts) -> None:
    """Curves with a halo in the panel's colour, so that they show on every state."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    scale = fonts.scale
    for arrow in arrows:
        name = theme.colour(arrow.role)
        path = QPainterPath(QPointF(arrow.x, arrow.y))
        path.cubicTo(
            QPointF(arrow.x + arrow.reach, arrow.y),
            QPointF(arrow.to_x - arrow.reach - 8, arrow.to_y),
            QPointF(arrow.to_x - 8, arrow.to_y),
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in (pen(theme.panel, 5.0 * scale), pen(name, 2.4 * scale)):
            painter.setPen(line)
            painter.drawPath(path)
        painter.setPen(pen(theme.panel, 1.5))
        painter.setBrush(brush(name))
        painter.drawEllipse(QPointF(arrow.x, arrow.y), 4.5 * scale, 4.5 * scale)
        draw_arrow_head(painter, arrow.to_x, arrow.to_y, 1.0, 0.0, 11.0 * scale)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def paint_note(
    painter: QPainter, fonts: Fonts, theme: Theme, lines: Sequence[str], at: QPointF, bounds: QRectF
) -> None:
    """A small box of text beside a point, kept inside `bounds`."""
    width = max(fonts.width(line) for line in lines) + 2 * _PAD + 4
    height = len(lines) * fonts.em + 2 * _PAD
    x = at.x() + 16 if at.x() + 16 + width <= bounds.right() else at.x() - 12 - width
    y = at.y() + 18 if at.y() + 18 + height <= bounds.bottom() else at.y() - 8 - height
    box = QRectF(round(max(x, bounds.left())), round(max(y, bounds.top())), round(width), round(height))
    painter.setPen(pen(theme.hover))
    painter.setBrush(brush(theme.raised))
    painter.drawRect(box)
    painter.setPen(colour(theme.text))
    for index, line in enumerate(lines):
        painter.setFont(fonts.plain if index else fonts.bold)
        paint_text(painter, fonts, line, box.x() + _PAD + 2, box.y() + _PAD + index * fonts.em, fonts.em)
