"""A dialog that asks for work and stays open while it runs: how far it is, what went wrong, and Cancel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from visualizer.app.work.standard_buttons import in_words
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import PlainLabel


class WorkDialog(QDialog):
    """Emits `cancel_requested` while the work is on its way. It knows no file and starts no work."""

    cancel_requested = Signal()

    def __init__(self, title: str, start: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._busy = False
        self._fields: tuple[QWidget, ...] = ()
        self.note = PlainLabel(wordWrap=True)
        self.progress = QProgressBar(maximum=1000, accessibleName=tr("Progress"))
        self.progress.hide()
        self.buttons = in_words(QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel))
        self.start = QPushButton(start, default=True)
        self.buttons.addButton(self.start, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.rejected.connect(self.reject)

    def set_busy(self, busy: bool) -> None:
        """While the work is on its way nothing can be changed, and Cancel stops it."""
        self._busy = busy
        for field in (*self._fields, self.start):
            field.setEnabled(not busy)
        self.progress.setVisible(busy)
        if not busy:
            self.start.setFocus()  # Cancel had it, as all that could be changed was disabled

    def show_progress(self, fraction: float, what: str) -> None:
        self.progress.setValue(round(fraction * self.progress.maximum()))
        self.note.setText(what)

    def show_error(self, sentence: str) -> None:
        self.note.setText(sentence)

    def reject(self) -> None:
        """Cancel ends the work first, and the dialog the second time."""
        if self._busy:
            self.cancel_requested.emit()
        else:
            super().reject()

    def _lay_out(self, form: QLayout, fields: tuple[QWidget, ...]) -> None:
        """The form with these fields, and below it what all such dialogs have."""
        self._fields = fields
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.note)
        layout.addWidget(self.progress)
        layout.addWidget(self.buttons)
