"""Which of several recordings that belong together the window shows: the processes and launches of one job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox

from visualizer.language import tr


class RecordingChoice(QComboBox):
    """There only where there is something to choose. `wanted` tells the file that a person chose."""

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Recording shown"))
        self.setToolTip(tr("the recordings that were opened together, such as those of a job's processes"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the timeline
        self.hide()
        self.activated.connect(lambda row: self.wanted.emit(self.itemData(row)))

    def offer(self, paths: Sequence[Path], shown: Path | None) -> None:
        """Offer these, by their names."""
        self.clear()
        for path in paths:
            self.addItem(path.name, path)
            if path == shown:
                self.setCurrentIndex(self.count() - 1)
        self.setVisible(len(paths) > 1)
