"""The fields of the experiment panel: in passing the wheel scrolls the panel, and what was changed is in bold."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget


class _WheelWithFocus:
    """Lets the wheel pass unless the field has the focus."""

    def wheelEvent(self, event: Any) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SpinBox(_WheelWithFocus, QSpinBox):
    """No wider than it must be. Keys that write no number are the window's: "." steps on from a field, too."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(True)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("10000000 ns") + 20)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            text = event.text()
            if len(text) == 1 and text.isprintable() and text not in "0123456789-+":
                event.ignore()
                return False
        return super().event(event)


class WheelFreeChoice(_WheelWithFocus, QComboBox):
    """A choice that the wheel does not change in passing."""

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        super().__init__(*arguments, **properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


class ChoiceBox(WheelFreeChoice):
    """One of a few values, with room for each of them in bold."""

    def minimumSizeHint(self) -> QSize:
        bold = QFont(self.font())
        bold.setBold(True)
        texts = [self.itemText(index) for index in range(self.count())]
        widest = [max(map(metrics.horizontalAdvance, texts)) for metrics in (self.fontMetrics(), QFontMetrics(bold))]
        return super().minimumSizeHint() + QSize(widest[1] - widest[0], 0)


def show_changed(field: QWidget, changed: bool) -> None:
    """Set the field in bold if its value is not the usual one."""
    field.setProperty("changed", changed)
    field.style().unpolish(field)
    field.style().polish(field)
