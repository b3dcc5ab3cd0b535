"""What only the lecturer sees: notes, the caption on stage and the next one, and how long the lecture has run."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from visualizer.language import tr
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.plain_text_widget import PlainLabel


class PresenterWindow(QWidget):
    """A second window, for the lecturer's own screen. It passes its keys on, so the remote works wherever it points."""

    key_pressed = Signal(QKeyEvent)
    closed = Signal()

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.setObjectName("presenterView")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._clock, self._started = clock, clock()
        self.place, self.time = _text(1.2, bold=True), _text(1.6, bold=True)
        self.now, self.notes, self.following = _text(1.1), _text(1.5), _text(1.1)
        self._titles = [_text(0.9, bold=True) for _ in range(3)]
        grid = QGridLayout(self)
        grid.setContentsMargins(24, 16, 24, 16)
        grid.addWidget(self.place, 0, 0)
        grid.addWidget(self.time, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self._titles[0], 1, 0)
        grid.addWidget(self._titles[1], 1, 1)
        grid.addWidget(self.notes, 2, 0, 3, 1)
        grid.addWidget(self.now, 2, 1)
        grid.addWidget(self._titles[2], 3, 1)
        grid.addWidget(self.following, 4, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        grid.setRowStretch(2, 1)
        grid.setRowStretch(4, 1)
        self.resize(900, 560)
        self._tick = QTimer(self)
        self._tick.setInterval(1000)
        self._tick.timeout.connect(self.show_time)
        self._tick.start()
        self.show_time()

    def show_beat(self, place: str, notes: str, now: str, following: str) -> None:
        self.setWindowTitle(tr("Presenter view - phasescope"))
        for title, text in zip(self._titles, (tr("Notes"), tr("On stage"), tr("Next")), strict=True):
            title.setText(text)
        self.place.setText(place)
        self.notes.setText(notes or tr("No notes for this step."))
        self.now.setText(now)
        self.following.setText(following or tr("The end."))

    def show_time(self) -> None:
        """Minutes and seconds since the lecture began."""
        minutes, seconds = divmod(int(self._clock() - self._started), 60)
        self.time.setText(f"{minutes}:{seconds:02}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.key_pressed.emit(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._tick.stop()
        super().closeEvent(event)
        self.closed.emit()

    def showEvent(self, event) -> None:
        self._tick.start()
        super().showEvent(event)


def _text(scale: float, *, bold: bool = False) -> PlainLabel:
    label = PlainLabel(wordWrap=True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    label.setFont(scaled_font(label.font(), scale, bold=bold))
    return label
