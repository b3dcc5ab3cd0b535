"""The stretch that is marked on the timeline: dragged out, or from an event to wherever the focus goes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPainter

from visualizer.views.look.theme import Theme
from visualizer.views.timeline.gestures.measure import Measurement, TileCount, measurement_text, paint_measurement
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import Fonts
from visualizer.views.words.context import cta_at


class Measuring(QObject):
    """Of one timeline; times in ps. `changed` carries the Measurement that is marked now; None: nothing is."""

    changed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.measured: Measurement | None = None
        self._from: int | None = None
        self._tiles: TileCount | None = None

    @property
    def follows(self) -> bool:
        """Whether the measurement goes with the focus."""
        return self._from is not None

    def begin_anew(self) -> None:
        """Another recording: nothing is marked in it."""
        self.measured = self._from = self._tiles = None
        self.changed.emit(None)

    def toggle(self, time: int | None) -> None:
        """Measure from `time`, the focused event's if there is one; once more keeps what was measured."""
        if self._from is not None:
            self._from = None
        elif time is not None:
            self._from = time
            self.show(Measurement(time, time))

    def follow(self, time: int) -> None:
        """The focus is at `time` now."""
        if self._from is not None:
            self.show(Measurement(self._from, time))

    def clear(self) -> None:
        self._from = None
        self.show(None)

    def show(self, measured: Measurement | None) -> None:
        if measured != self.measured:
            self.measured = measured
            self.changed.emit(measured)

    def paint(self, painter: QPainter, scene: Scene, theme: Theme, fonts: Fonts) -> None:
        if self.measured is None:
            return
        tiles = 0
        if scene.answers and scene.focused is not None:
            self._tiles = self._tiles or TileCount(scene.history)
            tiles = self._tiles.within(self.measured, cta_at(scene.history.trace, scene.focused.focus.step))
        text = measurement_text(self.measured, tiles)
        paint_measurement(painter, scene.frame, scene.view, self.measured, text, theme, fonts)
