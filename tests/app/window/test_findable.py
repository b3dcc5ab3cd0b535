"""What the palette of a real window finds, and where each kind leads."""

from __future__ import annotations

from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from visualizer.app.commands.palette import Entry, ranked
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.findable import findable
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus


def _find(window: MainWindow, typed: str, kind: str) -> Entry:
    return next(entry for entry in ranked(typed, list(findable(window.parts))) if entry.kind == kind)


def test_every_enabled_command_and_every_pane_is_found(window: MainWindow) -> None:
    entries = list(findable(window.parts))
    enabled = [command.title for command in COMMANDS if window.actions_by_id[command.id].isEnabled()]
    menus = {command.group for command in COMMANDS}
    assert [entry.title for entry in entries if entry.kind in menus] == enabled
    assert len([entry for entry in entries if entry.kind == "Pane"]) == len(window.docks.names)
    save = _find(window, "save", "File")
    assert save.keys == ("Ctrl+S",)


def test_a_pane_is_brought_to_the_front(window: MainWindow) -> None:
    window.docks["memory"].hide()
    _find(window, "sm", "Pane").run()
    assert window.docks["memory"].isVisible()


def test_a_fault_is_run(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.jobs.succeeded):
        _find(window, "f06", "Fault").run()
    assert window.document.history.trace.meta.config["fault"] == "F06"


def test_an_agent_and_a_barrier_are_gone_to(window: MainWindow) -> None:
    window.navigator.go_to(Focus(40))
    _find(window, "cw2", "Agent").run()
    history = window.document.history
    assert window.navigator.focus.lane == "consumer.w2"
    assert window.navigator.focus.step >= 40
    window.navigator.go_to(Focus(history.steps - 1))
    _find(window, "e1", "Barrier").run()
    assert window.navigator.focus.lane == "empty[1]"
    step = window.navigator.focus.step
    assert history.trace.barriers[history.trace.events["barrier"][step]].name == "empty[1]"


def test_a_chapter_is_told_from_its_beginning(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    present = partial(window.lectures.present, full_screen=False)
    monkeypatch.setattr(window.lectures, "present", present)
    _find(window, "producer_tail do not leave early", "Chapter").run()
    assert window.lectures.lecture.told.chapter.id == "tail"
    window.lectures.leave()


def test_every_setting_is_found_with_its_value_and_its_key(window: MainWindow) -> None:
    settings = {entry.title: entry for entry in findable(window.parts) if entry.kind == "Setting"}
    assert settings["Text size: 100 % (now)"].keys == ()
    assert settings["Text size: 125 %"].keys == ("Ctrl+=", "Ctrl++")
    assert settings["Language: 中文"].keys == ("Ctrl+Shift+L",)
    assert settings["Reduced motion: off"].help
    assert {"Stages: 3", "Seed: 0", "Program: lesson", "Fault: none", "Arrive per warp: off"} <= set(settings)
    switches = {command.title for command in COMMANDS if command.checked and command.group in ("View", "Lanes")}
    named = {title.split(":")[0] for title in settings}
    assert switches - named == {"Dark theme", "High contrast"}, "these two are the themes"
    assert len([title for title in settings if title.startswith("Theme: ")]) == 4
    fields = {title for title, _ in window.experiment.fields()}
    assert fields <= named


def test_a_setting_is_chosen_switched_or_opened(window: MainWindow) -> None:
    _find(window, "theme light high", "Setting").run()
    assert (window.appearance.theme.dark, window.appearance.theme.high_contrast) == (False, True)
    now = next(entry for entry in findable(window.parts) if entry.title.startswith("Theme: dark, high"))
    assert now.keys == ("Ctrl+T",)
    _find(window, "text size 150", "Setting").run()
    assert window.appearance.scale == 150
    _find(window, "reduced motion", "Setting").run()
    assert window.appearance.reduced_motion
    window.docks["experiment"].hide()
    _find(window, "stages", "Setting").run()
    assert window.docks["experiment"].isVisible()
    assert window.experiment.form.field("stages").hasFocus()
    _find(window, "arrive per warp", "Setting").run()
    assert window.experiment.form.field("arrive_per_warp").isChecked()
    window.experiment.source.setCurrentIndex(window.experiment.source.findData("gpu"))
    _find(window, "level", "Setting").run()
    assert window.experiment.recording.header.isChecked()
    assert window.experiment.recording.field("level").hasFocus()
    _find(window, "language 中文", "Setting").run()
    assert window.languages.is_chinese
    assert _find(window, "语言 english", "设置").keys == ("Ctrl+Shift+L",)
