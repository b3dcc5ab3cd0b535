"""The base of every widget that paints itself: whatever its picture meets, the painter ends and the window lives.

An exception that leaves `paintEvent` keeps the painter alive in its traceback, and Qt ends the process when a widget is
shown that is still being painted. So `paintEvent` stands here alone; widgets have `paint`.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from visualizer.language import tr
from visualizer.views.look.painting import painter_on

_ROOM = 8  # pixels around the sentence


class Painted:
    """Mixed into a widget, before Qt's class: `paint` draws the widget, or the viewport of one that scrolls."""

    def paint(self, painter: QPainter) -> None:
        """Draw the whole widget."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        """What `paint` raises is said in the widget, and told as any defect is."""
        surface = self.viewport() if isinstance(self, QAbstractScrollArea) else self
        assert isinstance(surface, QWidget)
        try:
            with painter_on(surface) as painter:
                self.paint(painter)
        except Exception as error:
            _say(surface, error)
            sys.excepthook(type(error), error, error.__traceback__)


def _say(surface: QWidget, error: Exception) -> None:
    """In place of the picture, in the widget's own colours."""
    with painter_on(surface) as painter:
        painter.fillRect(surface.rect(), surface.palette().base())
        painter.setPen(surface.palette().text().color())
        sentence = tr("This cannot be drawn: {kind}: {error}", kind=type(error).__name__, error=error)
        room = surface.rect().adjusted(_ROOM, _ROOM, -_ROOM, -_ROOM)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, sentence)
