"""Access: contrast as the system asks for it, scales that fit the screen, nothing moves by itself, keys for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPlainTextEdit, QTableView
from pytestqt.qtbot import QtBot

from visualizer.app.settings.appearance import system_theme
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.views.look.theme import theme_names

STORY = """
title = { en = "t", zh = "t" }
[[chapter]]
id = "one"
title = { en = "First", zh = "第一" }
program = "lesson"
[[chapter.step]]
focus = 20
text = { en = "copies", zh = "拷贝" }
autoplay = { until = 23, loop = true }
"""


@dataclass
class Hints:
    """What Qt's style hints say of a system."""

    scheme: Qt.ColorScheme
    contrast: Qt.ContrastPreference

    def colorScheme(self) -> Qt.ColorScheme:
        return self.scheme

    def accessibility(self) -> Hints:
        return self

    def contrastPreference(self) -> Qt.ContrastPreference:
        return self.contrast


@pytest.mark.parametrize(
    ("scheme", "contrast", "name"),
    [
        (Qt.ColorScheme.Dark, Qt.ContrastPreference.NoPreference, "dark"),
        (Qt.ColorScheme.Dark, Qt.ContrastPreference.HighContrast, "high-contrast-dark"),
        (Qt.ColorScheme.Light, Qt.ContrastPreference.HighContrast, "high-contrast-light"),
        (Qt.ColorScheme.Unknown, Qt.ContrastPreference.NoPreference, "light"),
    ],
)
def test_the_systems_hints_choose_the_theme(scheme: Qt.ColorScheme, contrast: Qt.ContrastPreference, name: str) -> None:
    assert system_theme(Hints(scheme, contrast)) == name


@pytest.mark.parametrize("name", theme_names())
def test_every_theme_is_remembered_and_painted(
    make_window: Callable[[], MainWindow], settings: Settings, name: str
) -> None:
    settings.theme = name
    window = make_window()
    assert window.appearance.theme.name == name
    assert QApplication.palette().window().color().name() == window.appearance.theme.window


def test_two_keys_reach_all_four_themes(window: MainWindow, qtbot: QtBot) -> None:
    seen = set()
    for key in ("Ctrl+T", "Ctrl+Shift+T", "Ctrl+T", "Ctrl+Shift+T"):
        QTest.keySequence(window.timeline, QKeySequence(key))
        seen.add(window.appearance.theme.name)
    assert seen == set(theme_names())


@pytest.mark.parametrize("scale", [100, 150, 200, 300])
def test_the_window_fits_a_screen_of_1600_by_900(window: MainWindow, qtbot: QtBot, scale: int) -> None:
    window.appearance.set_scale(scale)
    qtbot.waitUntil(lambda: window.fontMetrics().height() >= 13 * scale // 100)
    window.resize(1600, 900)
    window.workspaces.reset()
    qtbot.waitUntil(lambda: window.minimumSizeHint().width() <= 1600 and window.minimumSizeHint().height() <= 900)
    assert (window.width(), window.height()) == (1600, 900)
    label = window.transport.label
    assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
    assert window.transport.iconSize().height() >= label.fontMetrics().height()
    scene = window.timeline.scene
    assert min(scene.height(row) for row in scene.rows()) >= window.fontMetrics().height()
    for command_id in ("help.sheet", "help.about", "help.palette", "window.keys"):
        window.actions_by_id[command_id].trigger()
        (sheet,) = [child for child in window.findChildren(QDialog) if child.isVisible()]
        assert sheet.width() <= 1600
        assert sheet.height() <= 900
        sheet.close()
    window.appearance.set_scale(100)


def test_with_reduced_motion_a_lecture_waits_for_a_key(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "story.toml"
    path.write_text(STORY, encoding="utf-8")
    window.appearance.toggle_motion()
    window.lectures.present(path, full_screen=False)
    lecture = window.lectures.lecture
    assert lecture is not None
    with qtbot.waitExposed(lecture.stage):
        lecture.stage.resize(1280, 720)
    timeline = lecture.stage.pane("timeline")
    assert not lecture.playing
    assert timeline.focused_step == 20
    qtbot.keyClick(lecture.stage, Qt.Key.Key_R)
    while lecture.playing:
        lecture.advance(0.1)
    assert timeline.focused_step == 23
    window.lectures.leave()
    window.appearance.toggle_motion()


def test_lanes_are_chosen_by_key_in_the_timeline_alone(window: MainWindow) -> None:
    window.navigator.first()
    keys = [lane.key for lane in window.timeline.scene.lanes]
    window.timeline.setFocus()
    QTest.keySequence(window.timeline, QKeySequence("Down"))
    first = window.navigator.focus.lane
    QTest.keySequence(window.timeline, QKeySequence("Down"))
    assert keys.index(window.navigator.focus.lane) == keys.index(first) + 1
    table = window.panes["barriers"].findChild(QTableView)
    table.setFocus()
    QTest.keySequence(table, QKeySequence("Down"))
    assert window.navigator.focus.lane == keys[keys.index(first) + 1]


@pytest.mark.parametrize("name", theme_names())
def test_what_a_field_says_while_it_is_empty_can_be_read(window: MainWindow, name: str) -> None:
    """Qt halves the colour of a text that a style sheet gives, unless that gives this one too."""
    window.appearance.set_theme(name)
    field = QPlainTextEdit(window)
    field.setPlaceholderText("M" * 20)
    field.resize(400, 60)
    image = field.grab().toImage()
    seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert window.appearance.theme.text_muted in seen
