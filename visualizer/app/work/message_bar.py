"""Messages inside the window, under the toolbar: an error never opens a dialog and never stops the work."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from visualizer.language import tr
from visualizer.views.look.plain_text_widget import PlainLabel, tip


class MessageBar(QFrame):
    """One message at a time, closed with its button or replaced by the next. `kind` picks its look in style.py."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self.setAccessibleName(tr("Message"))
        self._icon = PlainLabel()
        self._text = PlainLabel(wordWrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton(text="\N{MULTIPLICATION SIGN}", autoRaise=True, toolTip=tr("Close this message"))
        self._close.setAccessibleName(tr("Close this message"))
        self._close.clicked.connect(self.hide)
        self.offer = QPushButton(accessibleName=tr("What can be done"))
        self._take: Callable[[], None] | None = None
        self.offer.clicked.connect(self._taken)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 4, 4)
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        layout.addWidget(self.offer)
        layout.addWidget(self._close)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_error(self, sentence: str, offer: tuple[str, Callable[[], None]] | None = None) -> None:
        """`offer`: the words of a button, and what it does."""
        self._show("error", "\N{WARNING SIGN}", sentence, offer)

    def show_note(self, sentence: str) -> None:
        self._show("note", "\N{INFORMATION SOURCE}", sentence)

    def _taken(self) -> None:
        if self._take is not None:
            self._take()

    def _show(self, kind: str, icon: str, sentence: str, offer: tuple[str, Callable[[], None]] | None = None) -> None:
        self.setProperty("kind", kind)
        for part in (self, *self.findChildren(QWidget)):  # the style of the kind reaches those in it, too
            part.style().unpolish(part)
            part.style().polish(part)
        self._icon.setText(icon)
        self._text.setText(sentence)
        self._text.setToolTip(tip(sentence))
        words, self._take = offer or ("", None)
        self.offer.setText(words)
        self.offer.setAccessibleName(words or tr("What can be done"))
        self.offer.setVisible(offer is not None)
        self.setAccessibleName(f"{kind}: {sentence}")
        self.show()
