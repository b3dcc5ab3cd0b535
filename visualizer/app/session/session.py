"""What all parts of one window work on: the recording shown, the focus in it, and the line that tells a person."""

from __future__ import annotations

from PySide6.QtCore import QObject

from visualizer.app.session.document import Document
from visualizer.app.session.navigator import Navigator
from visualizer.app.session.runs import Runs
from visualizer.app.work.message_bar import MessageBar


class Session:
    """Handed down to whatever acts on the recording, so that no part has to know the window to find it."""

    def __init__(self, messages: MessageBar, parent: QObject) -> None:
        self.document: Document | None = None
        self.navigator = Navigator(parent)
        self.runs = Runs(parent)
        self.messages = messages

    @property
    def is_open(self) -> bool:
        """Whether there is a recording."""
        return self.document is not None

    @property
    def is_read(self) -> bool:
        """Whether the recording is read, so that every state can be asked for."""
        return self.document is not None and self.document.read
