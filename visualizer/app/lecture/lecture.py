"""Conducts a lecture: the presentation says where we are; stage and presenter view are shown it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from visualizer.app.lecture.parameter_strip import ParameterStrip
from visualizer.app.lecture.presenter_view import PresenterWindow
from visualizer.app.lecture.stage import StageWindow
from visualizer.app.settings.appearance import Appearance
from visualizer.app.settings.languages import say_again
from visualizer.language import current, tr, use
from visualizer.playback.focus import Focus
from visualizer.playback.player import Player
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Story
from visualizer.playback.stories.presentation import Presentation
from visualizer.playback.stories.telling import Telling, Told
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.registry import recorded_parameters

_FRAME_MS = 33
AUTOPLAY_SPEED = 4.0  # events per second

_STAGE, _LEAST_STAGE = QSize(1280, 720), QSize(960, 600)
"""Pixels of a stage in a window, as a preview has it."""


class Lecture(QObject):
    """One story being told. `explored(Told)` hands the step to the window; `ended` says the stage is gone."""

    explored = Signal(object)
    ended = Signal()

    def __init__(self, story: Story, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.telling = Telling(story)
        self.presentation = Presentation(story, self._show)
        self.stage = StageWindow(appearance.theme)
        self.presenter = PresenterWindow()
        self.parameters = ParameterStrip()
        self.stage.add_strip(self.parameters)
        self.told: Told | None = None
        self.exploring = False
        self._appearance = appearance
        self._player = Player()
        self._step = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(lambda: self.advance(_FRAME_MS / 1000))
        self.stage.closed.connect(self.leave)
        self.parameters.applied.connect(self.change_parameters)
        self.parameters.dismissed.connect(self._hide_parameters)
        appearance.theme_changed.connect(self.stage.set_theme)

    def start(self, *, full_screen: bool = True) -> None:
        """Open the stage; with a second screen also the presenter view, and the stage on that screen."""
        screens = QGuiApplication.screens()
        if len(screens) > 1:
            self.stage.setScreen(screens[1])
            self.stage.move(screens[1].geometry().topLeft())
            self.presenter.show()
        if full_screen:
            self.stage.showFullScreen()
        else:
            # A stage in a window is laid out for a screen: in less than this its panes and texts are cut.
            self.stage.setMinimumSize(_LEAST_STAGE)
            self.stage.resize(_STAGE.boundedTo(self.stage.screen().availableSize()).expandedTo(_LEAST_STAGE))
            self.stage.show()
        self.stage.activateWindow()
        self.stage.setFocus()
        self._show()

    def leave(self) -> None:
        """End the lecture."""
        self._timer.stop()
        self._appearance.theme_changed.disconnect(self.stage.set_theme)
        for window in (self.stage, self.presenter):
            window.blockSignals(True)
            window.close()
            window.deleteLater()
        self.ended.emit()

    def explore(self) -> None:
        """Hide the stage and give the step to the window; `come_back` returns to the same beat."""
        if self.told is None:
            return
        self._timer.stop()
        self.exploring = True
        self.stage.hide()
        self.explored.emit(self.told)

    def come_back(self) -> None:
        self.exploring = False
        self.stage.setVisible(True)
        self.stage.activateWindow()
        self.stage.setFocus()
        self._show()

    @property
    def playing(self) -> bool:
        """Whether a passage is being played."""
        return self._timer.isActive()

    def autoplay(self) -> None:
        """Play the step's passage from its start."""
        if self.told is None or self.told.until is None or not self.presentation.beat.revealed:
            return
        self._step = self.told.focus.step
        self.stage.show_focus(self.told.focus)
        self._player.set_speed(AUTOPLAY_SPEED)
        self._player.play()
        self._timer.start()

    def ask_parameters(self) -> None:
        """Show the strip with the chapter's own parameters, if its program is the lesson."""
        if self.told is None:
            return
        meta = self.told.history.trace.meta
        parameters = recorded_parameters(LESSON, meta.config) if meta.program == LESSON else None
        if parameters is not None:
            self.parameters.ask(parameters)

    def change_parameters(self, values: dict[str, int]) -> None:
        """Run the chapter's program with these values and show the same step of it. The stage says what is refused."""
        self._hide_parameters()
        chapter = self.presentation.beat.chapter
        if values:
            self.telling.change_parameters(chapter, values)
            try:
                self.telling.recordings.history(self.telling.source(chapter))
            except StoryError as error:
                self.telling.restore(chapter)
                self.stage.caption.show_text(str(error))
                return
        self._show()

    def restore_parameters(self) -> None:
        self.telling.restore(self.presentation.beat.chapter)
        self._show()

    def toggle_presenter(self) -> None:
        self.presenter.setVisible(not self.presenter.isVisible())

    def toggle_language(self) -> None:
        before = current()
        use("en" if before == "zh" else "zh")
        for window in (self.stage, self.presenter):
            say_again(window, before)
        self.stage.say_again()
        self._show()

    def toggle_theme(self) -> None:
        self._appearance.toggle_theme()

    def _hide_parameters(self) -> None:
        self.parameters.hide()
        self.stage.setFocus()

    def _show(self) -> None:
        """Put the current beat on stage and into the presenter view."""
        self._timer.stop()
        beat = self.presentation.beat
        story = self.presentation.story
        self.stage.set_black(self.presentation.black)
        try:
            self.told = self.telling.told(beat.chapter, beat.step)
            self.stage.show_beat(self.told, beat, len(story.chapters))
            self._show_presenter(self.told)
        except StoryError as error:
            # A story is checked before it is told; what slips through must not end the lecture.
            self.stage.caption.show_text(str(error))
            return
        if self.told.step.autoplay is not None and not self._appearance.reduced_motion:
            self.autoplay()

    def _show_presenter(self, told: Told) -> None:
        language = current()
        done, steps = self.presentation.progress
        place = f"{told.title(language)}  {done}/{steps}"
        upcoming = self.presentation.upcoming
        following = ""
        if upcoming is not None:
            later = self.telling.told(upcoming.chapter, upcoming.step)
            question = later.step.question
            asked = question is not None and not upcoming.revealed
            following = later.text(question.ask, language) if asked else later.caption(language)
        self.presenter.show_beat(place, told.notes(language), told.caption(language), following)

    def advance(self, seconds: float) -> None:
        """Play so much more of the step's passage."""
        told = self.told
        assert told is not None
        assert told.until is not None
        self._step = self._player.advance(seconds, self._step, told.until + 1)
        self.stage.show_focus(Focus(self._step, told.focus.lane))
        if not self._player.playing:
            if told.step.autoplay is not None and told.step.autoplay.loop and not self._appearance.reduced_motion:
                self.autoplay()
            else:
                self._timer.stop()


class ComeBack(QObject):
    """While a lecture waits, F5 in the window returns to it: the button that starts a talk on every remote."""

    def __init__(self, come_back: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._come_back = come_back

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_F5:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_F5:
            self._come_back()
            return True
        return super().eventFilter(watched, event)


def lecture_notice() -> str:
    """What the window says while it is lent for exploring."""
    return tr("The lecture waits at this step. Look around freely; F5 returns to it.")
