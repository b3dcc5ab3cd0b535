"""The Story pane: the editor of a story, or how to come to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QStackedLayout, QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.views.look.plain_text_widget import PlainLabel

if TYPE_CHECKING:
    from visualizer.app.lecture.editor import StoryEditor


class StoryPane(QWidget):
    """Holds the editor while there is one. `offer` says what can be done without."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hint = PlainLabel(
            tr(
                "No story is open. A story is a lecture: steps that each show a moment of a recording and say a text."
                " Present one, edit one, or begin one with what the window shows now."
            ),
            wordWrap=True,
        )
        self._empty = QWidget()
        self._column = QVBoxLayout(self._empty)
        self._column.addWidget(self.hint)
        self._column.addStretch(1)
        self._layout = QStackedLayout(self)
        self._layout.addWidget(self._empty)
        self._editor: StoryEditor | None = None

    def offer(self, *actions: QAction) -> None:
        """Buttons for these, below the hint."""
        for action in actions:
            button = QPushButton(action.text())
            button.clicked.connect(action.trigger)
            self._column.insertWidget(self._column.count() - 1, button)

    def show_editor(self, editor: StoryEditor | None) -> None:
        """`editor`, or none any more."""
        if self._editor is not None:
            self._layout.removeWidget(self._editor)
        self._editor = editor
        if editor is not None:
            self._layout.addWidget(editor)
        self._layout.setCurrentWidget(editor or self._empty)

    def minimumSizeHint(self) -> QSize:
        return self._layout.currentWidget().minimumSizeHint()
