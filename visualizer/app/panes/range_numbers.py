"""Keeps the inspector told of the range that is marked on the timeline: its numbers, the newest alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from visualizer.app.panes.analysis import PASSES, FactsShelf
from visualizer.app.session.panes import Panes
from visualizer.app.work.newest_job import NewestJob
from visualizer.replay.history import History
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.timeline.gestures.measure import Measurement
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.diagnosis.statistics.statistics import Statistics


class RangeNumbers(QObject):
    """Between the timeline and the inspector of one window."""

    def __init__(self, timeline: TimelineWidget, panes: Panes, shelf: FactsShelf, parent: QObject) -> None:
        super().__init__(parent)
        self._timeline, self._panes, self._shelf = timeline, panes, shelf
        self._jobs = NewestJob(self)
        self._jobs.answered.connect(self._show)
        self._measured: Measurement | None = None
        timeline.measured_changed.connect(self._ask)

    def say_again(self) -> None:
        """The language is another now: the same numbers in it."""
        self._ask(self._measured)

    def stop(self) -> None:
        """Wait until no thread is left."""
        self._jobs.stop()

    def _ask(self, measured: Measurement | None) -> None:
        self._measured = measured
        scene = self._timeline.scene
        if measured is None or not measured.length or scene is None or not scene.answers:
            if (inspector := self._panes.made("inspector")) is not None:
                inspector.set_range(())
            return
        history, (first, last) = scene.history, sorted((measured.begin, measured.end))

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[History, Measurement, Statistics]:
            from visualizer.diagnosis.statistics.statistics import statistics

            return history, measured, statistics(self._shelf.of(history), first, last)

        self._jobs.ask(work, PASSES * history.steps)

    def _show(self, answer: tuple[History, Measurement, Statistics]) -> None:
        from visualizer.views.inspector.range_model import range_sections

        history, measured, found = answer
        scene = self._timeline.scene
        if scene is not None and history is scene.history and measured == self._measured:
            self._panes["inspector"].set_range(range_sections(found))
