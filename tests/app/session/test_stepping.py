"""The step commands, by key and by button, and that going back is exactly going back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.main_window import MainWindow
from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.recording.schema import EventKind
from visualizer.replay.causality import Causality
from visualizer.replay.history import History

_START = Focus(100, "full[0]")


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    """Steps change where one is in the document, and no more."""
    return shared_window


def _with_lane(history: History, found: Focus | None) -> Focus:
    assert found is not None
    return Focus(found.step, home_lane(history.trace, found.step))


_LEADS_TO: dict[str, Callable[[History], Focus | None]] = {
    "step.next": lambda h: Focus(101, "full[0]"),
    "step.previous": lambda h: Focus(99, "full[0]"),
    "step.next_transition": lambda h: navigate.transition(h, _START, 1),
    "step.previous_transition": lambda h: navigate.transition(h, _START, -1),
    "step.next_same_kind": lambda h: navigate.same_kind(h, _START, 1),
    "step.previous_same_kind": lambda h: navigate.same_kind(h, _START, -1),
    "step.next_any_lane": lambda h: _with_lane(h, navigate.event(h, _START, 1)),
    "step.previous_any_lane": lambda h: _with_lane(h, navigate.event(h, _START, -1)),
    "step.next_phase": lambda h: navigate.phase_completion(h, _START, 1),
    "step.previous_phase": lambda h: navigate.phase_completion(h, _START, -1),
    "step.first": lambda h: Focus(0, "full[0]"),
    "step.last": lambda h: Focus(h.steps - 1, "full[0]"),
}


@pytest.mark.parametrize("command_id", _LEADS_TO)
def test_each_key_leads_where_playback_says(window: MainWindow, lesson_history: History, command_id: str) -> None:
    wanted = _LEADS_TO[command_id](lesson_history)
    assert wanted is not None
    assert wanted.step != _START.step
    for key in COMMANDS[command_id].keys:
        window.navigator.go_to(_START)
        QTest.keySequence(window.timeline, QKeySequence(key))
        assert window.navigator.focus == wanted, key
        assert window.transport.scrubber.value() == wanted.step


@pytest.mark.parametrize(
    "command_id",
    ["step.first", "step.previous_phase", "step.previous", "step.next", "step.next_phase", "step.last"],
)
def test_each_transport_button_does_its_command(
    window: MainWindow, qtbot: QtBot, lesson_history: History, command_id: str
) -> None:
    wanted = _LEADS_TO[command_id](lesson_history)
    window.navigator.go_to(_START)
    qtbot.mouseClick(window.transport.button(command_id), Qt.MouseButton.LeftButton)
    assert window.navigator.focus == wanted


@pytest.mark.parametrize(("command_id", "move"), [("step.cause", navigate.cause), ("step.effect", navigate.effect)])
def test_along_the_dependency(
    window: MainWindow, lesson_history: History, command_id: str, move: Callable[..., Focus | None]
) -> None:
    kinds = lesson_history.trace.events["kind"]
    start = Focus(int(np.flatnonzero(kinds == EventKind.PHASE_COMPLETE)[4]), None)
    wanted = move(Causality(lesson_history), start)
    assert wanted is not None
    window.navigator.go_to(start)
    QTest.keySequence(window.timeline, QKeySequence(COMMANDS[command_id].keys[0]))
    assert window.navigator.focus == wanted


def test_back_and_forward_through_the_foci(window: MainWindow) -> None:
    back, forward = window.actions_by_id["step.back"], window.actions_by_id["step.forward"]
    assert not back.isEnabled()
    for step in (10, 200):
        window.navigator.go_to(Focus(step, "producer"))
    QTest.keySequence(window.timeline, QKeySequence("Alt+Left"))
    assert window.navigator.focus.step == 10
    assert forward.isEnabled()
    QTest.keySequence(window.timeline, QKeySequence("Alt+Right"))
    assert window.navigator.focus.step == 200
    assert not forward.isEnabled()


def test_nothing_moves_beyond_the_ends(window: MainWindow, lesson_history: History) -> None:
    QTest.keySequence(window.timeline, QKeySequence(","))
    assert window.navigator.focus.step == 0
    window.navigator.last()
    QTest.keySequence(window.timeline, QKeySequence("."))
    assert window.navigator.focus.step == lesson_history.steps - 1


def test_forward_then_back_through_every_step_gives_identical_states(
    window: MainWindow, lesson_history: History
) -> None:
    def seen() -> tuple[object, ...]:
        step = window.navigator.focus.step
        state = lesson_history.state_at(step)
        arrays = [value.tolist() for value in vars(state).values() if isinstance(value, np.ndarray)]
        return step, arrays, window.transport.label.text(), window.panes["explanation"].text.text()

    there = [seen()]
    for _ in range(lesson_history.steps - 1):
        window.actions_by_id["step.next"].trigger()
        there.append(seen())
    assert len({step for step, *_ in there}) == lesson_history.steps
    window.setUpdatesEnabled(False)  # painted on the way there
    back = [seen()]
    for _ in range(lesson_history.steps - 1):
        window.actions_by_id["step.previous"].trigger()
        back.append(seen())
    window.setUpdatesEnabled(True)
    assert back[::-1] == there


def test_the_scrubber_jumps_to_where_it_is_pressed_and_follows_the_drag(window: MainWindow, qtbot: QtBot) -> None:
    scrubber = window.transport.scrubber
    middle = scrubber.rect().center()
    qtbot.mousePress(scrubber, Qt.MouseButton.LeftButton, pos=middle)
    assert abs(window.navigator.focus.step - scrubber.maximum() / 2) <= 2
    qtbot.mouseMove(scrubber, scrubber.rect().topRight())
    assert window.navigator.focus.step == scrubber.maximum()
    qtbot.mouseRelease(scrubber, Qt.MouseButton.LeftButton, pos=scrubber.rect().topRight())
    window.navigator.back()
    assert window.navigator.focus.step == 0, "a drag is one visit"


def test_a_click_in_a_pane_moves_the_focus_everywhere(window: MainWindow) -> None:
    window.panes["barriers"].focus_requested.emit(Focus(42, "empty[1]"))
    assert window.navigator.focus == Focus(42, "empty[1]")
    assert window.transport.scrubber.value() == 42


def test_a_hidden_pane_catches_up_when_it_is_shown(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Focus] = []
    pane, dock = window.panes["events"], window.docks["events"]
    qtbot.waitUntil(lambda: pane.visibleRegion().isEmpty())
    monkeypatch.setattr(pane, "set_focus", told.append)
    window.navigator.go_to(Focus(7, None))
    assert told == []
    window.show_pane("events")
    qtbot.waitUntil(lambda: told == [Focus(7, None)])
    dock.close()
    window.navigator.go_to(Focus(8, None))
    assert told == [Focus(7, None)]
    dock.show()
    qtbot.waitUntil(lambda: told == [Focus(7, None), Focus(8, None)])
