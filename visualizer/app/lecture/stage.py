"""What the room sees: the panes the step needs, the caption, and nothing else."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QFont, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QStackedLayout, QVBoxLayout, QWidget

from visualizer.app.lecture.caption import Caption, Headline
from visualizer.app.panes.build import build_pane
from visualizer.language import current, tr
from visualizer.playback.focus import Focus
from visualizer.playback.stories.presentation import Beat
from visualizer.playback.stories.telling import Told
from visualizer.playback.stories.zoom import zoom_range
from visualizer.replay.history import History
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.pane_look_widget import set_smallest_text
from visualizer.views.look.theme import Theme

SMALLEST_TEXT = 18
"""Pixels: what the back row can read."""
_LINES = 42
"""Lines of text that would fit on the stage's height: its font is this share of it."""


_TALL = ("ring", "diagnosis", "explanation")
"""Panes that want height rather than width."""
_HEIGHTS = {"timeline": 5, "code": 4, "tiles": 4, "memory": 4, "barriers": 3}
"""How panes that lie one above the other share the height."""


class StageWindow(QWidget):
    """A window of its own for the projector. Keys go to `key_pressed`; `closed` follows the window's close button."""

    key_pressed = Signal(QKeyEvent)
    closed = Signal()
    focus_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("lectureStage")
        self.setWindowTitle(tr("Lecture - phasescope"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = theme
        self._panes: dict[str, QWidget] = {}
        self._history: History | None = None
        self._shown: tuple[str, ...] = ()
        self.headline, self.caption = Headline(), Caption()
        self.body = QWidget()
        set_smallest_text(self.body, SMALLEST_TEXT)
        self._grid = QGridLayout(self.body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._black = _Black()
        self._black.setAccessibleName(tr("Black screen"))
        lit = QWidget()
        self._column = column = QVBoxLayout(lit)
        column.setContentsMargins(16, 10, 16, 10)
        column.addWidget(self.headline)
        column.addWidget(self.body, 1)
        column.addWidget(self.caption)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(lit)
        self._stack.addWidget(self._black)
        self.set_theme(theme)

    def add_strip(self, strip: QWidget) -> None:
        """Something the lecturer may open between panes and caption."""
        strip.hide()
        self._column.insertWidget(2, strip)

    def pane(self, name: str) -> QWidget:
        """The stage's own pane of that name, made when first needed."""
        if name not in self._panes:
            pane = build_pane(name)
            pane.setParent(self.body)
            pane.setAccessibleName(name)
            if name == "timeline":
                pane.toggle_overview()  # it would show what a question hides
            pane.set_theme(self._theme)
            pane.focus_requested.connect(self.focus_requested)
            pane.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._panes[name] = pane
            self._resize_text()
        return self._panes[name]

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the panes on stage."""
        return self._shown

    @property
    def is_black(self) -> bool:
        return self._stack.currentWidget() is self._black

    def set_black(self, black: bool) -> None:
        self._stack.setCurrentIndex(int(black))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.headline.set_theme(theme)
        for pane in self._panes.values():
            pane.set_theme(theme)

    def say_again(self) -> None:
        """The language is another now: what the panes made of the recording they make again with the next beat."""
        self._history = None
        for pane in self._panes.values():
            pane.setProperty("history", None)
        self.set_theme(self._theme)

    def show_beat(self, told: Told, beat: Beat, chapters: int) -> None:
        """Everything about one beat. While a question is open the room sees the state before the event."""
        language = current()
        step = told.step
        self.headline.show_place(told.title(language), beat.chapter, chapters, beat.step + 1, len(told.chapter.steps))
        question = step.question
        if question is None:
            self.caption.show_text(told.caption(language))
        elif beat.revealed:
            answer = told.text(question.answer, language)
            self.caption.show_question(told.text(question.ask, language), f"{answer} {told.caption(language)}")
        else:
            self.caption.show_question(told.text(question.ask, language), None)
        self._arrange(step.panes)
        focus = told.focus
        if not beat.revealed:
            focus = Focus(max(focus.step - 1, 0), focus.lane)
        fresh = told.history is not self._history
        self._history = told.history
        for name, pane in self._panes.items():
            if name in step.panes:
                self._show(name, pane, told, focus, beat.revealed)
            elif fresh:
                pane.set_history(None)
                pane.setProperty("history", None)
        self._show_timeline(told)

    def show_focus(self, focus: Focus) -> None:
        """Autoplay moves on; the words stay."""
        for name in self._shown:
            self._panes[name].set_focus(focus)

    def _show(self, name: str, pane: QWidget, told: Told, focus: Focus, revealed: bool) -> None:
        """The veil comes before the focus, which is painted at once: the room must not see the answer even briefly."""
        if pane.property("history") is not told.history:
            if hasattr(pane, "set_report"):
                pane.set_report(told.scene.report() if name == "diagnosis" else None)
            pane.set_history(told.history)
            pane.setProperty("history", told.history)
        if name == "timeline":
            pane.set_emphasis(told.step.highlight)
        if hasattr(pane, "set_veil"):
            pane.set_veil(None if revealed else focus.step)
        pane.set_focus(focus)

    def _show_timeline(self, told: Told) -> None:
        if "timeline" not in told.step.panes:
            return
        timeline = self._panes["timeline"]
        stretch = zoom_range(told)
        if stretch is not None:
            timeline.show_time(*stretch)

    def _arrange(self, names: tuple[str, ...]) -> None:
        """Panes of lines lie one above the other; those that want height stand in a column at the right."""
        if names == self._shown:
            return
        for name in self._shown:
            self._grid.removeWidget(self._panes[name])
            self._panes[name].hide()
        tall = [name for name in names if name in _TALL][-1:] if len(names) > 1 else []
        lines = [name for name in names if name not in tall]
        for row, name in enumerate(lines):
            self._grid.addWidget(self.pane(name), row, 0)
        for name in tall:
            self._grid.addWidget(self.pane(name), 0, 1, max(len(lines), 1), 1)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, _HEIGHTS.get(lines[row], 1) if row < len(lines) else 0)
        self._grid.setColumnStretch(0, 7)
        self._grid.setColumnStretch(1, 6 if tall else 0)
        for name in names:
            self._panes[name].show()
        self._shown = names

    def _text_font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(max(round(self.height() / _LINES), SMALLEST_TEXT))
        return font

    def _resize_text(self) -> None:
        font = self._text_font()
        self.headline.resize_text(font)
        self.caption.resize_text(font)
        # On the body, not on each pane: some panes choose their own family and take only the size from above. And off
        # and on again, because a pane that came later is reached by a change alone.
        self.body.setFont(QFont())
        self.body.setFont(font)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._resize_text()
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.key_pressed.emit(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class _Black(Painted, QWidget):
    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
