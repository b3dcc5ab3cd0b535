"""Play, View, Lanes, Window and Help: what is shown, and how."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog

from command_checks.check import START, Check, Trigger
from visualizer.app.session.document import Document
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


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


def _language(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.menuBar().actions()[0].text() == "文件(&F)"
    run()
    assert window.menuBar().actions()[0].text() == "&File"


def _dark(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = window.appearance.theme.dark
    run()
    assert window.appearance.theme.dark is not before
    run()


def _contrast(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = window.appearance.theme
    run()
    after = window.appearance.theme
    assert (after.high_contrast, after.dark) == (not before.high_contrast, before.dark)
    assert window.settings.theme == after.name
    assert window.actions_by_id["view.high_contrast"].isChecked() is after.high_contrast
    run()
    assert window.appearance.theme == before


def _motion(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hints = QApplication.styleHints()
    before = hints.cursorFlashTime()
    run()
    assert window.appearance.reduced_motion
    assert window.settings.reduced_motion
    assert hints.cursorFlashTime() == 0
    run()
    assert not window.settings.reduced_motion
    assert hints.cursorFlashTime() == before > 0


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


def _workspace(name: str) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.workspaces.go_to("teach" if name != "teach" else "look")
        run()
        assert window.workspaces.name == name
        assert window.docks.open == WORKSPACES[name].open

    return check


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


def _next_lane(direction: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        keys = [lane.key for lane in window.timeline.scene.lanes]
        window.navigator.go_to(Focus(START.step, keys[1]))
        run()
        assert window.navigator.focus == Focus(START.step, keys[1 + direction])
        end = keys[-1] if direction > 0 else keys[0]
        window.navigator.go_to(Focus(START.step, end))
        run()
        assert window.navigator.focus.lane == end

    return check


def _go_to_pane(direction: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.timeline.setFocus()
        docks = [dock for dock in window.docks.all() if not dock.isHidden()]
        assert len(docks) == 3
        seen = []
        for _ in docks:
            run()
            at = window.focusWidget()
            seen.append(next(dock for dock in docks if dock is at or dock.isAncestorOf(at)))
            assert not seen[-1].visibleRegion().isEmpty()
        assert seen == docks[::direction]
        run()
        assert window.focusWidget() is window.timeline

    return check


def _zoomed_in(window: MainWindow) -> None:
    window.navigator.go_to(START)
    for _ in range(6):
        window.timeline.zoom_in()


CHECKS: dict[str, Check] = {
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
    "view.slice": _changes_view(lambda w: w.navigator.go_to(START), lambda before, after: after.span < before.span),
    "view.focus": _changes_view(lambda w: w.navigator.go_to(START), lambda before, after: after.span < before.span),
    "view.undo_zoom": _changes_view(_zoomed_in, lambda before, after: after != before),
    "view.dark": _dark,
    "view.language": _language,
    "view.high_contrast": _contrast,
    "view.reduced_motion": _motion,
    "view.larger": _scale,
    "view.smaller": _scale,
    "lanes.next": _next_lane(1),
    "lanes.previous": _next_lane(-1),
    "lanes.filter": _lanes_filter,
    "lanes.pin": _lanes_switch(lambda w: w.timeline.scene.rows_shown.pinned),
    "lanes.toggle_cta": _lanes_switch(lambda w: len(w.timeline.scene.rows_shown.shown), ctas=2),
    "lanes.toggle_all": _lanes_switch(lambda w: len(w.timeline.scene.rows_shown.shown), ctas=2),
    "lanes.compact": _lanes_switch(lambda w: w.timeline.scene.compact),
    "lanes.all_arrows": _lanes_switch(lambda w: w.timeline.scene.all_arrows),
    "lanes.overview": _lanes_switch(lambda w: w.timeline.overview.isHidden()),
    "window.full_screen": _full_screen,
    "window.next_pane": _go_to_pane(1),
    "window.previous_pane": _go_to_pane(-1),
    **{f"window.{name}": _workspace(name) for name in WORKSPACES},
    "window.reset_layout": _reset_layout,
    "window.keys": _opens_dialog("Keys"),
    "help.sheet": _opens_dialog("Keys and commands"),
    "help.palette": _opens_dialog("Find anything"),
    "help.about": _opens_dialog("About phasescope"),
}
