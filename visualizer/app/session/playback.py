"""Playing: a timer that moves the focus at the Player's pace. The pace itself knows nothing of Qt."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from visualizer.app.session.navigator import Navigator
from visualizer.playback.player import SPEEDS, Player

_FRAME_MS = 16
_LONGEST_S = 0.25
"""After a stall (a dialog, a slow frame) go on from here instead of leaping over what was missed."""


class Playback(QObject):
    """Plays the navigator's recording; pauses by itself at the end."""

    playing_changed = Signal(bool)
    speed_changed = Signal(float)

    def __init__(self, navigator: Navigator, parent: QObject) -> None:
        super().__init__(parent)
        self._navigator = navigator
        self._player = Player()
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(lambda: self.advance(self._clock.restart() / 1000))

    @property
    def is_playing(self) -> bool:
        return self._player.playing

    @property
    def speed(self) -> float:
        """Events per second."""
        return self._player.speed

    def toggle(self) -> None:
        if self._player.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Play on; at the end, again from the start."""
        if self._navigator.focus is None:
            return
        if self._navigator.at_end:
            self._navigator.first()
        self._player.play()
        self._clock.start()
        self._timer.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        self._player.pause()
        if self._timer.isActive():
            self._timer.stop()
            self.playing_changed.emit(False)

    def set_speed(self, speed: float) -> None:
        if speed != self._player.speed:
            self._player.set_speed(speed)
            self.speed_changed.emit(speed)

    def faster(self) -> None:
        self.set_speed(min((speed for speed in SPEEDS if speed > self.speed), default=SPEEDS[-1]))

    def slower(self) -> None:
        self.set_speed(max((speed for speed in SPEEDS if speed < self.speed), default=SPEEDS[0]))

    def advance(self, elapsed_s: float) -> None:
        """Move the focus by what `elapsed_s` seconds of playing are worth."""
        focus = self._navigator.focus
        if focus is None:
            return
        self._navigator.pass_through(
            self._player.advance(min(elapsed_s, _LONGEST_S), focus.step, self._navigator.steps)
        )
        if not self._player.playing:
            self.pause()
