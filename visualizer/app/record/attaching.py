"""File > Record your own kernel: runs a program under attach in a thread, and opens what was recorded of it.

What does it, from the dialog to the reader of PTX, is imported when first asked for: most windows never ask.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from visualizer.app.settings.settings import Settings
from visualizer.app.work.job import JobRunner, Work
from visualizer.language import tr
from visualizer.sources.progress import CancelCheck, Progress

if TYPE_CHECKING:
    from visualizer.app.record.attach_dialog import AttachDialog
    from visualizer.app.record.program_output import ProgramOutput
    from visualizer.recording.trace import Trace
    from visualizer.sources.attach.instrument import Instrument
    from visualizer.sources.attach.options import AttachOptions
    from visualizer.sources.attach.request import AttachRequest
    from visualizer.sources.attach.session import Outcome, Recorded, Session

_LOOK_MS = 100
"""How often what the program printed is shown."""


class Attaching(QObject):
    """The watched programs of one window, one at a time. `instrument` makes what records, so that tests have theirs.

    `recording_wanted` carries the recording to open, the others of its run, and what is in it where that is at hand.
    """

    recording_wanted = Signal(Path, object, object)

    sentence = Signal(str)
    written = Signal(object, str)
    hangs = Signal(object)

    def __init__(self, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._settings, self._window = settings, window
        self.jobs = JobRunner(self)
        self.dialog: AttachDialog | None = None
        self._session: Session | None = None
        self._output: ProgramOutput | None = None
        self._asked: AttachRequest | None = None
        self._since = 0.0
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self.jobs.busy_changed.connect(self._show_busy)
        self.jobs.succeeded.connect(self._done)
        self.jobs.failed.connect(self._failed)
        self.jobs.cancelled.connect(self._cancelled)
        self.sentence.connect(self._say)
        self.written.connect(self._add)
        self.hangs.connect(self._tell_hang)

    def ask(self) -> None:
        """Show the dialog, as it was left the last time."""
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        from visualizer.app.record.attach_dialog import AttachDialog

        dialog = self.dialog = AttachDialog(self._settings.attach, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.requested.connect(self.start)
        dialog.cancel_requested.connect(self.jobs.cancel)
        dialog.chosen.connect(self.open)
        dialog.finished.connect(self._forget_dialog)
        dialog.show()

    def start(self, request: AttachRequest) -> None:
        """Run the program. It ends when it is done, when Cancel is pressed, or with the window."""
        from visualizer.app.record.program_output import ProgramOutput
        from visualizer.sources.attach.session import Session

        if self.dialog is not None:
            self._settings.attach = self.dialog.form.texts()
            self.dialog.begin()
        self._asked, self._since = request, time.monotonic()
        self._output = ProgramOutput()
        self._session = Session(
            request.options, self.instrument(request.options), self, command=request.told, folder=request.folder
        )
        self.jobs.start(_work(self._session, request, self._output))

    def instrument(self, options: AttachOptions) -> Instrument:
        from visualizer.sources.attach.ptx_instrument import PtxInstrument

        return PtxInstrument(options)

    def open(self, path: Path, trace: Trace | None = None) -> None:
        """A recording of the run, with the others to change to."""
        assert self.dialog is not None
        self.recording_wanted.emit(path, self.dialog.recorded, trace)

    def stop(self) -> None:
        """End the program and all it started, and wait until they are gone."""
        self.jobs.finish()

    def said(self, sentence: str) -> None:
        """Called, like the two below, by whichever thread of the session notices."""
        self.sentence.emit(sentence)

    def recorded(self, recorded: Recorded) -> None:
        from visualizer.cli.record import summary

        self.written.emit(recorded.path, summary(recorded.trace))

    def hung(self, recorded: Recorded) -> None:
        self.hangs.emit(recorded.path)

    def _look(self) -> None:
        """Show what was printed since, and how far the program is."""
        dialog, session, output = self.dialog, self._session, self._output
        if dialog is None or session is None or output is None:
            return
        from visualizer.sources.attach.outcome_text import used_kernels

        if text := output.take():
            dialog.print_out(text)
        used = used_kernels(session.launches)
        dialog.note.setText(
            tr(
                "running for {seconds} s; kernels with mbarriers: {kernels}, launches of them: {launches},"
                " recorded: {recorded}",
                seconds=round(time.monotonic() - self._since),
                kernels=len(used),
                launches=f"{sum(entry.launches for entry in used):,}",
                recorded=len(dialog.recorded),
            )
        )

    def _show_busy(self, busy: bool) -> None:
        if busy:
            self._timer.start()
        else:
            self._timer.stop()
            self._look()
            self._session = None  # it holds on to all that was recorded
        if self.dialog is not None:
            self.dialog.set_busy(busy)

    def _done(self, outcome: Outcome) -> None:
        dialog, asked = self.dialog, self._asked
        if dialog is None or asked is None:
            return
        from visualizer.sources.attach.outcome_text import outcome_lines, used_kernels

        for line in outcome_lines(outcome):
            dialog.say(line)
        ended = tr("The program has ended with exit status {status}.", status=outcome.status)
        if asked.options.list_only:
            dialog.form.offer_kernels(used_kernels(outcome.kernels))
            dialog.note.setText(ended + " " + tr("Its kernels are offered in the field Kernel."))
            dialog.form.kernel.setFocus()
        elif len(dialog.recorded) == 1:
            self.open(dialog.recorded[0], outcome.recorded[0].trace)
            dialog.accept()
        elif dialog.recorded:
            dialog.note.setText(ended + " " + tr("Choose which recording to open."))
        else:
            dialog.note.setText(ended + " " + tr("Nothing was recorded; above is why."))

    def _failed(self, sentence: str) -> None:
        if self.dialog is not None:
            self.dialog.show_error(sentence)

    def _cancelled(self) -> None:
        self._failed(tr("Cancelled: the program was ended, and what was recorded until then is kept."))

    def _say(self, sentence: str) -> None:
        if self.dialog is not None:
            self.dialog.say(sentence)

    def _add(self, path: Path, told: str) -> None:
        if self.dialog is not None:
            self.dialog.add_recording(path, told)

    def _tell_hang(self, path: Path) -> None:
        self._say(tr("a launch hangs; what its log says is in {path}", path=path.name))

    def _forget_dialog(self) -> None:
        self.dialog = None


def _work(session: Session, request: AttachRequest, output: ProgramOutput) -> Work:
    def work(progress: Progress, cancelled: CancelCheck) -> Outcome:
        try:
            return session.run(request.command, request.whole_environment, request.folder, output.file, cancelled)
        finally:
            output.close()

    return work
