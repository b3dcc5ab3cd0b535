"""What Cancel stops of all that a window does, and what closing it ends."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from visualizer.app.window.work import WindowWork
from visualizer.views.timeline.timeline_widget import TimelineWidget


class _Work:
    def __init__(self, is_busy: bool = False) -> None:
        self.is_busy = is_busy
        self.told: list[str] = []

    def cancel(self) -> None:
        self.told.append("cancel")

    def stop(self) -> None:
        self.told.append("stop")


def test_cancel_is_for_what_somebody_waits_for_and_closing_for_all(qtbot: QtBot) -> None:
    timeline = TimelineWidget()
    qtbot.addWidget(timeline)
    idle, waited_for, beside = _Work(), _Work(is_busy=True), _Work(is_busy=True)
    work = WindowWork(timeline, (idle, waited_for), (beside,))
    assert work.is_busy
    work.cancel()
    assert (idle.told, waited_for.told, beside.told) == (["cancel"], ["cancel"], [])
    work.stop()
    assert all(one.told[-1] == "stop" for one in (idle, waited_for, beside))
    waited_for.is_busy = False
    assert not work.is_busy
