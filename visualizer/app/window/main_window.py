"""The main window: it owns the document and hands every event to the part that deals with it. No logic of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.keys import Keys
from visualizer.app.commands.palette import CommandPalette
from visualizer.app.commands.physical_keys import PhysicalKeys
from visualizer.app.files.comparing import Comparing
from visualizer.app.files.exports import Exports
from visualizer.app.files.files import Files, dropped_file
from visualizer.app.files.recording_choice import RecordingChoice
from visualizer.app.lecture.lectures import Lectures
from visualizer.app.lecture.story_exports import StoryExports
from visualizer.app.lecture.story_pane import StoryPane
from visualizer.app.panes.analysis import Analysis
from visualizer.app.panes.build import build_panes
from visualizer.app.panes.pane_host import PaneHost
from visualizer.app.panes.range_numbers import RangeNumbers
from visualizer.app.record.attaching import Attaching
from visualizer.app.record.experiment_panel import ExperimentPanel
from visualizer.app.record.running import Running
from visualizer.app.session.breakpoint_control import BreakpointControl
from visualizer.app.session.document import Document
from visualizer.app.session.navigator import Navigator
from visualizer.app.session.notebook import Notebook
from visualizer.app.session.places import Places
from visualizer.app.session.playback import Playback
from visualizer.app.session.reading import Reading
from visualizer.app.session.runs import Run, Runs
from visualizer.app.session.structuring import Structuring
from visualizer.app.settings.appearance import Appearance
from visualizer.app.settings.languages import Languages
from visualizer.app.settings.settings import Settings
from visualizer.app.window.about import about_sheet
from visualizer.app.window.debugging import connect_debugging
from visualizer.app.window.find_bar import FindBar
from visualizer.app.window.findable import findable
from visualizer.app.window.first_steps import FirstSteps, connect_first_steps
from visualizer.app.window.help_sheet import help_sheet
from visualizer.app.window.lane_menu import open_lane_menu
from visualizer.app.window.layout import Docks, stacked
from visualizer.app.window.menus import build_menus
from visualizer.app.window.message_bar import MessageBar
from visualizer.app.window.runs_strip import RunsStrip
from visualizer.app.window.status_bar import RecordingStatus
from visualizer.app.window.transport_bar import TransportBar
from visualizer.app.window.workspaces import Workspaces
from visualizer.app.work.job import JobRunner
from visualizer.diagnosis.wording import ending_sentence
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.notes import SavedBreakpoint
from visualizer.playback.query import Events
from visualizer.programs.lesson_facts import recorded_parameters
from visualizer.recording.schema import EventKind
from visualizer.views.inspector.sentence_widget import SentenceWidget
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.timeline_widget import TimelineWidget


class MainWindow(QMainWindow):
    """Timeline in the middle, panes in docks around it, one document at a time."""

    def __init__(self, application: QApplication, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.document: Document | None = None
        self.setAcceptDrops(True)
        self.appearance = Appearance(application, settings, self)
        self.languages = Languages(self)
        self.jobs = JobRunner(self)
        self.reading = Reading(self)
        self.navigator = Navigator(self)
        self.playback = Playback(self.navigator, self)
        self.files = Files(self)
        self.exports = Exports(self)
        self.comparing = Comparing(self)
        self.attaching = Attaching(self)
        self.lectures = Lectures(self)
        self.story_exports = StoryExports(self)
        self.messages = MessageBar()
        self.sentence = SentenceWidget()
        self.timeline = TimelineWidget()
        self.find_bar = FindBar()
        self.breakpoints = BreakpointControl(self)
        self.notebook = Notebook(self)
        self.places = Places(self)
        self.keys = Keys(self)
        self.experiment = ExperimentPanel()
        self.panes = build_panes()
        self.recordings = RecordingChoice()
        self.runs = Runs(self)
        self.runs_strip = RunsStrip(self.runs)
        self.first_steps = FirstSteps()
        self.running = Running(self)
        self.setCentralWidget(
            stacked(
                self.first_steps,
                self.runs_strip,
                self.messages,
                self.recordings,
                self.sentence,
                self.find_bar,
                self.timeline,
            )
        )
        self.structuring = Structuring(self)
        self.analysis = Analysis(self.timeline, self.panes["statistics"], self.panes["predict"], self)
        self.story = StoryPane()
        self.range_numbers = RangeNumbers(self.timeline, self.panes["inspector"], self.analysis.shelf, self)
        self.docks = Docks(self, {"experiment": self.experiment, "story": self.story, **self.panes})
        self.workspaces = Workspaces(self)
        self.actions_by_id = Actions(self.keys.commands, self, self.timeline)
        PhysicalKeys(self.actions_by_id, self.timeline)
        self.story.offer(*(self.actions_by_id[f"lecture.{name}"] for name in ("present", "edit", "add_step")))
        build_menus(
            self,
            self.keys.commands,
            self.actions_by_id,
            self.docks.all(),
            lambda: self.settings.recent,
            self.files.open,
        )
        self.transport = TransportBar(self.actions_by_id)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.transport)
        self.status = RecordingStatus()
        self.setStatusBar(self.status)
        self.pane_host = PaneHost(self.appearance.theme, self)
        self.pane_host.add(self.sentence)
        self.pane_host.add(self.timeline)
        for name, pane in self.panes.items():
            self.pane_host.add(pane, self.docks[name])
        self._connect()
        connect_debugging(self)
        connect_first_steps(self)
        self._show_theme(self.appearance.theme)
        self._show_title()
        self._restore()
        self.languages.tell_missing_font()
        if settings.damaged is not None:
            aside = settings.damaged
            self.messages.show_error(
                tr("The settings were damaged and are as at first now; the old file is {file}", file=aside)
            )
        self.timeline.setFocus()

    def show_document(self, document: Document) -> None:
        """Replace the picture. Of a document that is not read come the lanes; the rest follows when it is."""
        self.playback.pause()
        self.reading.stop()
        self.structuring.jobs.stop()
        self.messages.hide()
        self.comparing.close()
        self.document = document
        self.runs.show(document)
        history = document.history
        if document.read:
            self.navigator.set_history(history)
            self.show_history(document)
            self._show_notes(document)
        else:
            self.navigator.set_history(None)
            self.transport.set_history(None)
            self.pane_host.set_history(None, None)
            self.timeline.show_lanes(history, answers=False)
            self.timeline.viewport().repaint()  # which lanes are wanted is known when they are painted
            self._show_notes(document)
            self.reading.start(document)
        self.status.show_document(document)
        self.recordings.offer(self.files.together_with(document.path), document.path)
        self._show_title()
        if document.path is not None:
            self.settings.add_recent(document.path)
        self._show_parameters(document)
        ending = history.trace.meta.ending
        if ending.kind != "completed":
            self.messages.show_note(ending_sentence(ending))
        self.places.open_at_the_fault(document)
        self.structuring.set_document(document)
        if document.read and document.focus is not None:
            self.places.look_at(document.focus)
        self.actions_by_id.refresh()
        if document.read:
            self.comparing.compare_picked()

    def document_read(self, document: Document) -> None:
        """The history of the document shown is built, or its diagnosis is there: show what follows from it."""
        self.document = document
        self.runs.show(document)
        if document.report is None:
            self.navigator.set_history(document.history)
            self.show_history(document)
            self._show_notes(document)
            self.structuring.look()  # another window may have told something since it was opened
            if document.focus is not None:
                self.places.look_at(document.focus)
        else:
            for pane in self._of_report:
                pane.set_report(document.report)
                self.pane_host.show_again(pane)
            self._mark_errors(document)
        self.status.show_document(document)
        self.places.open_at_the_fault(document)
        self.actions_by_id.refresh()
        self.comparing.compare_picked()

    def show_run(self, run: Run) -> None:
        """One of the window's runs once more."""
        self.jobs.start(run.again(self.notebook.sidecar(run.path) if run.path is not None else None))

    @property
    def _of_report(self) -> tuple[QWidget, ...]:
        """The panes that show what a diagnosis found."""
        return (self.timeline, *(self.panes[name] for name in ("ring", "inspector", "code", "diagnosis")))

    def show_history(self, document: Document) -> None:
        """What panes and bars show of a history, at the navigator's focus."""
        for pane in self._of_report:
            pane.set_report(document.report)
        self.transport.set_history(document.history)
        self.pane_host.set_history(document.history, self.navigator.focus)
        if self.navigator.focus is not None:
            self.transport.set_focus(self.navigator.focus)
            self.find_bar.set_focus(self.navigator.focus)
        self._mark_errors(document)

    def _show_notes(self, document: Document) -> None:
        """What a person noted on the recording."""
        self.notebook.set_document(document)
        self.show_events(document, self.notebook.notes.breakpoints)

    def show_events(self, document: Document, breakpoints: tuple[SavedBreakpoint, ...]) -> None:
        """What breakpoints and find look through, once it is read."""
        events = Events(document.history) if document.read else None
        self.breakpoints.set_events(events, breakpoints)
        self.find_bar.set_events(events)

    def _mark_errors(self, document: Document) -> None:
        """On the overview: waits that gave up, and where findings of an error stand."""
        steps = np.flatnonzero(document.history.kinds == EventKind.TIMEOUT).tolist()
        if document.report is not None:
            steps += [f.step for f in document.report.every if f.severity == "error" and f.step is not None]
        self.timeline.set_marks("error", np.unique(np.array(steps, np.int64)))

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front."""
        self.docks[name].show()
        self.docks[name].raise_()

    def say_again(self) -> None:
        """The language is another now: menus, panes and the diagnosis in it."""
        self.actions_by_id.use_keys(self.keys.commands)
        self.messages.hide()
        self.experiment.say_again()
        self.runs_strip.show_again()
        self.pane_host.say_again()
        self._show_theme(self.appearance.theme)
        self._show_title()
        if self.document is None:
            return
        self.status.show_document(self.document)
        self.breakpoints.changed.emit()
        if self.document.report is not None:
            self.reading.diagnose(self.document)

    @property
    def is_working(self) -> bool:
        """Whether something runs that Cancel stops."""
        jobs = (self.jobs, self.comparing.jobs, self.structuring.jobs)
        return any(job.is_busy for job in jobs) or self.reading.is_busy or self.timeline.busy

    def cancel_work(self) -> None:
        self.jobs.cancel()
        self.reading.cancel()
        self.timeline.cancel()
        self.comparing.jobs.cancel()
        self.structuring.jobs.cancel()

    def document_saved(self, path: Path) -> None:
        assert self.document is not None
        if self.runs.shown is not None:
            self.runs.saved(self.runs.shown, path)
        self.document = self.document.saved_as(path)
        self.notebook.saved_as(self.document)
        self.structuring.saved_as(self.document)
        self.status.show_document(self.document)
        self._show_title()

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def verify_prediction(self) -> None:
        """Start, once there is a prediction to verify; again: stop."""
        self.show_pane("predict")
        self.panes["predict"].verify_or_cancel()

    def toggle_critical_path(self) -> None:
        """The path is part of the statistics, so showing it shows them."""
        if not self.analysis.shows_path:
            self.show_pane("statistics")
        self.analysis.toggle_path()

    def show_help(self) -> None:
        self.show_sheet(help_sheet(self, self.keys.commands))

    def show_about(self) -> None:
        self.show_sheet(about_sheet(self, self.document))

    def show_palette(self) -> None:
        self.show_sheet(CommandPalette(findable(self), self))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.files.open(path)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.first_steps.fit(self.height())

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_close() or not self.lectures.may_close():
            event.ignore()
            return
        self.playback.pause()
        self.jobs.stop()
        self.exports.jobs.stop()
        self.attaching.stop()
        self.comparing.close()
        self.reading.stop()
        self.structuring.jobs.stop()
        self.experiment.what_if.jobs.stop()
        self.breakpoints.job.stop()
        self.find_bar.job.stop()
        self.analysis.stop()
        self.range_numbers.stop()
        self.settings.geometry = self.saveGeometry()
        self.workspaces.keep()
        self.settings.flush()
        super().closeEvent(event)

    def _connect(self) -> None:
        refresh = self.actions_by_id.refresh
        self.pane_host.focus_requested.connect(self.navigator.go_to)
        self.timeline.lanes_changed.connect(refresh)
        for name in ("inspector", "diagnosis"):
            self.panes[name].place_requested.connect(self.places.show)
            self.panes[name].lesson_requested.connect(
                lambda lesson: self.lectures.present(lesson.path, chapter=lesson.chapter)
            )
        self.timeline.menu_requested.connect(lambda focus, at: open_lane_menu(self, focus, at))
        self.navigator.focus_changed.connect(self._show_focus)
        self.transport.scrubbed.connect(self.navigator.pass_through)
        self.transport.scrubbing_ended.connect(self.navigator.stay)
        self.recordings.wanted.connect(self.files.open)
        self.runs_strip.wanted.connect(self.show_run)
        self.runs_strip.comparison_wanted.connect(self.comparing.compare_runs)
        self.runs_strip.save_wanted.connect(self.files.ask_save_run)
        self.transport.speed_chosen.connect(self.playback.set_speed)
        self.playback.speed_changed.connect(self.transport.set_speed)
        self.transport.set_speed(self.playback.speed)
        self.playback.playing_changed.connect(self.transport.show_playing)
        self.playback.playing_changed.connect(refresh)
        self.playback.playing_changed.connect(lambda playing: None if playing else self.navigator.stay())
        self.experiment.run_requested.connect(self.running.run)
        self.experiment.cancel_requested.connect(self.jobs.cancel)
        self.jobs.busy_changed.connect(self.experiment.set_busy)
        self.jobs.busy_changed.connect(refresh)
        self.jobs.progressed.connect(self.experiment.show_progress)
        self.jobs.succeeded.connect(self.show_document)
        self.jobs.cancelled.connect(lambda: self.messages.show_note(tr("Cancelled.")))
        self.appearance.theme_changed.connect(self._show_theme)
        self.lectures.changed.connect(refresh)
        self.lectures.changed.connect(self.languages.follow)

    def _show_focus(self, focus: Focus) -> None:
        self.pane_host.set_focus(focus)
        self.comparing.set_focus(focus)
        self.transport.set_focus(focus)
        self.find_bar.set_focus(focus)
        self.actions_by_id.refresh()

    def _show_theme(self, theme: Theme) -> None:
        self.workspaces.follow_scale()
        self.first_steps.fit(self.height())
        self.pane_host.set_theme(theme)
        self.comparing.set_theme(theme)
        self.find_bar.set_theme(theme)
        self.first_steps.set_theme(theme)
        self.analysis.set_theme(theme)
        self.transport.set_theme(theme)
        if self.navigator.focus is not None:
            self.transport.set_focus(self.navigator.focus)

    def _show_title(self) -> None:
        name = self.document.title if self.document else tr("no recording")
        self.setWindowTitle(f"{name}[*] - phasescope")
        self.setWindowModified(self.document is not None and not self.document.saved)

    def _show_parameters(self, document: Document) -> None:
        """Offer the recording's own parameters for the next run, if it is one of ours."""
        if document.path is None and not document.saved:
            return  # it ran here: the panel says what, and goes on saying it
        recorded = document.history.trace.meta.config
        parameters = recorded_parameters(recorded)
        if parameters is not None:
            self.experiment.show_lesson(parameters, recorded.get("fault"))

    def show_sheet(self, sheet: QWidget) -> None:
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.resize(sheet.size().boundedTo(self.size()))
        sheet.show()

    def _restore(self) -> None:
        if not self.restoreGeometry(self.settings.geometry):
            # Room for the frame that the system puts around it, which nobody knows before it is there.
            room = self.screen().availableSize() - QSize(0, 2 * self.fontMetrics().height())
            self.resize(QSize(1600, 1000).boundedTo(room))
        self.workspaces.restore()
