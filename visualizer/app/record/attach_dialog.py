"""*Record your own kernel*: asks for a program, shows what it prints while it runs, and what was recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPlainTextEdit, QWidget

from visualizer.app.record.attach_form import AttachForm
from visualizer.app.record.titles import with_titles
from visualizer.app.work.work_dialog import WorkDialog
from visualizer.language import tr
from visualizer.sources.attach.option_table import OPTIONS
from visualizer.sources.attach.request import AttachRequest
from visualizer.sources.errors import SourceError
from visualizer.views.look.pane_look_widget import inherited_mono_font
from visualizer.views.look.plain_text_widget import tip

_LINES_KEPT = 5000
_PATH_ROLE = Qt.ItemDataRole.UserRole


class _Recordings(QListWidget):
    """Return opens a recording and does not press the dialog's button as well, which would record again."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class AttachDialog(WorkDialog):
    """Emits `requested(AttachRequest)`, and `chosen(Path)` for a recording to be looked at."""

    requested = Signal(object)
    chosen = Signal(object)

    def __init__(self, remembered: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(tr("Record your own kernel"), tr("Record"), parent)
        self.form = AttachForm()
        self.printed = QPlainTextEdit(readOnly=True, accessibleName=tr("What the program prints"))
        self.printed.setPlaceholderText(tr("What the program prints is shown here."))
        self.printed.setMaximumBlockCount(_LINES_KEPT)
        self.printed.setFont(inherited_mono_font())
        self.recordings = _Recordings(accessibleName=tr("What was recorded"))
        self.recordings.setToolTip(tr("Return or a double click opens a recording"))
        self.recordings.hide()
        self._lay_out(self.form, self.form.fields)
        below = self.layout().indexOf(self.note)
        self.layout().insertWidget(below, self.printed, 1)
        self.layout().insertWidget(below + 1, self.recordings)
        self.form.set_texts(remembered)
        self.form.changed.connect(self._check)
        self.form.list_kernels.clicked.connect(lambda: self._ask(list_only=True))
        self.buttons.accepted.connect(lambda: self._ask(list_only=False))
        self.recordings.itemActivated.connect(lambda item: self.chosen.emit(item.data(_PATH_ROLE)))
        self._check()

    def sizeHint(self) -> QSize:
        letter = self.fontMetrics()
        return QSize(letter.averageCharWidth() * 90, super().sizeHint().height() + letter.height() * 4)

    @property
    def recorded(self) -> list[Path]:
        return [self.recordings.item(row).data(_PATH_ROLE) for row in range(self.recordings.count())]

    def begin(self) -> None:
        """Forget what came of the run before."""
        self.printed.clear()
        self.recordings.clear()
        self.recordings.hide()

    def set_busy(self, busy: bool) -> None:
        super().set_busy(busy)
        self.progress.hide()  # how long a program will run nobody knows
        if not busy:
            self._check()
            if self.recorded:
                self.recordings.setFocus()

    def print_out(self, text: str) -> None:
        """Append what the program printed, in view if the end was."""
        bar = self.printed.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        cursor = QTextCursor(self.printed.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        if at_end:
            bar.setValue(bar.maximum())

    def say(self, sentence: str) -> None:
        """A line of ours among the program's."""
        text = self.printed.toPlainText()
        self.print_out(("" if not text or text.endswith("\n") else "\n") + f"phasescope: {sentence}\n")

    def add_recording(self, path: Path, summary: str) -> None:
        item = QListWidgetItem(f"{path.name}: {summary}")
        item.setToolTip(tip(str(path)))
        item.setData(_PATH_ROLE, path)
        self.recordings.addItem(item)
        self.recordings.setCurrentRow(0)
        rows = min(self.recordings.count(), 4)
        self.recordings.setFixedHeight(rows * self.recordings.sizeHintForRow(0) + 2 * self.recordings.frameWidth())
        self.recordings.show()

    def _check(self) -> None:
        """Say at once what cannot be; the buttons work when nothing is in the way."""
        if self._busy:
            return
        problem = ""
        try:
            self.form.request()
        except SourceError as error:
            problem = with_titles(str(error), OPTIONS)
        self.note.setText(problem)
        for button in (self.start, self.form.list_kernels):
            button.setEnabled(not problem)

    def _ask(self, *, list_only: bool) -> None:
        try:
            request: AttachRequest = self.form.request(list_only=list_only)
        except SourceError:
            self._check()  # a file is gone since
            return
        self.requested.emit(request)
