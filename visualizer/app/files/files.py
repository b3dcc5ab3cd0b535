"""Open, save, recent files and the lesson: everything between the window and the file system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from visualizer.app.session.noting import Noting
from visualizer.app.session.record_job import Experiment, open_work, record_work, shown_again_work
from visualizer.app.session.runs import Run
from visualizer.app.session.session import Session
from visualizer.app.settings.settings import Settings
from visualizer.app.work.job import JobRunner
from visualizer.app.work.standard_buttons import question
from visualizer.diagnosis.wording import listed
from visualizer.language import mark, tr, trn
from visualizer.playback.focus import Focus
from visualizer.recording.trace import TraceError
from visualizer.resources import RECORDING_SUFFIX as SUFFIX
from visualizer.resources import resource_dir, shipped_recording

if TYPE_CHECKING:
    from visualizer.recording.trace import Trace

_FILTER = mark("Recordings (*{suffix});;All files, which are imported if they can be (*)")


class Files(QObject):
    """File commands of one window. Dialogs are methods of their own, so that tests can answer them.

    What is opened is loaded on `jobs`; `saved` carries where the recording lies from now on.
    """

    saved = Signal(Path)

    def __init__(self, session: Session, jobs: JobRunner, noting: Noting, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._jobs, self._noting, self._settings = session, jobs, noting, settings
        self._together: tuple[Path, ...] = ()

    def open(
        self, path: Path, focus: Focus | None = None, together: Sequence[Path] = (), trace: Trace | None = None
    ) -> None:
        """Load `path`, or import another tool's file, beside the picture that is there; a bad file is a message and
        changes nothing.

        `together`: the files that it belongs to, itself among them; the window offers to change to them. `trace`: what
        was written into it just now.
        """
        self._together = tuple(together) or self._together
        self._jobs.start(open_work(path, self._noting.sidecar(path), focus, trace))

    def show_run(self, run: Run) -> None:
        """One of the window's runs once more."""
        if run.path is not None:
            self.open(run.path)
        else:
            assert run.trace is not None
            self._jobs.start(shown_again_work(run.trace, run.entries))

    def together_with(self, path: Path | None) -> tuple[Path, ...]:
        """The files that were opened together with this one, itself among them; () if it was opened alone."""
        return self._together if path in self._together else ()

    def open_lesson(self) -> None:
        """The recorded H200 lesson; a simulated one if the recording is not installed."""
        path = lesson_path()
        if path is not None:
            self.open(path)
        else:
            from visualizer.sources.registry import DEFAULT
            from visualizer.sources.source import Request

            experiment = Experiment(DEFAULT, Request())
            note = tr("the recorded lesson is not installed: this one is simulated")
            self._jobs.start(record_work(experiment, note))

    def ask_open(self) -> None:
        path = self.choose_open_path()
        if path is not None:
            self.open(path)

    def ask_save(self) -> bool:
        """Save what is shown under a name the user chooses; whether it was saved."""
        path = self.choose_save_path(self._session.document.path if self._session.document is not None else None)
        return path is not None and self.save(path)

    def save(self, path: Path) -> bool:
        document = self._session.document
        if document is None or not self._write(document.history.trace, path):
            return False
        self.saved.emit(path)
        return True

    def ask_save_run(self, run: Run) -> bool:
        """The same for one of the window's runs that is in no file, shown or not."""
        if run is self._session.runs.shown:
            return self.ask_save()
        path = self.choose_save_path(None)
        if path is None or run.trace is None or not self._write(run.trace, path):
            return False
        self._session.runs.saved(run, path)
        return True

    def _write(self, trace: Trace, path: Path) -> bool:
        from visualizer.recording.file import save

        try:
            save(trace, path)
        except TraceError as error:
            self._session.messages.show_error(str(error))
            return False
        self._settings.add_recent(path)
        return True

    def clear_recent(self) -> None:
        self._settings.clear_recent()

    def may_close(self) -> bool:
        """Ask only if runs would be lost that nothing can make again."""
        unsaved = self._session.runs.unsaved
        if not unsaved:
            return True
        answer = self.ask_about_unsaved([self._session.runs.title(run) for run in unsaved])
        if answer == QMessageBox.StandardButton.Save:
            return all(self.ask_save_run(run) for run in unsaved)
        return answer == QMessageBox.StandardButton.Discard

    def choose_open_path(self) -> Path | None:
        name, _ = QFileDialog.getOpenFileName(self.parent(), tr("Open a recording"), str(self.folder), _filter())
        return Path(name) if name else None

    def choose_save_path(self, before: Path | None = None) -> Path | None:
        """`before`: the file that it has been in."""
        proposed = self.folder / (before.name if before is not None else f"run{SUFFIX}")
        name, _ = QFileDialog.getSaveFileName(self.parent(), tr("Save this recording"), str(proposed), _filter())
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else path.with_suffix(SUFFIX)

    def ask_about_unsaved(self, titles: Sequence[str]) -> QMessageBox.StandardButton:
        buttons = QMessageBox.StandardButton
        box = question(
            self.parent(),
            tr("Unsaved recordings"),
            trn(
                "{n} recording from the GPU is not saved, and the same run cannot be made again: {names}",
                "{n} recordings from the GPU are not saved, and the same runs cannot be made again: {names}",
                len(titles),
                names=listed(titles),
            ),
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )
        return buttons(box.exec())

    @property
    def folder(self) -> Path:
        """Where the next file is offered: beside the recording, or the one before; never among phasescope's own."""
        document = self._session.document
        shown = [document.path] if document is not None and document.path is not None else []
        folders = (path.resolve().parent for path in (*shown, *self._settings.recent))
        own = resource_dir("assets").resolve()
        return next((folder for folder in folders if not folder.is_relative_to(own)), Path.cwd())


def lesson_path() -> Path | None:
    """The lesson's recording that comes with phasescope, if it is there."""
    path = shipped_recording("lesson")
    return path if path.is_file() else None


def dropped_file(event: QDropEvent) -> Path | None:
    """The one local file that is being dropped."""
    urls = event.mimeData().urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None


def _filter() -> str:
    return tr(_FILTER, suffix=SUFFIX)
