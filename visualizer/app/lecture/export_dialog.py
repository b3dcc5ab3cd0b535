"""Which story to take home, as what; then how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QFormLayout, QPushButton, QWidget

from visualizer.app.lecture.take_home import FORMATS, SIZE
from visualizer.app.work.work_dialog import WorkDialog
from visualizer.language import LANGUAGES, current, tr
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.model import Story

_SIZES = (SIZE, (1920, 1080), (960, 540))
_ALL = -1


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen; `chapters` are counted from 0."""

    story: Story
    suffix: str
    chapters: tuple[int, ...]
    language: str
    size: tuple[int, int]


class StoryExportDialog(WorkDialog):
    """Emits `requested(Choice)`."""

    requested = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Export a story"), tr("Export…"), parent)
        self.story = QComboBox(accessibleName=tr("Story"))
        for name in built_in_stories():
            self.add_story(story_path(name))
        self.other = QPushButton(tr("Other file…"), clicked=self._ask_file)
        self.chapter = QComboBox(accessibleName=tr("Chapters"))
        self.format = QComboBox(accessibleName=tr("Format"))
        for suffix, title in FORMATS.items():
            self.format.addItem(f"{tr(title)}  {suffix}", suffix)
        self.language = QComboBox(accessibleName=tr("Language"))
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        self.language.setCurrentIndex(self.language.findData(current()))
        self.size = QComboBox(accessibleName=tr("Size of the pictures"))
        for width, height in _SIZES:
            self.size.addItem(f"{width} x {height}", (width, height))
        self.buttons.accepted.connect(lambda: self.requested.emit(self._choice()))
        self.story.currentIndexChanged.connect(self._list_chapters)
        self._list_chapters()
        form = QFormLayout()
        form.addRow(tr("Story"), self.story)
        form.addRow("", self.other)
        form.addRow(tr("Chapters"), self.chapter)
        form.addRow(tr("Format"), self.format)
        form.addRow(tr("Language"), self.language)
        form.addRow(tr("Size of the pictures"), self.size)
        self._lay_out(form, (self.story, self.other, self.chapter, self.format, self.language, self.size))
        self.resize(self.fontMetrics().height() * 34, self.sizeHint().height())

    def add_story(self, path: Path) -> None:
        """Offer the story in this file too, and choose it; say why if it is none."""
        try:
            story = load_story(path)
        except StoryError as error:
            self.show_error(error.problems[0])
            return
        self.story.addItem(story.title.spoken(current()), story)
        self.story.setCurrentIndex(self.story.count() - 1)

    def set_busy(self, busy: bool) -> None:
        super().set_busy(busy)
        if busy:
            self.note.clear()

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Export a story"), "", tr("Stories (*.toml);;All files (*)"))
        if name:
            self.add_story(Path(name))

    def _list_chapters(self) -> None:
        story: Story = self.story.currentData()
        self.chapter.clear()
        self.chapter.addItem(tr("all"), _ALL)
        for place, chapter in enumerate(story.chapters):
            self.chapter.addItem(f"{place + 1}. {chapter.title.spoken(current())}", place)

    def _choice(self) -> Choice:
        story: Story = self.story.currentData()
        chapter = self.chapter.currentData()
        chapters = tuple(range(len(story.chapters))) if chapter == _ALL else (chapter,)
        size = tuple(self.size.currentData())
        return Choice(story, self.format.currentData(), chapters, self.language.currentData(), size)
