"""The window's side of lectures: start one, lend the window for exploring, take it back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from visualizer.app.document import Document
from visualizer.app.lecture.lecture import ComeBack, Lecture, lecture_notice
from visualizer.app.lecture.story_chooser import StoryChooser
from visualizer.language import tr
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.load import load_story
from visualizer.playback.stories.model import StoryError
from visualizer.playback.stories.telling import Told

if TYPE_CHECKING:
    from visualizer.app.main_window import MainWindow


class Lectures(QObject):
    """At most one lecture at a time."""

    changed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.lecture: Lecture | None = None
        self._come_back: ComeBack | None = None
        self._before: Document | None = None

    def present(self, path: Path, *, full_screen: bool = True) -> None:
        """Tell the story in the file `path`; the window says what is wrong with it if it cannot be told."""
        try:
            story = load_story(path)
            problems = check_story(story)
        except StoryError as error:
            problems = list(error.problems)
        if problems:
            more = tr(" ({count} problems in all)", count=len(problems)) if len(problems) > 1 else ""
            self._window.messages.show_error(problems[0] + more)
            return
        self.leave()
        lecture = Lecture(story, self._window.appearance, self)
        lecture.explored.connect(self._explore)
        lecture.ended.connect(self._ended)
        self.lecture = lecture
        lecture.start(full_screen=full_screen)
        self.changed.emit()

    def choose(self) -> None:
        """Let the user choose a story, and tell it."""
        chooser = StoryChooser(self._window)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.chosen.connect(self.present)
        chooser.show()

    @property
    def waits(self) -> bool:
        """Whether a lecture waits while its step is explored."""
        return self.lecture is not None and self.lecture.exploring

    def come_back(self) -> None:
        """Return to the waiting lecture, and give the window its own recording again."""
        if self.lecture is None or not self.waits:
            return
        self._take_back()
        self.lecture.come_back()
        self.changed.emit()

    def leave(self) -> None:
        if self.lecture is not None:
            self.lecture.leave()

    def _explore(self, told: Told) -> None:
        window = self._window
        self._before = window.document
        window.show_document(Document(told.history, path=None, saved=True, report=told.scene.report()))
        window.navigator.go_to(told.focus)
        window.messages.show_note(lecture_notice())
        self._come_back = ComeBack(self.come_back, self)
        window.installEventFilter(self._come_back)
        window.activateWindow()
        self.changed.emit()

    def _take_back(self) -> None:
        if self._come_back is not None:
            self._window.removeEventFilter(self._come_back)
            self._come_back = None
        self._window.messages.hide()
        if self._before is not None:
            self._window.show_document(self._before)
            self._before = None

    def _ended(self) -> None:
        self._take_back()
        lecture, self.lecture = self.lecture, None
        if lecture is not None:
            lecture.deleteLater()
        self.changed.emit()
