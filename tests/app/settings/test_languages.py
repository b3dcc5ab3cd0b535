"""The window's language: switched while it is open, back and forth, remembered, and with a font for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QFileDialog, QKeySequenceEdit, QLabel, QLineEdit, QTabBar, QTableView
from pytestqt.qtbot import QtBot

from visualizer.app.settings import languages
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.language import current, use
from visualizer.playback.focus import Focus

_WORDS = re.compile(r"\b(the|of|is|to|with|from|all|record|next|previous)\b", re.IGNORECASE)


def _texts(window: MainWindow) -> list[str]:
    properties = ("text", "accessibleName", "accessibleDescription", "windowTitle", "placeholderText", "title")
    found = [one.property(name) for one in [window, *window.findChildren(QObject)] for name in properties]
    return sorted(text for text in found if isinstance(text, str) and text)


def test_the_open_window_speaks_chinese_and_english_again(window: MainWindow, qtbot: QtBot) -> None:
    english = _texts(window)
    window.actions_by_id["view.language"].trigger()
    assert current() == "zh"
    menus = [action.text() for action in window.menuBar().actions()]
    assert menus[0] == "文件(&F)"
    assert all(re.search("[\u4e00-\u9fff]", title) for title in menus)
    assert {dock.windowTitle() for dock in window.findChildren(QDockWidget)} >= {"环", "说明", "诊断", "实验"}
    assert window.actions_by_id["step.next"].text() == "下一个事件"
    left = [text for text in _texts(window) if _WORDS.search(text)]
    assert [text for text in left if not re.search("[\u4e00-\u9fff]", text) and "/" not in text] == []
    window.actions_by_id["view.language"].trigger()
    assert current() == "en"
    assert Counter(_texts(window)) - Counter(english) == Counter(english) - Counter(_texts(window))


@pytest.mark.parametrize("size", [(1280, 800), (1600, 900)])
def test_no_tab_of_the_layout_is_left_in_the_former_language(window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    window.workspaces.go_to("experiment")
    window.workspaces.reset()
    window.languages.toggle()
    window.workspaces.reset()
    titles = {dock.windowTitle() for dock in window.docks.all()}
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = [{bar.tabText(index) for index in range(bar.count())} for bar in bars if bar.isVisible()]
    assert shown
    assert all(tabs <= titles for tabs in shown)


def test_what_panes_say_of_the_step_follows(window: MainWindow) -> None:
    window.show_pane("explanation")
    window.show_pane("events")
    assert "initialises" in window.panes["explanation"].text.text()
    assert "initialises" in window.sentence.text.text()
    window.languages.toggle()
    assert "初始化" in window.panes["explanation"].text.text()
    assert "初始化" in window.sentence.text.text()
    header = window.panes["events"].table.model()
    assert header.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) == "步"
    assert isinstance(window.panes["events"].table, QTableView)


def test_the_focus_and_the_view_stay(window: MainWindow) -> None:
    window.navigator.go_to(Focus(60, None))
    window.timeline.zoom_in()
    focus, view = window.navigator.focus, window.timeline.view
    window.languages.toggle()
    assert window.navigator.focus == focus
    assert window.timeline.view == view


def test_the_choice_is_remembered(window: MainWindow, settings: Settings) -> None:
    assert settings.language == ""
    window.languages.toggle()
    assert settings.language == "zh"
    window.languages.toggle()
    assert settings.language == "en"


def test_a_missing_font_is_told_with_what_to_install(
    make_window: Callable[[], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "has_chinese_font", lambda: False)
    window = make_window()
    assert not window.messages.isVisible()
    window.languages.toggle()
    assert "sudo apt install fonts-noto-cjk" in window.messages.text
    window.languages.toggle()
    assert not window.messages.isVisible()


def test_this_computer_has_the_font_that_ci_installs() -> None:
    assert languages.has_chinese_font()


def test_a_window_that_starts_in_chinese_can_be_read_in_english(make_window: Callable[[], MainWindow]) -> None:
    use("zh")
    window = make_window()
    assert window.menuBar().actions()[0].text() == "文件(&F)"
    window.languages.toggle()
    assert window.menuBar().actions()[0].text() == "&File"
    assert window.docks["ring"].windowTitle() == "Ring"


def test_a_window_that_starts_in_chinese_calls_its_panes_so(make_window: Callable[[], MainWindow]) -> None:
    use("zh")
    window = make_window()
    names = {window.docks[name].windowTitle(): pane.accessibleName() for name, pane in window.panes.items()}
    assert all(title == name for title, name in names.items())
    assert "环" in names


def test_the_words_that_qt_has_itself_follow(window: MainWindow, qtbot: QtBot) -> None:
    def words() -> set[str]:
        chooser = QFileDialog()
        chooser.setOption(QFileDialog.Option.DontUseNativeDialog)
        key, field = QKeySequenceEdit(), QLineEdit("text")
        menu = field.createStandardContextMenu()
        for widget in (chooser, key, field, menu):
            qtbot.addWidget(widget)
        labels = {label.text() for label in chooser.findChildren(QLabel)}
        return {*labels, key.findChild(QLineEdit).placeholderText(), *(a.text() for a in menu.actions() if a.text())}

    english = words()
    assert {"Press shortcut", "&Look in:"} < english
    window.languages.toggle()
    chinese = words()
    assert "请按下快捷键" in chinese
    assert [text for text in chinese if not re.search("[\u4e00-\u9fff]", text)] == []
    window.languages.toggle()
    assert words() == english
