"""Find: a line over the timeline for words or a query, how many events match, and the way from match to match."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from visualizer.app.work.newest_job import NewestJob
from visualizer.language import tr, trn
from visualizer.playback.breakpoints import nearest_hit
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.events import Events
from visualizer.replay.step_index import Steps
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.look.plain_text_widget import PlainLabel, tip
from visualizer.views.look.theme import Theme
from visualizer.views.notes.query_line_widget import QueryLine, QueryProblem

_NONE: Steps = np.empty(0, np.int64)


class FindBar(QFrame):
    """Hidden until it is asked for. `matches_changed` carries the steps that match."""

    focus_requested = Signal(object)
    matches_changed = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.setAccessibleName(tr("Find events"))
        self.line = QueryLine()
        self.line.setAccessibleName(tr("Find"))
        self.line.setPlaceholderText(tr("find words, or a query: kind == arrive and tile in 2..5"))
        self.count = PlainLabel()
        self.count.setAccessibleDescription(tr("Matches"))
        self.count.setMinimumWidth(self.fontMetrics().averageCharWidth() * 16)
        self.previous_button = _button("\N{BLACK UP-POINTING TRIANGLE}", tr("Previous match"), self.previous)
        self.next_button = _button("\N{BLACK DOWN-POINTING TRIANGLE}", tr("Next match"), self.next)
        close = _button("\N{MULTIPLICATION SIGN}", tr("Close"), self.close_bar)
        self.problem = QueryProblem()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.line, 1)
        for widget in (self.count, self.previous_button, self.next_button, close):
            row.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 3, 6, 3)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        self.hide()
        self._events: Events | None = None
        self._focus: Focus | None = None
        self._matches = _NONE
        self.job = NewestJob(self)
        self.job.answered.connect(self._take)
        self.job.busy_changed.connect(lambda busy: self._show_count())
        self.line.textChanged.connect(lambda text: self._search())
        self.line.returnPressed.connect(self.next)

    @property
    def matches(self) -> Steps:
        """The steps that match, ascending."""
        return self._matches

    def open_bar(self) -> None:
        """Show it, ready to type."""
        self.show()
        self.line.setFocus()
        self.line.selectAll()
        self.matches_changed.emit(self._matches)

    def close_bar(self) -> None:
        self.line.hide_options()
        self.hide()
        self.closed.emit()

    def set_events(self, events: Events | None) -> None:
        """Look through another recording for the same."""
        self._events = events
        self.line.set_history(events.history if events is not None else None)
        self._search()

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        self._show_count()

    def set_theme(self, theme: Theme) -> None:
        self.problem.set_theme(theme)

    def next(self) -> None:
        self._go(1)

    def previous(self) -> None:
        self._go(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def _go(self, direction: int) -> None:
        """To the next or previous match; past the last, on from the other end. With nothing to find yet, ask what."""
        if not self.line.text().strip():
            self.open_bar()
        if self._events is None or self._focus is None or not len(self._matches):
            return
        step = nearest_hit(self._matches, self._focus.step, direction)
        if step is None:
            step = int(self._matches[0 if direction > 0 else -1])
        self.focus_requested.emit(home_focus(self._events.trace, step))

    def _search(self) -> None:
        events, text = self._events, self.line.text()
        if events is None:
            return

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[Events, Steps | QueryError]:
            try:
                return events, _found(text, events)
            except QueryError as error:
                return events, error

        self.job.ask(work, len(events))

    def _take(self, answer: tuple[Events, Steps | QueryError]) -> None:
        events, found = answer
        if events is not self._events:
            return
        problem = found if isinstance(found, QueryError) else None
        self._matches = _NONE if isinstance(found, QueryError) else found
        self.problem.show_problem(problem)
        self._show_count()
        self.matches_changed.emit(self._matches)

    def _show_count(self) -> None:
        n = len(self._matches)
        if self.job.is_busy:
            text = tr("looking...")
        elif not self.line.text().strip():
            text = ""
        elif not n:
            text = tr("no match")
        else:
            row = int(np.searchsorted(self._matches, self._focus.step)) if self._focus is not None else n
            here = row < n and self._matches[row] == self._focus.step
            text = (
                tr("{number} of {count}", number=f"{row + 1:,}", count=f"{n:,}")
                if here
                else trn("{n} match", "{n} matches", n)
            )
        self.count.setText(text)


def _found(text: str, events: Events) -> Steps:
    if not text.strip():
        return _NONE
    from visualizer.playback.query.search import find_steps

    return find_steps(text, events)


def _button(sign: str, name: str, run: object) -> QToolButton:
    button = QToolButton(text=sign, autoRaise=True, toolTip=tip(name))
    button.setAccessibleName(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(run)
    return button
