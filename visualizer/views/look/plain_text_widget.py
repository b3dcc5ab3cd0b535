"""Text that people see and that a file may have brought: shown as the characters it is, never read as markup.

Qt takes what looks like HTML for HTML: in a label, in a tooltip. A name from a file could then load another file. So
labels are PlainLabel and tooltips go through `tip`; a test holds that no other way is left.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, Qt, QTextLayout
from PySide6.QtWidgets import QFrame, QLabel

from visualizer.views.look.painted_widget import Painted

WIDEST_WORD = 200
"""Pixels that a label which wraps its text keeps for a word that it cannot break."""


class PlainLabel(QLabel):
    """A label whose text is plain text."""

    def __init__(self, *arguments, **properties) -> None:
        super().__init__(*arguments, textFormat=Qt.TextFormat.PlainText, **properties)

    def minimumSizeHint(self) -> QSize:
        """Of lines that wrap no more than `WIDEST_WORD`: one word of a file, however long, makes no window as wide."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), WIDEST_WORD), hint.height()) if self.wordWrap() else hint


class ElidedLabel(Painted, PlainLabel):
    """A plain label that ends in "…" where it has no room for its whole text, which `text()` still is."""

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.shown()
        if len(shown) == 1 and shown[0] == self.text():
            QLabel.paintEvent(self, event)
            return
        QFrame.paintEvent(self, event)  # the style sheet's ground and border
        Painted.paintEvent(self, event)

    def paint(self, painter: QPainter) -> None:
        shown, room, line = self.shown(), self.contentsRect(), self.fontMetrics().lineSpacing()
        top = room.top() + (room.height() - len(shown) * line) / 2
        painter.setPen(self.palette().color(self.foregroundRole()))
        for number, text in enumerate(shown):
            painter.drawText(QPointF(room.left(), top + number * line + self.fontMetrics().ascent()), text)

    def shown(self) -> list[str]:
        """The lines that it paints, the last one elided if need be; the whole text as one where all of it fits."""
        room, metrics, text = self.contentsRect(), self.fontMetrics(), self.text()
        most = max(room.height() // metrics.lineSpacing(), 1) if self.wordWrap() else 1
        starts = self._line_starts(room.width()) if self.wordWrap() else [0]
        if len(starts) <= most and (self.wordWrap() or metrics.horizontalAdvance(text) <= room.width()):
            return [text]
        lines = [text[begin:end].strip() for begin, end in zip(starts[:most], [*starts[1:most], None], strict=True)]
        return [*lines[:-1], metrics.elidedText(lines[-1], Qt.TextElideMode.ElideRight, room.width())]

    def _line_starts(self, width: int) -> list[int]:
        layout, starts = QTextLayout(self.text(), self.font()), []
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            starts.append(line.textStart())
        layout.endLayout()
        return starts or [0]


def tip(text: str) -> str:
    """`text` as a tooltip. A tooltip has no plain format: what Qt would read as markup is quoted."""
    return f"<span style='white-space: pre-wrap'>{escape(text)}</span>" if Qt.mightBeRichText(text) else text
