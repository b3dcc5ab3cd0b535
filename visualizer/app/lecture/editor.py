"""Writing a story: its steps as a list, their texts in place, new ones from what the window shows, and a preview."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QGridLayout,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from visualizer.app.work.standard_buttons import question
from visualizer.language import current, tr
from visualizer.playback.stories import edit
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Question, Source, Step, Story, Text
from visualizer.playback.stories.write import save_story
from visualizer.views.look.plain_text_widget import PlainLabel

_PLACE = Qt.ItemDataRole.UserRole
FIELDS = ("text", "notes", "question", "answer")


class StoryEditor(QWidget):
    """Stands in the Story pane. `preview_requested(Story, chapter, step)` asks to see a step on stage."""

    preview_requested = Signal(object, int, int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Story"))
        self.story: Story | None = None
        self.path: Path | None = None
        self.place: edit.Place = (0, 0)
        self.steps = QTreeWidget()
        self.steps.setHeaderHidden(True)
        self.steps.setAccessibleName(tr("Steps of the story"))
        self.steps.currentItemChanged.connect(self._select)
        self.message = PlainLabel(wordWrap=True)
        self.boxes: dict[tuple[str, str], QPlainTextEdit] = {}
        self.titles: dict[tuple[str, str], PlainLabel] = {}
        self.buttons: dict[str, QPushButton] = {}
        self._filling = False
        column = QVBoxLayout(self)
        column.addWidget(self.steps, 2)
        column.addLayout(self._buttons())
        column.addWidget(self._texts(), 3)

    def open(self, story: Story, path: Path | None) -> None:
        """Edit `story`; `path` None: it has no file yet."""
        self.story, self.path, self.place = story, path, (0, 0)
        self.setWindowModified(path is None)
        self._list()

    def add(self, step: Step, source: Source, title: Text) -> None:
        """Put a step after the selected one; the first one begins a story."""
        if self.story is None:
            chapter = edit.Chapter("chapter-1", title, source, (step,))
            self.story, self.place = edit.new_story(title, chapter), (0, 0)
        else:
            self.story, self.place = edit.insert_step(self.story, self.place, step, source, title)
        self._changed()

    def save(self) -> None:
        """Write the file; ask for one first if there is none."""
        if self.story is None:
            return
        if self.path is None:
            name, _ = QFileDialog.getSaveFileName(self, tr("Save the story"), "story.toml", tr("Stories (*.toml)"))
            if not name:
                return
            self.path = Path(name)
        try:
            save_story(self.story, self.path)
        except StoryError as error:
            self.message.setText(str(error))
            return
        self.setWindowModified(False)
        self._check()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        super().closeEvent(event)
        self.closed.emit()

    def _buttons(self) -> QGridLayout:
        grid = QGridLayout()
        for number, (name, title, run) in enumerate(
            (
                ("up", tr("Up"), lambda: self._move(-1)),
                ("down", tr("Down"), lambda: self._move(1)),
                ("remove", tr("Remove"), self._remove),
                ("preview", tr("Preview"), self._preview),
                ("save", tr("Save"), self.save),
                ("close", tr("Close"), self.close),
            )
        ):
            button = QPushButton(title)
            button.clicked.connect(run)
            grid.addWidget(button, number // 3, number % 3)
            self.buttons[name] = button
        return grid

    def _texts(self) -> QScrollArea:
        """The boxes of the current step, one under another: they scroll where there is less room."""
        inside = QWidget(objectName="parameters")
        form = QFormLayout(inside)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setContentsMargins(0, 0, 6, 0)
        form.addRow(self.message)  # scrolls with them: on a small screen it would be cut
        for field in FIELDS:
            for language in ("en", "zh"):
                box = QPlainTextEdit()
                box.setTabChangesFocus(True)
                box.textChanged.connect(self._write)
                self.titles[field, language] = PlainLabel()
                form.addRow(self.titles[field, language], box)
                box.setFixedHeight(round(4.5 * box.fontMetrics().lineSpacing()))
                self.boxes[field, language] = box
        self._title_boxes()
        area = QScrollArea(widgetResizable=True, focusPolicy=Qt.FocusPolicy.NoFocus, accessibleName=tr("Texts"))
        area.setWidget(inside)
        return area

    def _title_boxes(self) -> None:
        titles = {"text": tr("Text"), "notes": tr("Notes"), "question": tr("Question"), "answer": tr("Answer")}
        for (field, language), box in self.boxes.items():
            title = f"{titles[field]} ({language})"
            self.titles[field, language].setText(title)
            box.setAccessibleName(title)

    def say_again(self) -> None:
        """The language is another now: the boxes' titles, and the steps as they are spoken in it."""
        self._title_boxes()
        if self.story is not None:
            self._list()

    def _list(self) -> None:
        """Show the story's steps, the current one selected."""
        assert self.story is not None
        self._filling = True
        self.steps.clear()
        wanted = None
        for number, chapter in enumerate(self.story.chapters):
            branch = QTreeWidgetItem([f"{number + 1}. {chapter.title.spoken(current())}"])
            branch.setData(0, _PLACE, (number, 0))
            self.steps.addTopLevelItem(branch)
            for at, step in enumerate(chapter.steps):
                leaf = QTreeWidgetItem([_row_text(at, step)])
                leaf.setData(0, _PLACE, (number, at))
                branch.addChild(leaf)
                if (number, at) == self.place:
                    wanted = leaf
        self.steps.expandAll()
        if wanted is not None:
            self.steps.setCurrentItem(wanted)
        self._filling = False
        self._fill()
        self._check()

    def _select(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and not self._filling:
            self.place = tuple(item.data(0, _PLACE))
            self._fill()

    def _fill(self) -> None:
        """The boxes show the current step's texts."""
        step = self._step()
        self._filling = True
        for (field, language), box in self.boxes.items():
            box.setPlainText(_text_of(step, field).spoken(language))
        self._filling = False

    def _write(self) -> None:
        """What was typed becomes the story's."""
        if self._filling or self.story is None:
            return
        texts = {
            field: Text(*(self.boxes[field, language].toPlainText().strip() for language in ("en", "zh")))
            for field in FIELDS
        }
        question = Question(texts["question"], texts["answer"]) if texts["question"] or texts["answer"] else None
        step = replace(self._step(), text=texts["text"], notes=texts["notes"], question=question)
        self.story = edit.replace_step(self.story, self.place, step)
        self.setWindowModified(True)
        self._caption()
        self._check()

    def _caption(self) -> None:
        """The current step's row, as its text is now."""
        item = self.steps.currentItem()
        if item is not None and item.parent() is not None and tuple(item.data(0, _PLACE)) == self.place:
            item.setText(0, _row_text(self.place[1], self._step()))

    def _move(self, direction: int) -> None:
        if self.story is not None:
            self.story, self.place = edit.move_step(self.story, self.place, direction)
            self._changed()

    def _remove(self) -> None:
        if self.story is None:
            return
        try:
            self.story = edit.remove_step(self.story, self.place)
        except StoryError as error:
            self.message.setText(str(error))
            return
        places = list(self.story.places())
        self.place = max((place for place in places if place <= self.place), default=places[0])
        self._changed()

    def _preview(self) -> None:
        if self.story is not None:
            self.preview_requested.emit(self.story, *self.place)

    def _changed(self) -> None:
        self.setWindowModified(True)
        self._list()

    def _check(self) -> None:
        assert self.story is not None
        problems = check_story(replace(self.story, path=self.path))
        self.message.setText("\n".join(problems[:3]) if problems else tr("The story can be told from end to end."))

    def _step(self) -> Step:
        assert self.story is not None
        chapter, step = self.place
        return self.story.chapters[chapter].steps[step]

    def may_close(self) -> bool:
        """Offer to save what is not; False if the story shall stay open."""
        if not self.isWindowModified():
            return True
        answer = self.ask_about_unsaved()
        if answer == QMessageBox.StandardButton.Save:
            self.save()
            return not self.isWindowModified()
        return answer == QMessageBox.StandardButton.Discard

    def ask_about_unsaved(self) -> QMessageBox.StandardButton:
        """A method of its own, so that tests can answer."""
        buttons = QMessageBox.StandardButton
        box = question(
            self,
            tr("Story"),
            tr("The story was changed and is not saved."),
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )
        return buttons(box.exec())


def _row_text(number: int, step: Step) -> str:
    return f"{number + 1}  {step.text.spoken(current())}"


def _text_of(step: Step, field: str) -> Text:
    if field in ("question", "answer"):
        if step.question is None:
            return Text("", "")
        return step.question.ask if field == "question" else step.question.answer
    return step.text if field == "text" else step.notes
