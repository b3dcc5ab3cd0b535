"""File > Compare with: loads another recording beside the one in the window and shows both in a window of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from visualizer.app.files.files import Files
from visualizer.app.session.noting import Noting
from visualizer.app.session.runs import Run
from visualizer.app.session.session import Session
from visualizer.app.settings.appearance import Appearance
from visualizer.app.work.job import JobRunner, Work
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.opening import open_recording, problems_with
from visualizer.recording.trace import TraceError
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.look.theme import Theme

if TYPE_CHECKING:
    from visualizer.diagnosis.comparison.compare import Comparison
    from visualizer.views.compare.compare_widget import CompareWidget


class Comparing:
    """The comparison of one window. It has a window of its own, made when first asked for: two timelines want room."""

    def __init__(self, session: Session, files: Files, noting: Noting, appearance: Appearance, window: QWidget) -> None:
        self._session, self._files, self._noting, self._appearance = session, files, noting, appearance
        self._window = window
        self.jobs = JobRunner(window)
        self.shown: QWidget | None = None
        self.pane: CompareWidget | None = None
        self._name = ""
        self._sidecar: Path | None = None
        self._picked: tuple[Run, Run] | None = None
        self.jobs.succeeded.connect(self._show)
        self.jobs.failed.connect(lambda sentence: session.messages.show_error(sentence))
        self.jobs.cancelled.connect(lambda: session.messages.show_note(tr("Cancelled.")))
        self.jobs.progressed.connect(lambda fraction, what: session.messages.show_note(what))

    def ask(self) -> None:
        path = self._files.choose_open_path()
        if path is not None:
            self.compare_with(path)

    def compare_with(self, path: Path) -> None:
        """Load `path` and compare; a bad file is a message and changes nothing."""
        sidecar = self._noting.sidecar(path)
        self._compare(path.name, sidecar, lambda: open_recording(path, sidecar))

    def compare_runs(self, a: Run, b: Run) -> None:
        """Two of the window's runs; the one that is shown is the first of them, or becomes it."""
        runs = self._session.runs
        if b is runs.shown:
            a, b = b, a
        if a is runs.shown:
            sidecar = self._noting.sidecar(b.path) if b.path is not None else None
            self._compare(runs.title(b), sidecar, lambda: b.history(sidecar))
        else:
            self._files.show_run(a)
            self._picked = a, b

    def compare_picked(self) -> None:
        """Compare, if the first of two runs that were picked is shown and read now. After another recording nobody
        waits for it any more: the first could not be shown."""
        picked, self._picked = self._picked, None
        shown = self._session.runs.shown
        if picked is not None and shown is not None and shown.number == picked[0].number:
            self.compare_runs(shown, picked[1])

    def _compare(self, name: str, sidecar: Path | None, load: Callable[[], History]) -> None:
        self._name, self._sidecar = name, sidecar
        self._session.messages.show_note(tr("loading {name}", name=name))
        self.jobs.start(_work(self._session.document.history, name, load))

    def close(self) -> None:
        """Another recording is in the window now: nothing is compared with it."""
        self.jobs.stop()
        if self.shown is not None:
            self.shown.hide()
            self.pane.forget()

    def set_focus(self, focus: Focus) -> None:
        if self.shown is not None and self.shown.isVisible():
            self.pane.set_focus(focus)

    def set_theme(self, theme: Theme) -> None:
        if self.pane is not None:
            self.pane.set_theme(theme)

    def say_again(self) -> None:
        """The language is another now."""
        if self.pane is not None:
            self.pane.say_again()

    def _show(self, comparison: Comparison) -> None:
        if self.shown is None:
            self._make_window()
        session = self._session
        self.pane.set_comparison(comparison, session.document.title, self._name)
        session.messages.hide()
        if problems := problems_with(comparison.b, self._sidecar):
            session.messages.show_error("\n".join(problems))
        self.shown.show()
        self.shown.raise_()
        if session.navigator.focus is not None:
            self.pane.set_focus(session.navigator.focus)

    def _make_window(self) -> None:
        from visualizer.views.compare.compare_widget import CompareWidget

        self.pane = CompareWidget()
        self.pane.set_theme(self._appearance.theme)
        self.pane.focus_requested.connect(self._session.navigator.go_to)
        self.shown = QWidget(self._window, Qt.WindowType.Window)
        self.shown.setWindowTitle(tr("Compare"))
        self.shown.setAccessibleName(tr("Compare"))
        self.pane.setAccessibleName(tr("Compare"))
        layout = QVBoxLayout(self.shown)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pane)
        size = self._window.size()
        self.shown.resize(round(size.width() * 0.9), round(size.height() * 0.9))


def _work(a: History, name: str, load: Callable[[], History]) -> Work:
    def work(progress: Progress, cancelled: CancelCheck) -> Comparison:
        from visualizer.diagnosis.comparison.compare import Comparison

        progress(0.0, tr("loading {name}", name=name))
        b = load()
        if cancelled():
            raise Cancelled
        progress(0.4, tr("comparing with {name}", name=name))
        comparison = Comparison(a, b)
        if not comparison.agents or not b.steps:
            raise TraceError(
                tr("{path} has no agent in common with this recording; compare recordings of one program", path=name)
            )
        # Builds what the pane will ask for; in the window's own thread it would freeze millions of events long.
        b.state_at(comparison.in_b(0))
        for found in (comparison.tiles, comparison.rings, comparison.differing):
            assert found is not None
        return comparison

    return work
