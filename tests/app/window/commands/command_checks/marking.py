"""Mark: marks, bookmarks, notes and measuring."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_checks.check import START, Check, Trigger
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.views.timeline.gestures.measure import Measurement


def _mark_toggle(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    run()
    assert [mark.focus for mark in window.noting.notes.marks] == [START]
    run()
    assert window.noting.notes.is_empty


def _mark_region(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert "Measure a stretch first" in window.messages.text
    window.navigator.go_to(Focus(20, "full[0]"))
    window.timeline.toggle_measure()
    window.navigator.go_to(Focus(60, "full[0]"))
    run()
    time = window.document.history.trace.events["time"]
    (mark,) = window.noting.notes.marks
    assert (time[mark.focus.step], time[mark.last]) == (time[20], time[60])


def _mark_note(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    run()
    assert window.noting.notes.at(100) is not None
    assert window.panes["notes"].list.state() == window.panes["notes"].list.State.EditingState


def _to_mark(wanted: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for step in (20, 50, 150, 200):
            window.navigator.go_to(Focus(step))
            window.noting.toggle_mark()
        window.navigator.go_to(START)
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
        window.navigator.go_to(START)
        run()
        assert window.noting.notes.bookmark(number).focus == START
        run()
        assert window.noting.notes.bookmark(number) is None

    return check


def _goes_to_bookmark(number: int) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        run()
        assert f"no bookmark {number} yet" in window.messages.text
        window.navigator.go_to(START)
        window.noting.set_bookmark(number)
        window.navigator.go_to(Focus(7))
        run()
        assert window.navigator.focus == START

    return check


CHECKS: dict[str, Check] = {
    "mark.toggle": _mark_toggle,
    "mark.region": _mark_region,
    "mark.note": _mark_note,
    "mark.next": _to_mark(150),
    "mark.previous": _to_mark(50),
    "mark.measure": _mark_measure,
    **{f"mark.set_{number}": _sets_bookmark(number) for number in range(1, 10)},
    **{f"mark.go_{number}": _goes_to_bookmark(number) for number in range(1, 10)},
}
