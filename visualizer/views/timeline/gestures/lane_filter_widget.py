"""The line in the timeline's corner that filters lanes while one types."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from visualizer.language import tr
from visualizer.views.timeline.layers.frame import Frame


class LaneFilter(QLineEdit):
    """Hidden until asked for; Escape clears and hides it, Return keeps the filter and gives the keyboard back."""

    text_changed = Signal(str)

    def __init__(self, timeline: QWidget) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self.setAccessibleName(tr("Lane filter"))
        self.setPlaceholderText(tr("lanes: full cta3"))
        self.setClearButtonEnabled(True)
        self.textChanged.connect(self.text_changed)
        self.hide()

    def open(self) -> None:
        self.show()
        self.raise_()
        self.setFocus()
        self.selectAll()

    def place(self, frame: Frame) -> None:
        """Over the corner between names and ruler."""
        self.setGeometry(QRect(0, 0, round(frame.names.width()), round(frame.ruler.height())))

    def clear_quietly(self) -> None:
        """Another recording: no filter."""
        self.blockSignals(True)
        self.clear()
        self.blockSignals(False)
        self.hide()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        if not self.text():
            self.hide()
        self._timeline.setFocus()
