"""Messages inside the window, under the toolbar: an error never opens a dialog and never stops the work."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from visualizer.language import tr


class MessageBar(QFrame):
    """One message at a time, closed with its button or replaced by the next. `kind` picks its look in style.py."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self.setAccessibleName(tr("Message"))
        self._icon = QLabel()
        self._text = QLabel(wordWrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton(text="\N{MULTIPLICATION SIGN}", autoRaise=True, toolTip=tr("Close this message"))
        self._close.setAccessibleName(tr("Close this message"))
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 4, 4)
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._close)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_error(self, sentence: str) -> None:
        self._show("error", "\N{WARNING SIGN}", sentence)

    def show_note(self, sentence: str) -> None:
        self._show("note", "\N{INFORMATION SOURCE}", sentence)

    def _show(self, kind: str, icon: str, sentence: str) -> None:
        self.setProperty("kind", kind)
        self.style().unpolish(self)
        self.style().polish(self)
        self._icon.setText(icon)
        self._text.setText(sentence)
        self.setAccessibleName(f"{kind}: {sentence}")
        self.show()
