"""Places to look at: addresses, copied, typed in and given on the command line; lines of the source; faults."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QInputDialog, QWidget

from visualizer.app.session.document import Document
from visualizer.app.session.front import bring_to_front
from visualizer.app.session.panes import Panes
from visualizer.app.session.session import Session
from visualizer.diagnosis.report import SourceLine
from visualizer.language import tr
from visualizer.playback.address import Address, AddressError, parse_address
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import lane_key, lane_steps


class Places(QObject):
    """Address commands of one window. The dialog is a method of its own, so that tests can answer it.

    `recording_wanted` follows when an address names another recording.
    """

    recording_wanted = Signal(Path, object)
    hang_opened = Signal()

    def __init__(self, session: Session, panes: Panes, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._panes = session, panes

    @property
    def here(self) -> Address:
        """Where the window looks."""
        document = self._session.document
        return Address(document.path if document is not None else None, self._session.navigator.focus)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(str(self.here))
        self._session.messages.show_note(tr("Copied {address}", address=self.here))

    def ask(self) -> None:
        text = self.choose_address()
        if text is not None:
            self.go(text)

    def go(self, text: str) -> None:
        """Go to an address; one that names another recording opens it."""
        try:
            address = parse_address(text)
        except AddressError as error:
            self._session.messages.show_error(str(error))
            return
        here = self.here.path
        if address.path is not None and (here is None or address.path.resolve() != here.resolve()):
            self.recording_wanted.emit(address.path, address.focus)
        elif address.focus is not None:
            self.look_at(address.focus)

    def look_at(self, focus: Focus) -> None:
        """Go to a focus that somebody typed or sent: it may not exist in this recording."""
        document = self._session.document
        if document is None:
            return
        steps = document.history.steps
        if focus.step >= steps:
            self._session.messages.show_error(
                tr("There is no step {step}: this recording has steps 0 to {last}.", step=focus.step, last=steps - 1)
            )
            return
        lane = focus.lane and lane_key(document.history, focus.lane)
        if lane is not None and lane_steps(document.history, lane) is None:
            self._session.messages.show_error(tr("This recording has no lane {lane}.", lane=lane))
            lane = None
        self._session.navigator.go_to(Focus(focus.step, lane))

    def show(self, place: SourceLine) -> None:
        """Show a line of the source."""
        bring_to_front(self._panes["code"])
        self._panes["code"].show_place(place)

    def open_at_the_fault(self, document: Document) -> None:
        """Look at the first of what is wrong, at the agent that is blocked, unless an address says where to look or
        somebody has begun to look around meanwhile."""
        if document.report is None or not document.needs_diagnosis:
            return
        from visualizer.views.diagnosis.diagnosis_model import finding_rows

        bring_to_front(self._panes["inspector"])
        rows = finding_rows(document.history.trace, document.report)
        focus = next((row.focus for row in rows if row.focus is not None), None)
        if document.focus is None and focus is not None and not self._session.navigator.can_go_back:
            self._session.navigator.go_to(focus)
            if document.history.trace.meta.ending.kind in ("deadlock", "timeout"):
                self.hang_opened.emit()

    def choose_address(self) -> str | None:
        dialog = self.address_dialog()
        chosen = dialog.exec() == QDialog.DialogCode.Accepted
        dialog.deleteLater()
        return dialog.textValue() if chosen else None

    def address_dialog(self) -> QInputDialog:
        """Where you are, to be changed."""
        dialog = QInputDialog(self.parent())
        dialog.setWindowTitle(tr("Go to an address"))
        label = tr("A step, or an address such as run.pscope#step=120&lane=full[1]:")
        dialog.setLabelText(label.replace("&", "&&"))  # one alone marks a key and is not shown
        dialog.setTextValue(str(self.here))
        dialog.setOkButtonText(tr("OK"))
        dialog.setCancelButtonText(tr("Cancel"))
        return dialog
