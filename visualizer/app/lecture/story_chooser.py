"""Which story to tell: those that come with phasescope, or a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from visualizer.app.work.standard_buttons import in_words
from visualizer.language import current, tr
from visualizer.playback.stories.load import built_in_stories, load_story, story_path

_PATH = 0x100  # Qt.ItemDataRole.UserRole


class StoryChooser(QDialog):
    """`chosen` brings the story's path."""

    chosen = Signal(Path)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Present a story"))
        self.stories = QListWidget()
        self.stories.setAccessibleName(tr("Stories"))
        for name in built_in_stories():
            path = story_path(name)
            item = QListWidgetItem(load_story(path).title.spoken(current()))
            item.setData(_PATH, str(path))
            self.stories.addItem(item)
        self.stories.setCurrentRow(0)
        self.stories.itemActivated.connect(lambda item: self._choose(Path(item.data(_PATH))))
        buttons = in_words(QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel))
        self.other = buttons.addButton(tr("Other file…"), QDialogButtonBox.ButtonRole.ActionRole)
        self.present = buttons.addButton(tr("Present"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.other.clicked.connect(self._ask_file)
        buttons.accepted.connect(lambda: self._choose(Path(self.stories.currentItem().data(_PATH))))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.stories)
        layout.addWidget(buttons)
        em = self.fontMetrics().height()
        self.resize(em * 34, em * 18)

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Present a story"), "", tr("Stories (*.toml);;All files (*)"))
        if name:
            self._choose(Path(name))

    def _choose(self, path: Path) -> None:
        self.accept()
        self.chosen.emit(path)
