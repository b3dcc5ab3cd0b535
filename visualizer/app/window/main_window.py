"""The main window: it owns the document and hands every event to the part that deals with it. No logic of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Parts
from visualizer.app.commands.keys import Keys
from visualizer.app.commands.physical_keys import PhysicalKeys
from visualizer.app.files.comparing import Comparing
from visualizer.app.files.exports import Exports
from visualizer.app.files.files import Files, dropped_file
from visualizer.app.files.recording_choice import RecordingChoice
from visualizer.app.lecture.lectures import Lectures
from visualizer.app.lecture.story_exports import StoryExports
from visualizer.app.panes.analysis import Analysis
from visualizer.app.panes.build import DOCKED, build_pane
from visualizer.app.panes.pane_host import PaneHost
from visualizer.app.panes.range_numbers import RangeNumbers
from visualizer.app.record.attaching import Attaching
from visualizer.app.record.running import Running
from visualizer.app.session.breakpoint_control import BreakpointControl
from visualizer.app.session.document import Document
from visualizer.app.session.noting import Noting
from visualizer.app.session.panes import Panes
from visualizer.app.session.places import Places
from visualizer.app.session.playback import Playback
from visualizer.app.session.reading import Reading
from visualizer.app.session.session import Session
from visualizer.app.session.structuring import Structuring
from visualizer.app.settings.appearance import Appearance
from visualizer.app.settings.languages import Languages
from visualizer.app.settings.settings import Settings
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.debugging import connect_debugging
from visualizer.app.window.find_bar import FindBar
from visualizer.app.window.first_steps import FirstSteps, connect_first_steps
from visualizer.app.window.lane_menu import open_lane_menu
from visualizer.app.window.layout import Docks, stacked
from visualizer.app.window.menus import build_menus
from visualizer.app.window.pane_keys import PaneKeys
from visualizer.app.window.runs_strip import RunsStrip
from visualizer.app.window.sheets import Sheets
from visualizer.app.window.showing import Showing
from visualizer.app.window.status_bar import RecordingStatus
from visualizer.app.window.transport_bar import TransportBar, connect_transport
from visualizer.app.window.work import WindowWork
from visualizer.app.window.workspaces import Workspaces
from visualizer.app.work.job import JobRunner
from visualizer.app.work.message_bar import MessageBar
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.views.inspector.sentence_widget import SentenceWidget
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.app.lecture.story_pane import StoryPane
    from visualizer.app.record.experiment_panel import ExperimentPanel


class MainWindow(QMainWindow):
    """Timeline in the middle, panes in docks around it, one document at a time."""

    def __init__(self, application: QApplication, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.setAcceptDrops(True)
        self.appearance = Appearance(application, settings, self)
        self.messages = MessageBar()
        self.languages = Languages(settings, self.messages, self)
        self.jobs = JobRunner(self)
        self.session = session = Session(self.messages, self)
        self.navigator = session.navigator
        self.playback = Playback(self.navigator, self)
        self.sentence = SentenceWidget()
        self.timeline = timeline = TimelineWidget()
        self.find_bar = FindBar()
        self.panes = panes = Panes(("experiment", "story", *DOCKED), _build_pane)
        self.recordings = RecordingChoice()
        self.runs = session.runs
        self.runs_strip = RunsStrip(session.runs)
        self.first_steps = FirstSteps(settings)
        self.setCentralWidget(
            stacked(
                self.first_steps,
                self.runs_strip,
                self.messages,
                self.recordings,
                self.sentence,
                self.find_bar,
                timeline,
            )
        )
        self.reading = Reading(timeline, self.messages, self)
        self.breakpoints = BreakpointControl(session, panes, self)
        self.noting = Noting(session, timeline, panes, settings.directory, self)
        self.structuring = Structuring(session, self.noting, panes, self)
        self.places = Places(session, panes, self)
        self.files = Files(session, self.jobs, self.noting, settings, self)
        self.exports = Exports(session, self.files, timeline, self.appearance, self)
        self.comparing = Comparing(session, self.files, self.noting, self.appearance, self)
        self.attaching = Attaching(settings, self)
        self.running = Running(session, self.jobs, panes, timeline, self)
        self.lectures = Lectures(session, self.appearance, panes, self)
        self.story_exports = StoryExports(self.appearance, self.messages, self)
        self.keys = Keys(COMMANDS, settings, self.messages, self)
        self.analysis = Analysis(timeline, panes, self)
        self.range_numbers = RangeNumbers(timeline, panes, self.analysis.shelf, self)
        self.docks = Docks(self, panes)
        self.pane_host = PaneHost(self.appearance.theme, self)
        self.pane_host.add(self.sentence)
        self.pane_host.add(self.timeline)
        for name in DOCKED:
            self.pane_host.add_docked(panes, name, self.docks[name])
        self.workspaces = Workspaces(self.docks, self.pane_host, self.appearance, settings, self)
        self.work = WindowWork(
            timeline,
            (self.jobs, self.reading, self.comparing.jobs, self.structuring.jobs),
            (
                self.exports.jobs, self.attaching, self.running, self.breakpoints.job, self.find_bar.job,
                self.analysis, self.range_numbers,
            ),
        )  # fmt: skip
        self.parts = parts = Parts(self, *vars(self).values())  # whatever commands and connections ask for
        self.actions_by_id = Actions(self.keys.commands, parts, self, timeline)
        PhysicalKeys(self.actions_by_id, self.timeline)
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
        parts.add(
            self.actions_by_id, self.transport, self.status, PaneKeys(timeline, self.docks),
            Sheets(parts, self),
        )  # fmt: skip
        self.showing = Showing(parts, self)
        self._connect()
        connect_debugging(parts)
        connect_first_steps(parts)
        connect_transport(parts)
        self._show_theme(self.appearance.theme)
        self.showing.show_title()
        self.appearance.dress()
        self._restore()
        self.languages.tell_missing_font()
        if settings.damaged is not None:
            aside = settings.damaged
            self.messages.show_error(
                tr("The settings were damaged and are as at first now; the old file is {file}", file=aside)
            )
        self.timeline.setFocus()

    @property
    def document(self) -> Document | None:
        """The recording shown."""
        return self.session.document

    @document.setter
    def document(self, document: Document | None) -> None:
        self.session.document = document

    @property
    def experiment(self) -> ExperimentPanel:
        """The pane of that name."""
        return self.panes["experiment"]

    @property
    def story(self) -> StoryPane:
        """The pane of that name."""
        return self.panes["story"]

    def show_document(self, document: Document) -> None:
        """Replace the picture; what of it takes time follows by itself."""
        self.showing.show(document)

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front."""
        self.docks.bring(name)

    def _say_again(self) -> None:
        """The language is another now: menus, panes and the diagnosis in it."""
        self.actions_by_id.use_keys(self.keys.commands)
        self.messages.hide()
        if (experiment := self.panes.made("experiment")) is not None:
            experiment.say_again()
        self.runs_strip.show_again()
        self.showing.say_again()
        self.range_numbers.say_again()
        self.comparing.say_again()
        self.lectures.say_again()
        self._show_theme(self.appearance.theme)

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
        self.first_steps.fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_close() or not self.lectures.may_close():
            event.ignore()
            return
        self.playback.pause()
        self.comparing.close()
        self.work.stop()
        self.settings.geometry = self.saveGeometry()
        self.workspaces.keep()
        self.settings.flush()
        super().closeEvent(event)

    def _connect(self) -> None:
        refresh = self.actions_by_id.refresh
        self.pane_host.focus_requested.connect(self.navigator.go_to)
        self.timeline.lanes_changed.connect(refresh)
        for name in ("inspector", "diagnosis"):
            self.panes.when_made(name, self._take_pane_of_findings)
        self.panes.when_made("story", self._take_story)
        self.timeline.menu_requested.connect(
            lambda focus, at: open_lane_menu(focus, at, self.navigator, self.actions_by_id, self)
        )
        self.navigator.focus_changed.connect(self._show_focus)
        self.recordings.wanted.connect(self.files.open)
        self.runs_strip.wanted.connect(self.files.show_run)
        self.runs_strip.comparison_wanted.connect(self.comparing.compare_runs)
        self.runs_strip.save_wanted.connect(self.files.ask_save_run)
        self.playback.playing_changed.connect(refresh)
        for jobs in (self.jobs, self.comparing.jobs, self.structuring.jobs, self.attaching.jobs):
            jobs.busy_changed.connect(refresh)
        for jobs in (self.reading.jobs, self.structuring.jobs):
            self.status.follow(jobs)
        self.jobs.succeeded.connect(self.show_document)
        self.places.recording_wanted.connect(self.files.open)
        self.places.hang_opened.connect(self.timeline.open_hang)
        self.attaching.recording_wanted.connect(
            lambda path, run, trace: self.files.open(path, together=run, trace=trace)
        )
        self.lectures.document_wanted.connect(self.show_document)
        self.languages.changed.connect(self._say_again)
        self.jobs.cancelled.connect(lambda: self.messages.show_note(tr("Cancelled.")))
        self.appearance.theme_changed.connect(self._show_theme)
        self.keys.changed.connect(self.actions_by_id.use_keys)
        self.lectures.changed.connect(refresh)
        self.lectures.changed.connect(self.languages.follow)

    def _take_pane_of_findings(self, pane: QWidget) -> None:
        pane.place_requested.connect(self.places.show)
        pane.lesson_requested.connect(lambda lesson: self.lectures.present(lesson.path, chapter=lesson.chapter))

    def _take_story(self, pane: StoryPane) -> None:
        pane.offer(*(self.actions_by_id[f"lecture.{name}"] for name in ("present", "edit", "add_step")))

    def _show_focus(self, focus: Focus) -> None:
        self.pane_host.set_focus(focus)
        self.comparing.set_focus(focus)
        self.transport.set_focus(focus)
        self.find_bar.set_focus(focus)
        self.actions_by_id.refresh()

    def _show_theme(self, theme: Theme) -> None:
        self.workspaces.follow_scale()
        self.first_steps.fit()
        self.pane_host.set_theme(theme)
        self.comparing.set_theme(theme)
        self.find_bar.set_theme(theme)
        self.first_steps.set_theme(theme)
        self.analysis.set_theme(theme)
        self.transport.set_theme(theme)
        if self.navigator.focus is not None:
            self.transport.set_focus(self.navigator.focus)

    def _restore(self) -> None:
        if not self.restoreGeometry(self.settings.geometry):
            # Room for the frame that the system puts around it, which nobody knows before it is there.
            room = self.screen().availableSize() - QSize(0, 2 * self.fontMetrics().height())
            self.resize(QSize(1600, 1000).boundedTo(room))
        self.workspaces.restore()


def _build_pane(name: str) -> QWidget:
    """What stands in the dock of that name; imported now, like other panes."""
    if name == "experiment":
        from visualizer.app.record.experiment_panel import ExperimentPanel

        return ExperimentPanel()
    if name == "story":
        from visualizer.app.lecture.story_pane import StoryPane

        return StoryPane()
    return build_pane(name)
