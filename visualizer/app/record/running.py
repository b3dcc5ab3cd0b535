"""Runs experiments for one window: the panel's, a chosen mistake, and in the simulator where there is no GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from visualizer.app.session.panes import Panes
from visualizer.app.session.record_job import Experiment, record_work
from visualizer.app.session.session import Session
from visualizer.app.work.job import JobRunner
from visualizer.language import tr
from visualizer.sources.errors import SourceError
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.app.record.experiment_panel import ExperimentPanel

SIMULATOR = "simulator"


class Running(QObject):
    """Starts runs on the window's jobs, and says what can be done when one fails."""

    def __init__(
        self,
        session: Session,
        jobs: JobRunner,
        panes: Panes,
        timeline: TimelineWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._panes, self._timeline = panes, timeline
        self._experiment: Experiment | None = None
        jobs.failed.connect(self._failed)
        jobs.busy_changed.connect(self._forget_at_start)
        panes.when_made("experiment", self._take_panel)

    def run_chosen(self) -> None:
        """What the panel says."""
        self._panes["experiment"].run()

    def run(self, experiment: Experiment) -> None:
        """Record it. The keyboard goes to the timeline: Run is out of use meanwhile, and Space shall play."""
        self._timeline.setFocus()
        self._jobs.start(record_work(experiment, before=self._session.document))
        self._experiment = experiment

    def break_it(self, fault: str) -> None:
        """Run the lesson with a known mistake in the simulator; the panel shows what runs."""
        from visualizer.programs.lesson import NAME as LESSON

        panel = self._panes["experiment"]
        panel.source.setCurrentIndex(panel.source.findData(SIMULATOR))
        panel.show_program(LESSON, {}, fault)
        self.run(panel.experiment())

    def stop(self) -> None:
        """Let go of what else the panel has at work; runs are the window's jobs."""
        if (panel := self._panes.made("experiment")) is not None:
            panel.what_if.jobs.stop()

    def _take_panel(self, panel: ExperimentPanel) -> None:
        panel.run_requested.connect(self.run)
        panel.cancel_requested.connect(self._jobs.cancel)
        panel.set_busy(self._jobs.is_busy)
        self._jobs.busy_changed.connect(panel.set_busy)
        self._jobs.progressed.connect(panel.show_progress)

    def _failed(self, sentence: str) -> None:
        experiment, self._experiment = self._experiment, None
        simulated = _simulated(experiment)
        if simulated is None:
            self._session.messages.show_error(sentence)
        else:
            self._session.messages.show_error(sentence, (tr("Run in the simulator"), lambda: self.run(simulated)))

    def _forget_at_start(self, busy: bool) -> None:
        """Something else is loaded now; `run` says afterwards if it is an experiment."""
        if busy:
            self._experiment = None


def _simulated(experiment: Experiment | None) -> Experiment | None:
    """The same in the simulator; None if it ran there, or cannot."""
    if experiment is None or experiment.source == SIMULATOR:
        return None
    from visualizer.programs.errors import ProgramError

    simulated = Experiment(SIMULATOR, replace(experiment.request, options={}))
    try:
        simulated.check()
    except (ProgramError, SourceError):
        return None
    return simulated


def lesson_faults() -> list[tuple[str, str]]:
    """Ids and titles of the mistakes that the lesson can have."""
    from visualizer.programs.faults import FAULTS

    return [(fault.id, tr(fault.title)) for fault in FAULTS.values() if fault.fits_lesson]
