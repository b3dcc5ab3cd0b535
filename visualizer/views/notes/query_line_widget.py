"""A line to type a query in: it completes what can come next; what is wrong is pointed at below it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QStringListModel, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.playback.query.error import QueryError
from visualizer.replay.history import History
from visualizer.views.look.pane_look_widget import inherited_mono_font
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme


class QueryLine(QLineEdit):
    """A QLineEdit with a popup of completions while a person types."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(inherited_mono_font())
        self.setClearButtonEnabled(True)
        self._history: History | None = None
        self._start = 0
        self._model = QStringListModel(self)
        self.completer_ = QCompleter(self._model, self)
        self.completer_.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer_.setMaxVisibleItems(12)
        self.completer_.popup().setObjectName("completions")
        self.completer_.setWidget(self)
        self.completer_.activated.connect(self.insert)
        self.textEdited.connect(self._offer)
        self.returnPressed.connect(self.hide_options)

    def set_history(self, history: History | None) -> None:
        """Whose names to offer."""
        self._history = history

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
        """The list shows every key to the line first: Return with a choice in it, and Escape, are the list's."""
        popup = self.completer_.popup()
        if popup.isVisible():
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and popup.currentIndex().isValid():
                event.ignore()
                return
            if event.key() == Qt.Key.Key_Escape:
                self.hide_options()
                return
        super().keyPressEvent(event)

    def _offer(self, text: str) -> None:
        from visualizer.playback.query.complete import complete

        found = complete(text, self.cursorPosition(), self._history)
        self._start = found.start
        typed = text[found.start : self.cursorPosition()]
        options = [option for option in found.options if option != typed]
        self._model.setStringList(options)
        if not options or not text:
            self.hide_options()
            return
        popup = self.completer_.popup()
        width = max(popup.sizeHintForColumn(0), 0) + 4 * self.fontMetrics().averageCharWidth()
        # Below the whole line, at what is typed: the list must not lie on it.
        place = QRect(self.cursorRect().left(), 0, width, self.height())
        self.completer_.complete(place)
        # Return takes what was typed unless a person chose from the list.
        popup.setCurrentIndex(self.completer_.model().index(-1, 0))


class QueryProblem(QWidget):
    """The query again with carets under what is wrong, and a sentence; hidden while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Problem with the query"))
        self._carets = PlainLabel()
        self._carets.setFont(inherited_mono_font())
        # A long query is cut off rather than widening the pane.
        self._carets.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._sentence = PlainLabel(wordWrap=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 2)
        layout.setSpacing(0)
        layout.addWidget(self._carets)
        layout.addWidget(self._sentence)
        self.hide()

    @property
    def text(self) -> str:
        return f"{self._carets.text()}\n{self._sentence.text()}"

    def show_problem(self, error: QueryError | None) -> None:
        if error is not None:
            self._carets.setText("\n".join(error.pointed.split("\n")[:2]))
            self._sentence.setText(str(error))
        self.setVisible(error is not None)

    def set_theme(self, theme: Theme) -> None:
        self._carets.setStyleSheet(f"color: {theme.text}")
        self._sentence.setStyleSheet(f"color: {theme.error.outline}")
