"""A line to type a query in: it completes what can come next, and a label under it points at what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLabel, QLineEdit, QWidget

from visualizer.playback.query import QueryError, complete
from visualizer.trace.trace import Trace
from visualizer.views.pane_look_widget import inherited_mono_font
from visualizer.views.theme import Theme


class QueryLine(QLineEdit):
    """A QLineEdit with a popup of completions while a person types."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(inherited_mono_font())
        self.setClearButtonEnabled(True)
        self._trace: Trace | None = None
        self._start = 0
        self._model = QStringListModel(self)
        self.completer_ = QCompleter(self._model, self)
        self.completer_.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer_.setMaxVisibleItems(12)
        self.completer_.setWidget(self)
        self.completer_.activated.connect(self.insert)
        self.textEdited.connect(self._offer)
        self.returnPressed.connect(self.hide_options)

    def set_trace(self, trace: Trace | None) -> None:
        """Whose names to offer."""
        self._trace = trace

    def options(self) -> list[str]:
        """What is offered now."""
        return self._model.stringList()

    def insert(self, option: str) -> None:
        """Put an option in the place of what was typed of it."""
        end = self.cursorPosition()
        text = self.text()
        self.setText(f"{text[: self._start]}{option} {text[end:].lstrip()}")
        self.setCursorPosition(self._start + len(option) + 1)
        self.textEdited.emit(self.text())

    def hide_options(self) -> None:
        self.completer_.popup().hide()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.hide_options()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.completer_.popup().isVisible():
            self.hide_options()
            return
        super().keyPressEvent(event)

    def _offer(self, text: str) -> None:
        found = complete(text, self.cursorPosition(), self._trace)
        self._start = found.start
        typed = text[found.start : self.cursorPosition()]
        options = [option for option in found.options if option != typed]
        self._model.setStringList(options)
        if not options or not text:
            self.hide_options()
            return
        popup = self.completer_.popup()
        width = max(popup.sizeHintForColumn(0), 0) + 4 * self.fontMetrics().averageCharWidth()
        place = self.cursorRect()
        place.setWidth(width)
        self.completer_.complete(place)
        # Return takes what was typed unless a person chose from the list.
        popup.setCurrentIndex(self.completer_.model().index(-1, 0))


class QueryProblem(QLabel):
    """The query again with carets under what is wrong, and a sentence; hidden while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Problem with the query")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFont(inherited_mono_font())
        self.hide()

    def show_problem(self, error: QueryError | None) -> None:
        self.setText(error.pointed if error is not None else "")
        self.setVisible(error is not None)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(f"color: {theme.error.outline}; padding: 0 4px")
