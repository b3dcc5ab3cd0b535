"""Somebody at a window: opens things in it, looks at everything, and notices whatever Qt or Python complains of.

Imported by what needs Qt alone, so that the other kinds of input can be tried where there is none.
"""

from __future__ import annotations

import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

from PySide6.QtCore import QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from tests.fuzz.outcome import Outcome
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.app.window.start import make_application
from visualizer.playback.focus import Focus

PATIENCE_S = 60.0
"""By the clock on the wall, in which no thread but the window's does anything; the worker minds the processor time."""
LONGEST_S, LONGEST_HELD_S = 5.0, 1.0
"""Processor time that one thing may take with all that follows, and of it without the window answering. Recordings
here are small."""
_DEFECT = "phasescope has a defect"
_NO_SCREEN = re.compile("This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)")
_GROUPS = ("Step", "Find", "Debug", "Mark", "View", "Lanes")
_ASKS = {"find.go_to_address", "find.copy_address"}
"""Commands that wait for an answer in a dialog of their own, or write to the desktop's clipboard."""


class Complaints:
    """What Python and Qt said that nobody should see. The first is raised by `check`."""

    def __init__(self) -> None:
        self._errors: list[BaseException] = []
        self._said: list[str] = []

    def check(self) -> None:
        """Raise the first there was."""
        if self._errors:
            raise self._errors[0]
        if self._said:
            raise AssertionError(f"Qt said: {self._said[0]}")

    @contextmanager
    def listening(self) -> Iterator[Complaints]:
        """Between here and the end of the block, and then look."""
        hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
        sys.excepthook = self._raised
        sys.unraisablehook = lambda what: self._raised(what.exc_type, what.exc_value, what.exc_traceback)
        threading.excepthook = lambda what: self._raised(what.exc_type, what.exc_value, what.exc_traceback)
        before = qInstallMessageHandler(self._message)
        try:
            yield self
        finally:
            qInstallMessageHandler(before)
            sys.excepthook, sys.unraisablehook, threading.excepthook = hooks
        self.check()

    def _raised(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._errors.append(error if error is not None else RuntimeError(str(kind)))

    def _message(self, kind: QtMsgType, context: object, text: str | None) -> None:
        if kind != QtMsgType.QtDebugMsg and kind != QtMsgType.QtInfoMsg and not _NO_SCREEN.search(text or ""):
            self._said.append(text or "")


class Person:
    """One window and what is done in it, `outcome` telling how far it got and how long the window stood still."""

    def __init__(self, settings: Path, outcome: Outcome) -> None:
        application = QApplication.instance() or make_application()
        assert isinstance(application, QApplication)
        self.application, self.outcome = application, outcome
        self.window = MainWindow(application, Settings(settings))
        self.window.resize(1500, 950)
        self.window.show()
        self.settle()

    def do(self, what: str, act: Callable[[], Any]) -> None:
        """Something, and all that follows from it."""
        began = time.process_time()
        try:
            self._held(what, act)
            self.settle()
            taken, held = time.process_time() - began, self.outcome.held
            assert taken < LONGEST_S, f"took {taken:.1f} s"
            assert held[0] < LONGEST_HELD_S, f"the window stood still for {held[0]:.1f} s, {held[1]}"
        except Exception as error:
            error.add_note(f"in {what}")
            raise

    def settle(self) -> None:
        """Until nothing is under way any more."""
        deadline, others = time.monotonic() + PATIENCE_S, _others_s()
        self._held("settling", self.application.processEvents)
        while self._busy():
            self._held("settling", self.application.processEvents)
            if _others_s() > others + 0.01:
                deadline, others = time.monotonic() + PATIENCE_S, _others_s()
            elif time.monotonic() > deadline:
                raise _never_rested(self._busy())
            time.sleep(0.002)
        self._held("settling", self.application.processEvents)
        said = self.window.messages.text
        assert _DEFECT not in said, said
        document = self.window.document
        assert document is None or _DEFECT not in document.note, document.note

    def open(self, path: Path) -> bool:
        """Whether it is shown; if not, a message says why."""
        before = self.window.document
        self.do("opening", lambda: self.window.files.open(path))
        if self.window.document is before:
            assert self.window.messages.text.strip(), "nothing is shown, and nothing says why"
            self.outcome.refused = self.window.messages.text.removeprefix(f"{path}: ")
            return False
        return True

    def look_around(self, random: Random) -> None:
        """Every pane, some steps, the timeline far and near, notes, structure: what a person does first."""
        window = self.window
        for name in window.panes:
            self.do(f"pane {name}", lambda name=name: window.show_pane(name))
        self._reached("panes")
        steps = window.document.history.steps
        for step in sorted({0, max(steps - 1, 0), *(random.randrange(max(steps, 1)) for _ in range(3))}):
            if step < steps:
                self.do(f"step {step}", lambda step=step: window.navigator.go_to(Focus(step)))
        self._reached("steps")
        for zoom in (window.timeline.zoom_in, window.timeline.fit_all, window.timeline.zoom_out):
            self.do("zoom", zoom)
        self.do("painting", lambda: (window.timeline.rest_now(), window.grab()))
        self._reached("timeline")
        for number in range(1, 3):
            self.do("bookmark", lambda number=number: window.noting.set_bookmark(number))
        self.do("mark", window.noting.toggle_mark)
        self.do("breakpoint", lambda: window.breakpoints.add("wait > 5 ns or tile == 1"))
        self._reached("notes")
        self._tell_structure(random)
        commands = [one for one in window.keys.commands if one.group in _GROUPS and one.id not in _ASKS]
        for command in random.sample(commands, 12):
            action = window.actions_by_id[command.id]
            if action.isEnabled():
                self.do(command.id, action.trigger)
        self._reached("commands")

    def compare(self, path: Path) -> None:
        if self.window.document.read and self.window.document.history.steps:
            self.do("comparing", lambda: self.window.comparing.compare_with(path))
            self._reached("comparison")

    def close(self) -> None:
        """Without being asked what to do with what is not saved."""
        self.window.document = None
        self.do("closing", self.window.close)
        self.window.deleteLater()
        self.application.processEvents()

    def _tell_structure(self, random: Random) -> None:
        """Select lines of the structure pane and choose something of what can be done with them."""
        pane = self.window.panes["structure"]
        items = [pane.tree.topLevelItem(row) for row in range(pane.tree.topLevelItemCount())]
        items += [item.child(row) for item in items for row in range(item.childCount())]
        if not items:
            return
        for item in random.sample(items, min(len(items), random.choice((1, 1, 2)))):
            item.setSelected(True)
        self.do("selecting", lambda: None)
        menu = pane.menu()
        if actions := menu.actions():
            self.do("structure", random.choice(actions).trigger)
            self._reached("structure told")
        menu.deleteLater()
        if self.window.document.entries:
            self.do("taking back", lambda: self.window.structuring.remove(0))
        self._reached("structure")

    def _held(self, what: str, act: Callable[[], Any]) -> None:
        """Do it, and note for how long the window could do nothing else: by the processor time of its thread."""
        began = time.thread_time()
        act()
        self.outcome.held = max(self.outcome.held, (time.thread_time() - began, what))

    def _reached(self, stage: str) -> None:
        self.outcome.reached.append(stage)

    def _busy(self) -> list[str]:
        """What is under way."""
        window, analysis = self.window, self.window.analysis
        answers = {
            "statistics": analysis._statistics,
            "prediction": analysis._predictions,
            "breakpoints": window.breakpoints.job,
            "find": window.find_bar.job,
        }
        busy = [name for name, answer in answers.items() if answer.is_busy]
        return busy + ["a job"] * window.work.is_busy + ["settling"] * analysis._settle.isActive()


def _others_s() -> float:
    """Processor time of all threads but this one."""
    return time.process_time() - time.thread_time()


def _never_rested(busy: list[str]) -> AssertionError:
    """With where each thread is, which tells one that waits from one that works on a busy machine."""
    error = AssertionError(f"the window never came to rest: {', '.join(busy)}")
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for ident, frame in sys._current_frames().items():
        stack = "".join(traceback.format_stack(frame)[-8:])
        error.add_note(f"\nthread {names.get(ident, ident)}:\n{stack}")
    return error
