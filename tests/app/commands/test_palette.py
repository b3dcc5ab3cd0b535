"""The palette shows what fits best first, and runs it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from visualizer.app.commands import palette as palette_module
from visualizer.app.commands.palette import CommandPalette, Entry, ranked


def _entry(kind: str, title: str, help: str = "") -> Entry:
    return Entry(kind, title, lambda: None, help=help)


def test_titles_rank_before_kinds_and_both_before_explanations() -> None:
    by_help = _entry("File", "Quit", "Close phasescope.")
    by_kind = _entry("Close", "Everything")
    by_title = _entry("File", "Close the lecture")
    assert ranked("close", (by_help, by_kind, by_title)) == [by_title, by_kind, by_help]
    assert ranked("", (by_help, by_kind)) == [by_help, by_kind]
    assert ranked("close quit", (by_help, by_kind, by_title)) == [by_help]
    assert ranked("close save", (by_help, by_kind, by_title)) == []


def _open(qtbot: QtBot, entries: list[Entry]) -> CommandPalette:
    parent = QWidget()
    qtbot.addWidget(parent)
    palette = CommandPalette(entries, parent)
    palette.kept = parent  # a widget goes with the last who knows it
    qtbot.addWidget(palette)
    with qtbot.waitActive(palette):
        palette.show()
        palette.activateWindow()
    qtbot.waitUntil(palette.line.hasFocus)
    return palette


def test_letters_find_and_return_runs(qtbot: QtBot) -> None:
    ran: list[str] = []
    entries = [Entry("Step", title, lambda title=title: ran.append(title), ("N",)) for title in ("First", "Last event")]
    palette = _open(qtbot, entries)
    assert palette.list.item(1).text() == "Step: Last event"
    assert palette.list.item(1).data(Qt.ItemDataRole.AccessibleTextRole) == "Step: Last event N"
    qtbot.keyClicks(palette.line, "le")
    assert palette.list.count() == 1
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert ran == ["Last event"]
    assert not palette.isVisible()


def test_up_and_down_move_in_the_list_while_typing(qtbot: QtBot) -> None:
    palette = _open(qtbot, [_entry("Step", title) for title in ("One", "Two", "Three")])
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    assert palette.list.currentRow() == palette.list.count() - 1
    qtbot.keyClicks(palette.line, "xyzzy")
    assert palette.list.count() == 0
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_of_many_the_best_are_shown_and_the_rest_is_counted(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(palette_module, "MOST", 3)
    palette = _open(qtbot, [_entry("Barrier", f"full[{row}]") for row in range(8)])
    assert palette.list.count() == 4
    assert palette.list.item(3).text() == "and 5 more: type more letters"
    palette.list.setCurrentRow(3)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()  # it is no entry
