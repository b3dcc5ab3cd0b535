"""Keeps the Statistics and Predict panes answered: their numbers are found in threads, for the newest question only.

The Statistics pane follows the range in view: when the timeline has stood still for a moment, the numbers of what it
shows are asked for, and the old ones stay, greyed, until they are there.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer

from visualizer.app.session.front import bring_to_front
from visualizer.app.session.panes import Panes
from visualizer.app.work.job import JobRunner
from visualizer.app.work.newest_job import NewestJob
from visualizer.diagnosis.wording import sentence
from visualizer.language import tr
from visualizer.replay.history import History
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.critical_path_widget import CriticalPathOverlay
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.diagnosis.predict.errors import PredictError
    from visualizer.diagnosis.predict.predict import Prediction
    from visualizer.diagnosis.predict.verify import Verification
    from visualizer.diagnosis.statistics.facts import Facts
    from visualizer.diagnosis.statistics.statistics import Statistics
    from visualizer.views.statistics.predict_widget import PredictWidget
    from visualizer.views.statistics.statistics_widget import StatisticsWidget

PASSES = 10
"""Statistics look through every event some ten times."""
_SETTLED_MS = 150
"""The view has stood still for so long: now its numbers are worth finding."""


class FactsShelf:
    """The facts of one recording at a time, found once, by whichever thread asks first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._facts: Facts | None = None

    def of(self, history: History) -> Facts:
        from visualizer.diagnosis.statistics.find import find_facts

        with self._lock:
            if self._facts is None or self._facts.history is not history:
                self._facts = find_facts(history)
            return self._facts


