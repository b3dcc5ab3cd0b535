"""File > Export: asks what and where, and writes it in a thread beside the picture, which stays usable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from visualizer.app.files.files import Files
from visualizer.app.session.session import Session
from visualizer.app.settings.appearance import Appearance
from visualizer.app.work.job import JobRunner, Work
from visualizer.language import tr
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.app.files.export_dialog import ExportDialog, Offer, Request
    from visualizer.export.formats import Format
    from visualizer.export.writing import Look


class Exports:
    """The exports of one window, one at a time. The file dialog is a method of its own, so that tests can answer it."""

    def __init__(
        self, session: Session, files: Files, timeline: TimelineWidget, appearance: Appearance, window: QWidget
    ) -> None:
        self._session, self._files, self._timeline, self._appearance = session, files, timeline, appearance
        self._window = window
        self.jobs = JobRunner(window)
        self.dialog: ExportDialog | None = None
        self._path = Path()
        self.jobs.succeeded.connect(self._done)
        self.jobs.busy_changed.connect(self._show_busy)
        self.jobs.progressed.connect(lambda fraction, what: self.dialog and self.dialog.show_progress(fraction, what))
        self.jobs.failed.connect(self._failed)
        self.jobs.cancelled.connect(lambda: self._failed(tr("Cancelled; nothing was written.")))

    def ask(self) -> None:
        """Show the dialog for the recording in the window."""
        from visualizer.app.files.export_dialog import ExportDialog

        dialog = ExportDialog(self._offer(), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setModal(True)
        dialog.requested.connect(self.start)
        dialog.cancel_requested.connect(self.jobs.cancel)
        dialog.finished.connect(self._forget_dialog)
        self.dialog = dialog
        dialog.show()

    def start(self, request: Request) -> None:
        from visualizer.export.writing import Look

        path = self.choose_path(request.format)
        if path is None:
            return
        document = self._session.document
        if document is not None and document.path is not None and path.exists() and path.samefile(document.path):
            self._failed(tr("That is the recording itself, which would be lost: choose another name."))
            return
        self._path = path
        look = Look(self._appearance.theme.name, request.step)
        self.jobs.start(_work(request, path, look))

    def choose_path(self, format_: Format) -> Path | None:
        document = self._session.document
        name = document.path.stem if document and document.path else "run"
        folder = self._files.folder
        chosen, _ = QFileDialog.getSaveFileName(
            self._window,
            tr("Export"),
            str(folder / f"{name}{format_.suffix}"),
            f"{tr(format_.title)} (*{format_.suffix})",
        )
        if not chosen:
            return None
        path = Path(chosen)
        return path if path.suffix.lower() == format_.suffix else path.with_name(path.name + format_.suffix)

    def _offer(self) -> Offer:
        from visualizer.app.files.export_dialog import Offer

        view, measured, focus = self._timeline.view, self._timeline.measured, self._session.navigator.focus
        scene = self._timeline.scene
        return Offer(
            self._session.document.history,
            (view.start, view.end) if view is not None else None,
            tuple(sorted((measured.begin, measured.end))) if measured is not None else None,
            focus.step if focus is not None else None,
            scene.rows_shown if scene is not None else None,
        )

    def _done(self, written: int) -> None:
        from visualizer.export.formats import size_text

        self._session.messages.show_note(tr("{path} written, {size}", path=self._path, size=size_text(written)))
        if self.dialog is not None:
            self.dialog.accept()

    def _failed(self, sentence: str) -> None:
        if self.dialog is not None:
            self.dialog.show_error(sentence)

    def _show_busy(self, busy: bool) -> None:
        if self.dialog is not None:
            self.dialog.set_busy(busy)

    def _forget_dialog(self) -> None:
        self.dialog = None


def _work(request: Request, path: Path, look: Look) -> Work:
    def work(progress: Progress, cancelled: CancelCheck) -> int:
        from visualizer.export.formats import export

        return export(request.selection, path, look, progress, cancelled)

    return work
