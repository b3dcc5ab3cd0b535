"""Work in threads: one at a time, and nothing of a job that was given up."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from visualizer.app.job import JobRunner
from visualizer.sources.progress import CancelCheck, Progress


def test_the_next_job_may_start_from_the_outcome_of_the_last(qtbot: QtBot) -> None:
    parent = QObject()
    runner = JobRunner(parent)
    seen: list[object] = []

    def go_on(result: object) -> None:
        assert not runner.is_busy
        seen.append(result)
        if len(seen) < 3:
            runner.start(lambda progress, cancelled: len(seen))

    runner.succeeded.connect(go_on)
    runner.start(lambda progress, cancelled: 0)
    qtbot.waitUntil(lambda: seen == [0, 1, 2])


def test_a_result_on_its_way_is_dropped_when_another_job_starts(qtbot: QtBot) -> None:
    parent = QObject()
    runner = JobRunner(parent)
    seen: list[object] = []
    runner.succeeded.connect(seen.append)
    done = threading.Event()

    def first(progress: Progress, cancelled: CancelCheck) -> str:
        done.set()
        return "first"

    runner.start(first)
    assert done.wait(30)
    with qtbot.waitSignal(runner.succeeded):
        runner.start(lambda progress, cancelled: "second")
    assert seen == ["second"]


def test_too_little_memory_is_a_sentence(qtbot: QtBot) -> None:
    parent = QObject()
    runner = JobRunner(parent)

    def work(progress: Progress, cancelled: CancelCheck) -> None:
        raise MemoryError

    with qtbot.waitSignal(runner.failed) as failed:
        runner.start(work)
    assert "not enough memory" in failed.args[0]


def test_progress_is_thinned_but_its_end_is_told(qtbot: QtBot) -> None:
    parent = QObject()
    runner = JobRunner(parent)
    seen: list[float] = []
    runner.progressed.connect(lambda fraction, what: seen.append(fraction))

    def work(progress: Progress, cancelled: CancelCheck) -> None:
        for step in range(10_001):
            progress(step / 10_000, "counting")

    with qtbot.waitSignal(runner.succeeded):
        runner.start(work)
    assert 1 <= len(seen) < 1_000
    assert seen[-1] == 1