class Analysis(QObject):
    """Between the timeline and the two panes; `verifying` is the JobRunner of Verify."""

    def __init__(self, timeline: TimelineWidget, panes: Panes, parent: QObject) -> None:
        super().__init__(parent)
        self._timeline, self._panes = timeline, panes
        self.overlay = CriticalPathOverlay(timeline)
        self.shelf = FactsShelf()
        self._history: History | None = None
        self._shown: Statistics | None = None
        self._range: tuple[int, int] | None = None
        self._prediction: Prediction | None = None
        self._predicted_from: History | None = None
        self._settle = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settle.timeout.connect(self._ask_statistics)
        self._statistics, self._predictions = NewestJob(self), NewestJob(self)
        self._statistics.answered.connect(self._show_statistics)
        self._predictions.answered.connect(self._show_prediction)
        self.verifying = JobRunner(self)
        self.verifying.succeeded.connect(self._show_verification)
        timeline.viewport().installEventFilter(self)
        panes.when_made("statistics", self._take_statistics_pane)
        panes.when_made("predict", self._take_predict_pane)

    @property
    def shows_path(self) -> bool:
        pane = self._panes.made("statistics")
        return pane is not None and pane.path.isChecked()

    def toggle_path(self) -> None:
        """The path is part of the statistics, so showing it shows them."""
        if not self.shows_path:
            bring_to_front(self._panes["statistics"])
        self._panes["statistics"].path.toggle()

    def verify(self) -> None:
        """Start, once there is a prediction to verify; again: stop."""
        bring_to_front(self._panes["predict"])
        self._panes["predict"].verify_or_cancel()

    def set_theme(self, theme: Theme) -> None:
        self.overlay.set_theme(theme)

    def stop(self) -> None:
        """Ask nothing more, and let go of what is asked."""
        self._settle.stop()
        self._statistics.stop()
        self._predictions.stop()
        self.verifying.stop()

    def _take_statistics_pane(self, pane: StatisticsWidget) -> None:
        self._statistics.failed.connect(pane.show_problem)
        pane.viewport().installEventFilter(self)
        pane.history_changed.connect(self._set_history)
        pane.path_wanted.connect(lambda wanted: self._show_path())

    def _take_predict_pane(self, pane: PredictWidget) -> None:
        self._predictions.failed.connect(pane.show_problem)
        pane.asked.connect(self._ask_prediction)
        pane.verify_requested.connect(self._verify)
        pane.cancel_requested.connect(self.verifying.cancel)
        self.verifying.busy_changed.connect(pane.set_busy)
        self.verifying.progressed.connect(pane.show_progress)
        self.verifying.failed.connect(pane.show_note)
        self.verifying.cancelled.connect(lambda: pane.show_note(tr("Cancelled.")))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Whatever moves the view paints the timeline anew; a pane that nobody saw catches up when it is painted."""
        if event.type() == QEvent.Type.Paint and self._is_seen and self._view() != self._range:
            self._range = self._view()
            self._panes["statistics"].set_stale(True)
            self._settle.start()
        return False

    @property
    def _is_seen(self) -> bool:
        if self._history is None:  # which the pane tells
            return False
        # isVisible() is true of a pane behind another tab too.
        return not self._panes["statistics"].visibleRegion().isEmpty() or self.shows_path

    def _view(self) -> tuple[int, int] | None:
        view = self._timeline.view
        return None if view is None else (view.start, view.end)

    def _set_history(self, history: History | None) -> None:
        """The Statistics pane shows another recording, or is seen for the first time since one was opened."""
        self._history, self._shown, self._range = history, None, self._view()
        self._settle.stop()
        self._show_path()
        self._ask_statistics()

    def _ask_statistics(self) -> None:
        history, view = self._history, self._range
        if history is None:
            return

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[History, Statistics]:
            from visualizer.diagnosis.statistics.statistics import statistics

            facts = self.shelf.of(history)
            return history, (statistics(facts) if view is None else statistics(facts, *view))

        self._statistics.ask(work, PASSES * history.steps)

    def _show_statistics(self, answer: tuple[History, Statistics]) -> None:
        history, found = answer
        if history is not self._history or self._settle.isActive():
            return  # the view has moved on; the numbers shown stay grey
        self._shown = found
        self._panes["statistics"].show_statistics(found)
        self._show_path()

    def _show_path(self) -> None:
        wanted = self.shows_path and self._shown is not None and self._history is not None
        self.overlay.set_path(self._shown.path if wanted else None, self._history.trace if wanted else None)

    def _ask_prediction(
        self, history: History | None, delay_ns: int | None, copy_ns: int | None, ring: str | None
    ) -> None:
        self._predicted_from, self._prediction = history, None
        self.verifying.cancel()
        if history is None:
            return

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[History, Prediction | PredictError]:
            from visualizer.diagnosis.predict.errors import PredictError
            from visualizer.diagnosis.predict.predict import predict

            try:
                facts = self.shelf.of(history)
                return history, predict(facts, consumer_delay_ns=delay_ns, copy_time_ns=copy_ns, ring=ring)
            except PredictError as problem:
                return history, problem

        self._predictions.ask(work, PASSES * history.steps)

    def _show_prediction(self, answer: tuple[History, Prediction | PredictError]) -> None:
        history, prediction = answer
        if history is not self._predicted_from:
            return
        from visualizer.diagnosis.predict.errors import PredictError
        from visualizer.diagnosis.predict.verify import check_verifiable

        pane = self._panes["predict"]
        if isinstance(prediction, PredictError):
            pane.show_problem(sentence(str(prediction)) + ".")
            return
        self._prediction = prediction
        try:
            check_verifiable(history.trace.meta, prediction)
        except PredictError as problem:
            pane.show_prediction(prediction, sentence(str(problem)) + ".")
        else:
            pane.show_prediction(prediction, "")

    def _verify(self) -> None:
        prediction, history = self._prediction, self._predicted_from
        if prediction is None or history is None:
            return

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[Prediction, Verification]:
            from visualizer.diagnosis.predict.verify import verify

            return prediction, verify(history.trace, prediction, progress=progress, cancelled=cancelled)

        self.verifying.start(work)

    def _show_verification(self, answer: tuple[Prediction, Verification]) -> None:
        prediction, found = answer
        if prediction is self._prediction:
            self._panes["predict"].show_verification(found)
