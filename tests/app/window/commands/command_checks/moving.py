"""Step, Find and Debug: where each command takes the focus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication

from command_checks.check import START, Check, Trigger
from visualizer.app.window.main_window import MainWindow
from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.recording.schema import EventKind
from visualizer.replay.causality import Causality


def _leads_to(wanted: Callable[[MainWindow], Focus | None], start: Focus = START) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.navigator.go_to(start)
        run()
        assert window.navigator.focus == wanted(window)
        assert window.navigator.focus != start

    return check


def _moves(name: str, *direction: int) -> Check:
    """Leads where the move of playback leads."""
    return _leads_to(lambda w: getattr(navigate, name)(w.document.history, START, *direction))


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


def _step_back(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    run()
    assert window.navigator.focus.step == 0


def _step_forward(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    window.navigator.back()
    window.actions_by_id.refresh()
    run()
    assert window.navigator.focus == START


def _find(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.find_bar.isVisible()
    assert window.find_bar.line.hasFocus()
    window.find_bar.close_bar()


def _to_match(direction: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.find_bar.line.setText("kind == phase_complete")
        window.navigator.go_to(START)
        run()
        wanted = navigate.phase_completion(window.document.history, START, direction)
        assert window.navigator.focus.step == wanted.step

    return check


def _copy_address(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    run()
    assert QGuiApplication.clipboard().text() == "#step=100&lane=full[0]"


def _go_to_address(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(window.places, "choose_address", lambda: "#step=42&lane=empty[1]")
    run()
    assert window.navigator.focus == Focus(42, "empty[1]")


def _to_hit(direction: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        window.breakpoints.add("kind == phase_complete")
        window.navigator.go_to(START)
        run()
        wanted = navigate.phase_completion(window.document.history, START, direction)
        assert window.navigator.focus.step == wanted.step

    return check


def _debug_toggle(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    run()
    (breakpoint,) = window.breakpoints.all
    assert START.step in breakpoint.hits
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


CHECKS: dict[str, Check] = {
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
}
