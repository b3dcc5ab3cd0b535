"""Qt's own buttons speak the window's language, and a question takes names as they are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from visualizer.app.work.standard_buttons import in_words, question
from visualizer.language import speaking


@pytest.mark.parametrize(
    ("language", "words"), [("en", ["Cancel", "OK", "Restore defaults"]), ("zh", ["取消", "确定", "恢复默认"])]
)
def test_standard_buttons_are_in_the_language(qtbot: QtBot, language: str, words: list[str]) -> None:
    standard = QDialogButtonBox.StandardButton
    with speaking(language):
        box = in_words(QDialogButtonBox(standard.Ok | standard.Cancel | standard.RestoreDefaults))
    qtbot.addWidget(box)
    assert sorted(button.text() for button in box.buttons()) == sorted(words)


def test_a_question_is_plain_text_and_its_buttons_are_in_the_language(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    buttons = QMessageBox.StandardButton
    with speaking("zh"):
        box = question(parent, "title", "<b>run</b>", buttons.Save | buttons.Discard | buttons.Cancel, buttons.Save)
    assert box.textFormat() == Qt.TextFormat.PlainText
    assert sorted(button.text() for button in box.buttons()) == sorted(["保存", "放弃", "取消"])
    assert box.defaultButton() is box.button(buttons.Save)
