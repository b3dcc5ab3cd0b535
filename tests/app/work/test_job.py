"""Work in threads: one at a time, and nothing of a job that was given up."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from visualizer.app.window.main_window import MainWindow
from visualizer.app.work.job import JobRunner, all_ended
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


class Long:
    """Work in the midst of something that looks at nothing until `end` is set."""

    def __init__(self) -> None:
        self.begun, self.end = threading.Event(), threading.Event()

    def __call__(self, progress: Progress, cancelled: CancelCheck) -> str:
        self.begun.set()
        assert self.end.wait(60)
        return "long"


def test_nobody_waits_for_a_job_that_is_given_up(qtbot: QtBot) -> None:
    parent = QObject()
    runner = JobRunner(parent)
    seen: list[object] = []
    runner.succeeded.connect(seen.append)
    first, second = Long(), Long()
    runner.start(first)
    assert first.begun.wait(30)
    runner.start(second)  # at once, beside the first
    assert second.begun.wait(30)
    runner.stop()
    assert not runner.is_busy
    with qtbot.waitSignal(runner.succeeded):
        runner.start(lambda progress, cancelled: "third")
    assert not all_ended(within_s=0.01)
    first.end.set()
    second.end.set()
    assert all_ended(within_s=30)
    qtbot.wait(0)
    assert seen == ["third"]


def test_closing_the_window_waits_for_no_job(window: MainWindow) -> None:
    # fmt: off
    runners = (window.jobs, window.exports.jobs, window.comparing.jobs, window.reading.jobs, window.structuring.jobs,
               window.experiment.what_if.jobs, window.breakpoints.job._jobs, window.find_bar.job._jobs,
               window.analysis.verifying, window.analysis._statistics._jobs, window.analysis._predictions._jobs)
    # fmt: on
    works = [Long() for _ in runners]
    for runner, work in zip(runners, works, strict=True):
        runner.start(work)
        assert work.begun.wait(30)
    assert window.close()  # which would wait for ever
    for work in works:
        work.end.set()
