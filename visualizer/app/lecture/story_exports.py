"""Lecture > Export a story: asks what and where, and writes it. The stage's pictures can be made in this thread only,
so the window is told of progress, and of Cancel, between one picture and the next.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from visualizer.app.settings.appearance import Appearance
from visualizer.app.work.message_bar import MessageBar
from visualizer.language import tr
from visualizer.sources.errors import Cancelled

if TYPE_CHECKING:
    from visualizer.app.lecture.export_dialog import Choice, StoryExportDialog


class StoryExports:
    """One export at a time. The file dialog is a method of its own, so that tests can answer it."""

    def __init__(self, appearance: Appearance, messages: MessageBar, window: QWidget) -> None:
        self._appearance, self._messages, self._window = appearance, messages, window
        self._stop = False
        self.dialog: StoryExportDialog | None = None

    def ask(self) -> None:
        """Show the dialog."""
        from visualizer.app.lecture.export_dialog import StoryExportDialog

        dialog = StoryExportDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setModal(True)
        dialog.requested.connect(self.start)
        dialog.cancel_requested.connect(self.cancel)
        dialog.finished.connect(self._forget_dialog)
        self.dialog = dialog
        dialog.show()

    def start(self, choice: Choice) -> None:
        from visualizer.app.lecture.take_home import TakeHome, export_story
        from visualizer.export.errors import ExportError
        from visualizer.export.formats import size_text
        from visualizer.playback.stories.check import check_story
        from visualizer.playback.stories.errors import StoryError
        from visualizer.playback.stories.telling import Telling

        path = self.choose_path(choice)
        dialog = self.dialog
        if path is None or dialog is None:
            return
        theme = "dark" if self._appearance.theme.dark else "light"
        wish = TakeHome(path, choice.chapters, choice.language, theme, choice.size)
        self._stop = False
        dialog.set_busy(True)
        try:
            if problems := check_story(choice.story):
                raise StoryError(*problems)
            written = export_story(Telling(choice.story), wish, self._show_progress, lambda: self._stop)
        except Cancelled:
            dialog.set_busy(False)
            dialog.show_error(tr("Cancelled; nothing was written."))
        except (ExportError, StoryError) as error:
            dialog.set_busy(False)
            dialog.show_error(str(error))
        else:
            dialog.set_busy(False)
            self._messages.show_note(tr("{path} written, {size}", path=path, size=size_text(written)))
            dialog.accept()

    def cancel(self) -> None:
        """Stop before the next picture; nothing is written."""
        self._stop = True

    def choose_path(self, choice: Choice) -> Path | None:
        from visualizer.app.lecture.take_home import FORMATS

        name = f"{choice.story.path.stem if choice.story.path else 'story'}{choice.suffix}"
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, tr("Export a story"), name, f"{tr(FORMATS[choice.suffix])} (*{choice.suffix})"
        )
        if not chosen:
            return None
        path = Path(chosen)
        return path if path.suffix.lower() == choice.suffix else path.with_name(path.name + choice.suffix)

    def _show_progress(self, share: float, what: str) -> None:
        if self.dialog is not None:
            self.dialog.show_progress(share, what)
        QApplication.processEvents()

    def _forget_dialog(self) -> None:
        self.dialog = None
