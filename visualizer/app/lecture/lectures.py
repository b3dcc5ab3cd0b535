"""The window's side of lectures: start one, lend the window for exploring, take it back.

Stage, editor and what reads stories are imported when first asked for: most windows tell none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from visualizer.app.session.document import Document
from visualizer.app.session.front import bring_to_front
from visualizer.app.session.panes import Panes
from visualizer.app.session.session import Session
from visualizer.app.settings.appearance import Appearance
from visualizer.language import tr

if TYPE_CHECKING:
    from visualizer.app.lecture.editor import StoryEditor
    from visualizer.app.lecture.lecture import ComeBack, Lecture
    from visualizer.playback.stories.model import Story
    from visualizer.playback.stories.telling import Told


class Lectures(QObject):
    """At most one lecture at a time. `document_wanted` carries what the window shall show instead of what it does."""

    changed = Signal()
    document_wanted = Signal(object)

    def __init__(self, session: Session, appearance: Appearance, panes: Panes, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._appearance, self._panes, self._window = session, appearance, panes, window
        self.lecture: Lecture | None = None
        self._come_back: ComeBack | None = None
        self._before: Document | None = None
        self.editor: StoryEditor | None = None

    def present(self, path: Path, *, full_screen: bool = True, chapter: int = 0) -> None:
        """Tell the story in the file `path`, from a chapter on, counted from 0; the window says what is wrong with it
        if it cannot be told."""
        from visualizer.playback.stories.errors import StoryError
        from visualizer.playback.stories.load import load_story

        try:
            story = load_story(path)
        except StoryError as error:
            self._session.messages.show_error(error.problems[0])
            return
        self._tell(story, full_screen=full_screen, chapter=chapter)

    def present_built_in(self, name: str) -> None:
        """Tell one of the stories that come with phasescope."""
        from visualizer.playback.stories.load import story_path

        self.present(story_path(name))

    def _tell(self, story: Story, *, full_screen: bool, chapter: int = 0) -> None:
        from visualizer.app.lecture.lecture import Lecture
        from visualizer.app.lecture.stage_keys import StageKeys
        from visualizer.playback.stories.check import check_story

        problems = check_story(story)
        if problems:
            more = tr(" ({count} problems in all)", count=len(problems)) if len(problems) > 1 else ""
            self._session.messages.show_error(problems[0] + more)
            return
        self.leave()
        lecture = Lecture(story, self._appearance, self)
        StageKeys(lecture)
        lecture.explored.connect(self._explore)
        lecture.ended.connect(self._ended)
        self.lecture = lecture
        lecture.start(full_screen=full_screen)
        lecture.presentation.go_to_chapter(chapter)
        self.changed.emit()

    def choose(self) -> None:
        """Let the user choose a story, and tell it."""
        from visualizer.app.lecture.story_chooser import StoryChooser

        chooser = StoryChooser(self._window)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.chosen.connect(self.present)
        chooser.show()

    def edit(self) -> None:
        """Open the editor on the story in a file the user chooses; without one it begins with the first added step."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, tr("Edit a story"), "", tr("Stories (*.toml);;All files (*)")
        )
        if name:
            self.edit_file(Path(name))

    def edit_file(self, path: Path) -> None:
        from visualizer.playback.stories.errors import StoryError
        from visualizer.playback.stories.load import load_story

        try:
            story = load_story(path)
        except StoryError as error:
            self._session.messages.show_error(str(error))
            return
        if self.editor is None or self.editor.may_close():
            self._show_editor().open(story, path)

    def add_step(self) -> None:
        """Add what the window shows to the story in the editor, as a step after the one selected there."""
        document, focus = self._session.document, self._session.navigator.focus
        if document is None or focus is None:
            return
        from visualizer.diagnosis.explanations.explain import explain
        from visualizer.playback.stories.edit import step_from_view
        from visualizer.playback.stories.errors import StoryError
        from visualizer.playback.stories.model import PANES, Text
        from visualizer.playback.stories.sources import source_of
        from visualizer.programs.errors import ProgramError

        editor = self._show_editor()
        try:
            source = source_of(document.history.trace, document.path, editor.path.parent if editor.path else None)
        except (StoryError, ProgramError) as error:
            self._session.messages.show_error(str(error))
            return
        seen = (name for name in PANES if (pane := self._panes.made(name)) is not None and pane.isVisible())
        panes = ("timeline", *seen)
        sentence = explain(document.history, focus.step)
        step = step_from_view(document.history, focus, panes[:3], Text(sentence, sentence))
        editor.add(step, source, Text(document.title, document.title))

    def _show_editor(self) -> StoryEditor:
        if self.editor is None:
            from visualizer.app.lecture.editor import StoryEditor

            self.editor = StoryEditor()
            self.editor.preview_requested.connect(self._preview)
            self.editor.closed.connect(self._editor_closed)
            self._panes["story"].show_editor(self.editor)
        bring_to_front(self._panes["story"])
        return self.editor

    def _editor_closed(self) -> None:
        if self.editor is not None:
            self._panes["story"].show_editor(None)
            self.editor.deleteLater()
            self.editor = None

    def _preview(self, story: Story, chapter: int, step: int) -> None:
        assert self.editor is not None
        self._tell(replace(story, path=self.editor.path), full_screen=False)
        if self.lecture is not None:
            self.lecture.presentation.go_to(chapter, step)

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

    def say_again(self) -> None:
        """The language is another now."""
        if self.editor is not None:
            self.editor.say_again()

    def may_close(self) -> bool:
        """End the lecture and close the editor; False if the user wants to keep a story that is not saved."""
        self.leave()
        return self.editor is None or self.editor.close()

    def _explore(self, told: Told) -> None:
        from visualizer.app.lecture.lecture import ComeBack, lecture_notice

        self._before = self._session.document
        self.document_wanted.emit(Document(told.history, path=None, saved=True, report=told.scene.report()))
        self._session.navigator.go_to(told.focus)
        self._session.messages.show_note(lecture_notice())
        self._come_back = ComeBack(self.come_back, self)
        self._window.installEventFilter(self._come_back)
        self._window.activateWindow()
        self.changed.emit()

    def _take_back(self) -> None:
        if self._come_back is not None:
            self._window.removeEventFilter(self._come_back)
            self._come_back = None
        self._session.messages.hide()
        if self._before is not None:
            self.document_wanted.emit(self._before)
            self._before = None

    def _ended(self) -> None:
        self._take_back()
        lecture, self.lecture = self.lecture, None
        if lecture is not None:
            lecture.deleteLater()
        self.changed.emit()
