"""The lanes' layer, kept fresh: lanes that a thread builds come into it together, and what was painted coarsely while
the view moved is made complete once it rests."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QPixmap

from visualizer.views.timeline.lanes.builder_widget import LaneBuilder
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.layers.layers_widget import LanesLayer, Look
from visualizer.views.timeline.layers.scene import Scene

_REST_MS = 120  # after the last change of view, until the picture is made complete
_GATHER_MS = 40  # lanes that are built within this time come into the picture together


class FreshLanes(QObject):
    """Asks for another painting with `coarse` when a picture that lacks something can be made complete, and with
    `built` when there are lanes that were not."""

    coarse = Signal()
    built = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.layer = LanesLayer()
        self._builder = LaneBuilder(self)
        self._rest = self._timer(_REST_MS, lambda: self.coarse.emit() if self.layer.coarse else None)
        self._gather = self._timer(_GATHER_MS, self.built.emit)
        self._builder.built.connect(lambda: None if self._gather.isActive() else self._gather.start())

    def _timer(self, interval: int, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(act)
        return timer

    @property
    def waiting(self) -> int:
        """How many lanes in view are still to be built."""
        return self._builder.waiting

    @property
    def moves(self) -> bool:
        """Whether more views are to be expected at once."""
        return self._rest.isActive()

    @property
    def complete(self) -> bool:
        """Whether nothing is about to be painted better."""
        return not (self._rest.isActive() or self._gather.isActive() or self.layer.coarse)

    def picture(self, scene: Scene, look: Look) -> QPixmap:
        """The layer for the scene's view; what of it is not built yet will be."""
        missing: list[Lane] = []

        def ready(lane: Lane) -> bool:
            there = self._builder.ready(scene.store, lane)
            if not there:
                missing.append(lane)
            return there

        before = self.layer.pixmap
        picture = self.layer.picture(scene, look, ready, moving=self.moves or self.waiting > 0)
        if missing or before is not picture:
            self._builder.want(scene.store, missing)
        return picture

    def move(self) -> None:
        """The view has changed, and may go on changing."""
        self._builder.resume()
        self._rest.start()

    def settle(self) -> None:
        """No more views are to be expected."""
        self._rest.stop()

    def resume(self) -> None:
        """Build again, after `cancel`."""
        self._builder.resume()

    def cancel(self) -> None:
        """Stop building; what is not there stays out until `resume`."""
        self._builder.cancel()

    def stop(self) -> None:
        """Nobody looks: wait for the thread, and leave what is left to be built until somebody does."""
        self._rest.stop()
        self._gather.stop()
        self._builder.stop()
        self._builder.resume()
