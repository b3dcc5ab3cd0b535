"""The notes pane: what it shows and what it asks for."""

from __future__ import annotations

import pytest
from pane_testing import hand_history, requested
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from visualizer.playback.focus import Focus
from visualizer.playback.notes import Mark, Notes
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme
from visualizer.views.notes.notes_widget import NotesWidget

NOTES = (
    Notes()
    .with_bookmark(3, Focus(12, "full[0]"))
    .with_mark(Mark(Focus(5), text="here it begins"))
    .with_mark(Mark(Focus(20, "producer"), last=30))
)


@pytest.fixture
def pane(qtbot: QtBot) -> NotesWidget:
    pane = NotesWidget()
    qtbot.addWidget(pane)
    pane.set_theme(load_theme("dark"))
    pane.set_history(hand_history())
    pane.set_notes(NOTES)
    with qtbot.waitExposed(pane):
        pane.show()
    return pane


def _texts(pane: NotesWidget, row: int) -> list[str]:
    return [pane.rows.index(row, column).data() for column in range(5)]


def test_every_mark_has_its_sign_place_and_text(pane: NotesWidget) -> None:
    assert isinstance(pane, Pane)
    assert _texts(pane, 0) == ["⚑", "5", "0.050 µs", "", "here it begins"]
    assert _texts(pane, 1) == ["3", "12", "0.120 µs", "full[0]", ""]
    assert _texts(pane, 2) == ["↔", "20..30", "0.200 µs + 0.100 µs", "producer", ""]
    pane.set_history(None)
    assert _texts(pane, 0)[2] == ""


def test_return_goes_there_and_the_focus_is_followed(pane: NotesWidget) -> None:
    wishes = requested(pane)
    pane.list.activated.emit(pane.rows.index(1, 0))
    assert wishes == [Focus(12, "full[0]")]
    pane.set_focus(Focus(20))
    assert pane.list.currentIndex().row() == 2


def test_a_text_is_written_in_place(pane: NotesWidget, qtbot: QtBot) -> None:
    written: list[tuple[Mark, str]] = []
    pane.text_edited.connect(lambda mark, text: written.append((mark, text)))
    pane.edit(NOTES.marks[1])
    editor = pane.list.findChild(QLineEdit)
    qtbot.keyClicks(editor, "late ")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: written == [(NOTES.marks[1], "late")])


@pytest.mark.parametrize("way", ["F2", "button"])
def test_f2_and_the_button_write(pane: NotesWidget, qtbot: QtBot, way: str) -> None:
    pane.list.choose(0)
    if way == "F2":
        qtbot.keyClick(pane.list, Qt.Key.Key_F2)
    else:
        qtbot.mouseClick(pane.edit_button, Qt.MouseButton.LeftButton)
    assert pane.list.findChild(QLineEdit) is not None


def test_delete_and_the_button_ask_to_remove(pane: NotesWidget, qtbot: QtBot) -> None:
    removed: list[Mark] = []
    pane.removed.connect(removed.append)
    pane.list.choose(0)
    qtbot.keyClick(pane.list, Qt.Key.Key_Delete)
    pane.list.choose(2)
    qtbot.mouseClick(pane.remove_button, Qt.MouseButton.LeftButton)
    assert removed == [NOTES.marks[0], NOTES.marks[2]]


def test_without_notes_there_is_nothing_to_write_on(pane: NotesWidget) -> None:
    pane.set_notes(Notes())
    assert not pane.edit_button.isEnabled()
    assert not pane.remove_button.isEnabled()


def test_many_marks_are_made_when_they_are_looked_at(pane: NotesWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may hold tens of thousands; the window must not wait for all of them."""
    asked: set[int] = set()
    data = pane.rows.data

    def counted(index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        asked.add(index.row())
        return data(index, role)

    monkeypatch.setattr(pane.rows, "data", counted)
    pane.set_notes(Notes(tuple(Mark(Focus(step % 40)) for step in range(50_000))))
    pane.grab()
    assert 0 < len(asked) < 1000


def test_a_change_among_many_marks_looks_at_few(pane: NotesWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    flags = pane.rows.flags

    def counted(index: QModelIndex) -> Qt.ItemFlag:
        nonlocal asked
        asked += 1
        return flags(index)

    notes = Notes(tuple(Mark(Focus(step)) for step in range(16_000)))
    pane.set_history(None)
    pane.set_notes(notes)
    pane.grab()
    monkeypatch.setattr(pane.rows, "flags", counted)
    pane.set_notes(notes.with_text(notes.marks[7], "new"))
    pane.grab()
    assert asked < 1000
    assert _texts(pane, 7)[4] == "new"
