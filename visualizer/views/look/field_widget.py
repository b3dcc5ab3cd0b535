"""Fields whose value the wheel does not change in passing, and which ask for the room that their text takes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QSpinBox


class _WheelWithFocus:
    """Lets the wheel pass unless the field has the focus."""

    def wheelEvent(self, event: Any) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class NumberBox(_WheelWithFocus, QSpinBox):
    """A number."""

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        super().__init__(*arguments, **properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


class SpinBox(NumberBox):
    """No wider than it must be. Keys that write no number are the window's: "." steps on from a field, too."""

    def __init__(self) -> None:
        super().__init__()
        self.setKeyboardTracking(True)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            text = event.text()
            if len(text) == 1 and text.isprintable() and text not in "0123456789-+":
                event.ignore()
                return False
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("10000000 ns") + 20)


class WheelFreeChoice(_WheelWithFocus, QComboBox):
    """A choice."""

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        super().__init__(*arguments, **properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def changeEvent(self, event: QEvent) -> None:
        """Qt keeps how wide a choice must be from the font before, until the style changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))
            self.updateGeometry()


class ChoiceBox(WheelFreeChoice):
    """One of a few values, with room for each of them in bold."""

    def minimumSizeHint(self) -> QSize:
        bold = QFont(self.font())
        bold.setBold(True)
        texts = [self.itemText(index) for index in range(self.count())]
        widest = [max(map(metrics.horizontalAdvance, texts)) for metrics in (self.fontMetrics(), QFontMetrics(bold))]
        return super().minimumSizeHint() + QSize(widest[1] - widest[0], 0)
