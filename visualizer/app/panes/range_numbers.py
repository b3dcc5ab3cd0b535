"""Keeps the inspector told of the range that is marked on the timeline: its numbers, the newest alone."""

from __future__ import annotations

from PySide6.QtCore import QObject

from visualizer.app.panes.analysis import FactsShelf
from visualizer.app.work.newest_job import NewestJob
from visualizer.diagnosis.statistics.statistics import PASSES, Statistics, statistics
from visualizer.replay.history import History
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.inspector.inspector_widget import InspectorWidget
from visualizer.views.inspector.range_model import range_sections
from visualizer.views.timeline.gestures.measure import Measurement
from visualizer.views.timeline.timeline_widget import TimelineWidget


class RangeNumbers(QObject):
    """Between the timeline and the inspector of one window."""

    def __init__(
        self, timeline: TimelineWidget, inspector: InspectorWidget, shelf: FactsShelf, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._timeline, self._inspector, self._shelf = timeline, inspector, shelf
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
            self._inspector.set_range(())
            return
        history, (first, last) = scene.history, sorted((measured.begin, measured.end))

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[History, Measurement, Statistics]:
            return history, measured, statistics(self._shelf.of(history), first, last)

        self._jobs.ask(work, PASSES * history.steps)

    def _show(self, answer: tuple[History, Measurement, Statistics]) -> None:
        history, measured, found = answer
        scene = self._timeline.scene
        if scene is not None and history is scene.history and measured == self._measured:
            self._inspector.set_range(range_sections(found))
