"""Every command of the registry, one by one: triggered as a menu would, then what it did is checked.

A command without an entry in CHECKS fails, and so does an entry without a command: none can be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from visualizer.app.command_table import COMMANDS
from visualizer.app.document import Document
from visualizer.app.main_window import MainWindow
from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.sources.simulator import simulate
from visualizer.trace.schema import EventKind
from visualizer.views.timeline_measure import Measurement

Trigger = Callable[[], None]
Check = Callable[[MainWindow, Trigger, pytest.MonkeyPatch, Path], None]

_START = Focus(100, "full[0]")


def _leads_to(wanted: Callable[[MainWindow], Focus | None], start: Focus = _START) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.navigator.go_to(start)
        run()
        assert window.navigator.focus == wanted(window)
        assert window.navigator.focus != start

    return check


def _moves(name: str, *direction: int) -> Check:
    """Leads where the move of playback leads."""
    return _leads_to(lambda w: getattr(navigate, name)(w.document.history, _START, *direction))


def _any_lane(direction: int) -> Check:
    return _leads_to(lambda w: Focus(100 + direction, home_lane(w.document.history.trace, 100 + direction)))


def _along(name: str) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        history = window.document.history
        start = Focus(int(np.flatnonzero(history.kinds == EventKind.PHASE_COMPLETE)[4]))
        window.navigator.go_to(start)
        run()
        assert window.navigator.focus == getattr(navigate, name)(Causality(history), start)
        assert window.navigator.focus != start

    return check


def _changes_view(prepare: Callable[[MainWindow], None], changed: Callable[[object, object], bool]) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        prepare(window)
        before = window.timeline.view
        run()
        assert changed(before, window.timeline.view)

    return check


def _opens_dialog(title: str) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        run()
        (dialog,) = [child for child in window.findChildren(QDialog) if child.isVisible()]
        assert dialog.windowTitle() == title
        dialog.close()

    return check


def _file_open(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(window.files, "choose_open_path", lambda: tmp_path / "a.pscope")
    monkeypatch.setattr(window.files, "open", lambda path: opened.append(path))
    run()
    assert opened == [tmp_path / "a.pscope"]


def _file_save(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(window.files, "choose_save_path", lambda: tmp_path / "a.pscope")
    run()
    assert (tmp_path / "a.pscope").is_file()
    assert window.document.path == tmp_path / "a.pscope"


def _file_lesson(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr(window.files, "open", lambda path: opened.append(path.name))
    run()
    assert opened == ["lesson.pscope"]


def _file_clear_recent(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.pscope").touch()
    window.settings.add_recent(tmp_path / "a.pscope")
    run()
    assert window.settings.recent == []


def _file_quit(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert not window.isVisible()


def _step_back(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(_START)
    run()
    assert window.navigator.focus.step == 0


def _step_forward(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(_START)
    window.navigator.back()
    window.actions_by_id.refresh()
    run()
    assert window.navigator.focus == _START


def _find(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.find_bar.isVisible()
    assert window.find_bar.line.hasFocus()
    window.find_bar.close_bar()


def _to_match(direction: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.find_bar.line.setText("kind == phase_complete")
        window.navigator.go_to(_START)
        run()
        wanted = navigate.phase_completion(window.document.history, _START, direction)
        assert window.navigator.focus.step == wanted.step

    return check


def _copy_address(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(_START)
    run()
    assert QGuiApplication.clipboard().text() == "#step=100&lane=full[0]"


def _go_to_address(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(window.places, "choose_address", lambda: "#step=42&lane=empty[1]")
    run()
    assert window.navigator.focus == Focus(42, "empty[1]")


def _to_hit(direction: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.breakpoints.add("kind == phase_complete")
        window.navigator.go_to(_START)
        run()
        wanted = navigate.phase_completion(window.document.history, _START, direction)
        assert window.navigator.focus.step == wanted.step

    return check


def _debug_toggle(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(_START)
    run()
    (breakpoint,) = window.breakpoints.all
    assert _START.step in breakpoint.hits
    run()
    assert len(window.breakpoints.all) == 0


def _debug_new(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.panes["breakpoints"].line.hasFocus()


def _debug_toggle_all(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.breakpoints.add("blocked")
    window.breakpoints.add("derived")
    run()
    assert [one.enabled for one in window.breakpoints.all] == [False, False]
    run()
    assert [one.enabled for one in window.breakpoints.all] == [True, True]


def _debug_remove_all(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.breakpoints.add("blocked")
    run()
    assert len(window.breakpoints.all) == 0


def _mark_toggle(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(_START)
    run()
    assert [mark.focus for mark in window.notebook.notes.marks] == [_START]
    run()
    assert window.notebook.notes.is_empty


def _mark_region(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert "Measure a stretch first" in window.messages.text
    window.navigator.go_to(Focus(20, "full[0]"))
    window.timeline.toggle_measure()
    window.navigator.go_to(Focus(60, "full[0]"))
    run()
    time = window.document.history.trace.events["time"]
    (mark,) = window.notebook.notes.marks
    assert (time[mark.focus.step], time[mark.last]) == (time[20], time[60])


def _mark_note(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(_START)
    run()
    assert window.notebook.notes.at(100) is not None
    assert window.panes["notes"].list.state() == window.panes["notes"].list.State.EditingState


def _to_mark(wanted: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for step in (20, 50, 150, 200):
            window.navigator.go_to(Focus(step))
            window.notebook.toggle_mark()
        window.navigator.go_to(_START)
        run()
        assert window.navigator.focus == Focus(wanted)

    return check


def _mark_measure(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    time = window.document.history.trace.events["time"]
    window.navigator.go_to(Focus(20))
    run()
    window.navigator.go_to(Focus(60))
    assert window.timeline.measured == Measurement(int(time[20]), int(time[60]))
    assert window.actions_by_id["mark.measure"].isChecked()
    run()
    window.navigator.go_to(Focus(80))
    assert window.timeline.measured == Measurement(int(time[20]), int(time[60]))


def _sets_bookmark(number: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.navigator.go_to(_START)
        run()
        assert window.notebook.notes.bookmark(number).focus == _START
        run()
        assert window.notebook.notes.bookmark(number) is None

    return check


def _goes_to_bookmark(number: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        run()
        assert f"no bookmark {number} yet" in window.messages.text
        window.navigator.go_to(_START)
        window.notebook.set_bookmark(number)
        window.navigator.go_to(Focus(7))
        run()
        assert window.navigator.focus == _START

    return check


def _play_toggle(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.playback.is_playing
    run()
    assert not window.playback.is_playing


def _speed(factor: Callable[[float, float], bool]) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        before = window.playback.speed
        run()
        assert factor(window.playback.speed, before)

    return check


def _play_run(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[object] = []
    monkeypatch.setattr(window.jobs, "start", started.append)
    run()
    assert len(started) == 1


def _play_cancel(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cancelled: list[bool] = []
    monkeypatch.setattr(type(window.jobs), "is_busy", True)
    monkeypatch.setattr(window.jobs, "cancel", lambda: cancelled.append(True))
    window.actions_by_id.refresh()
    run()
    assert cancelled == [True]


def _dark(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = window.appearance.theme.dark
    run()
    assert window.appearance.theme.dark is not before
    run()


def _scale(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.appearance.set_scale(125)
    run()
    assert window.appearance.scale in (100, 150)
    window.appearance.set_scale(100)


def _full_screen(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.isFullScreen()
    run()
    assert not window.isFullScreen()


def _reset_layout(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.docks["ring"].close()
    run()
    assert window.docks["ring"].isVisible()


def _lanes_filter(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.timeline.filter.isVisible()


def _lanes_switch(state: Callable[[MainWindow], object], ctas: int = 1) -> Check:
    """Twice leaves it as it was."""

    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        if ctas > 1:
            history = History(simulate(lesson(LessonConfig(ctas=ctas))))
            window.show_document(Document(history, path=None, saved=True))
        window.navigator.go_to(Focus(100))
        before = state(window)
        run()
        assert state(window) != before
        run()
        assert state(window) == before

    return check


def _zoomed_in(window: MainWindow) -> None:
    window.navigator.go_to(_START)
    for _ in range(6):
        window.timeline.zoom_in()


CHECKS: dict[str, Check] = {
    "file.open": _file_open,
    "file.save": _file_save,
    "file.lesson": _file_lesson,
    "file.clear_recent": _file_clear_recent,
    "file.quit": _file_quit,
    "step.next": _moves("event", 1),
    "step.previous": _moves("event", -1),
    "step.next_transition": _moves("transition", 1),
    "step.previous_transition": _moves("transition", -1),
    "step.next_same_kind": _moves("same_kind", 1),
    "step.previous_same_kind": _moves("same_kind", -1),
    "step.next_any_lane": _any_lane(1),
    "step.previous_any_lane": _any_lane(-1),
    "step.next_tile": _moves("tile", 1),
    "step.previous_tile": _moves("tile", -1),
    "step.next_phase": _moves("phase_completion", 1),
    "step.previous_phase": _moves("phase_completion", -1),
    "step.cause": _along("cause"),
    "step.effect": _along("effect"),
    "step.first": _moves("first"),
    "step.last": _moves("last"),
    "step.back": _step_back,
    "step.forward": _step_forward,
    "find.find": _find,
    "find.next": _to_match(1),
    "find.previous": _to_match(-1),
    "find.copy_address": _copy_address,
    "find.go_to_address": _go_to_address,
    "debug.next_hit": _to_hit(1),
    "debug.previous_hit": _to_hit(-1),
    "debug.toggle": _debug_toggle,
    "debug.new": _debug_new,
    "debug.toggle_all": _debug_toggle_all,
    "debug.remove_all": _debug_remove_all,
    "mark.toggle": _mark_toggle,
    "mark.region": _mark_region,
    "mark.note": _mark_note,
    "mark.next": _to_mark(150),
    "mark.previous": _to_mark(50),
    "mark.measure": _mark_measure,
    **{f"mark.set_{number}": _sets_bookmark(number) for number in range(1, 10)},
    **{f"mark.go_{number}": _goes_to_bookmark(number) for number in range(1, 10)},
    "play.toggle": _play_toggle,
    "play.faster": _speed(lambda after, before: after > before),
    "play.slower": _speed(lambda after, before: after < before),
    "play.run": _play_run,
    "play.cancel": _play_cancel,
    "view.zoom_in": _changes_view(lambda w: None, lambda before, after: after.span < before.span),
    "view.zoom_out": _changes_view(_zoomed_in, lambda before, after: after.span > before.span),
    "view.pan_left": _changes_view(_zoomed_in, lambda before, after: after.start < before.start),
    "view.pan_right": _changes_view(_zoomed_in, lambda before, after: after.start > before.start),
    "view.fit_all": _changes_view(_zoomed_in, lambda before, after: after.span > before.span and after.start <= 0),
    "view.focus": _changes_view(lambda w: w.navigator.go_to(_START), lambda before, after: after.span < before.span),
    "view.undo_zoom": _changes_view(_zoomed_in, lambda before, after: after != before),
    "view.dark": _dark,
    "view.larger": _scale,
    "view.smaller": _scale,
    "lanes.filter": _lanes_filter,
    "lanes.pin": _lanes_switch(lambda w: w.timeline.scene.rows_shown.pinned),
    "lanes.toggle_cta": _lanes_switch(lambda w: len(w.timeline.scene.rows_shown.shown), ctas=2),
    "lanes.toggle_all": _lanes_switch(lambda w: len(w.timeline.scene.rows_shown.shown), ctas=2),
    "lanes.compact": _lanes_switch(lambda w: w.timeline.scene.compact),
    "lanes.all_arrows": _lanes_switch(lambda w: w.timeline.scene.all_arrows),
    "lanes.overview": _lanes_switch(lambda w: w.timeline.overview.isHidden()),
    "window.full_screen": _full_screen,
    "window.reset_layout": _reset_layout,
    "window.keys": _opens_dialog("Keys"),
    "help.sheet": _opens_dialog("Keys and commands"),
    "help.palette": _opens_dialog("Find a command"),
    "help.about": _opens_dialog("About phasescope"),
}


def test_no_command_is_untested_and_no_check_is_for_nothing() -> None:
    assert set(CHECKS) == {command.id for command in COMMANDS}


@pytest.mark.parametrize("command_id", [command.id for command in COMMANDS])
def test_the_command_does_what_it_says(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command_id: str
) -> None:
    action = window.actions_by_id[command_id]

    def run() -> None:
        window.actions_by_id.refresh()
        assert action.isEnabled(), f"{command_id} is disabled"
        action.trigger()

    CHECKS[command_id](window, run, monkeypatch, tmp_path)
