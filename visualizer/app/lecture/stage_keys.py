"""What is pressed on the stage or in the presenter view, as commands of the lecture."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeyEvent, QKeySequence

from visualizer.app.commands.command import Parts
from visualizer.app.lecture.commands import LECTURE_COMMANDS
from visualizer.app.lecture.lecture import Lecture


class StageKeys(QObject):
    """Those of one lecture."""

    def __init__(self, lecture: Lecture) -> None:
        super().__init__(lecture)
        self._parts = Parts(lecture, lecture.presentation, lecture.stage)
        self._runs = {QKeySequence(key).toString(): command.run for command in LECTURE_COMMANDS for key in command.keys}
        for window in (lecture.stage, lecture.presenter):
            window.key_pressed.connect(self._key)

    def _key(self, event: QKeyEvent) -> None:
        run = self._runs.get(_sequence(event))
        if run is not None:
            run(self._parts)
            event.accept()


def _sequence(event: QKeyEvent) -> str:
    """The key as the registry writes it; Shift counts only where it does not make the character."""
    text = event.text()
    if text.isprintable() and text.strip():
        return QKeySequence(text.upper()).toString()
    return QKeySequence(event.key()).toString()
