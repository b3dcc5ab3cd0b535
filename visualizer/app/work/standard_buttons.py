"""Buttons that Qt has words for too, in ours: the same in every language, and where Qt brings no translation."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QMessageBox, QWidget

from visualizer.language import mark, tr

_Button = QDialogButtonBox.StandardButton
_WORDS = {
    _Button.Ok: mark("OK"),
    _Button.Cancel: mark("Cancel"),
    _Button.Save: mark("Save"),
    _Button.Discard: mark("Discard"),
    _Button.RestoreDefaults: mark("Restore defaults"),
}


def in_words(box: QDialogButtonBox) -> QDialogButtonBox:
    """The box, its standard buttons called as the window's language has it."""
    for which, words in _WORDS.items():
        if (button := box.button(which)) is not None:
            button.setText(tr(words))
    return box


def question(
    parent: QWidget,
    title: str,
    text: str,
    buttons: QMessageBox.StandardButton,
    default: QMessageBox.StandardButton,
) -> QMessageBox:
    """A question to be asked with `exec`, which gives the button; closing it is Cancel."""
    box = QMessageBox(QMessageBox.Icon.Question, title, text, buttons, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # it may name a stranger's file
    box.setDefaultButton(default)
    in_words(box.findChild(QDialogButtonBox))
    return box
