"""Runs experiments for one window: the panel's, a chosen mistake, and in the simulator where there is no GPU."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from visualizer.app.record.experiment_panel import ExperimentPanel
from visualizer.app.session.record_job import Experiment, record_work
from visualizer.app.session.session import Session
from visualizer.app.work.job import JobRunner
from visualizer.language import tr
from visualizer.programs.faults import FAULTS
from visualizer.programs.program import ProgramError
from visualizer.sources.errors import SourceError
from visualizer.views.timeline.timeline_widget import TimelineWidget

SIMULATOR = "simulator"


class Running(QObject):
    """Starts runs on the window's jobs, and says what can be done when one fails."""

    def __init__(
        self,
        session: Session,
        jobs: JobRunner,
        panel: ExperimentPanel,
        timeline: TimelineWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._panel, self._timeline = panel, timeline
        self._experiment: Experiment | None = None
        jobs.failed.connect(self._failed)
        jobs.busy_changed.connect(self._forget_at_start)

    def run(self, experiment: Experiment) -> None:
        """Record it. The keyboard goes to the timeline: Run is out of use meanwhile, and Space shall play."""
        self._timeline.setFocus()
        self._jobs.start(record_work(experiment, before=self._session.document))
        self._experiment = experiment

    def break_it(self, fault: str) -> None:
        """Run the lesson with a known mistake in the simulator; the panel shows what runs."""
        panel = self._panel
        panel.source.setCurrentIndex(panel.source.findData(SIMULATOR))
        panel.show_lesson({}, fault)
        self.run(panel.experiment())

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
    simulated = Experiment(SIMULATOR, replace(experiment.request, options={}))
    try:
        simulated.check()
    except (ProgramError, SourceError):
        return None
    return simulated


def lesson_faults() -> list[tuple[str, str]]:
    """Ids and titles of the mistakes that the lesson can have."""
    return [(fault.id, tr(fault.title)) for fault in FAULTS.values() if fault.fits_lesson]
