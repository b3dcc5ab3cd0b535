"""What to export: format, stretch and lanes; then how far it is."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QWidget

from visualizer.app.work.work_dialog import WorkDialog
from visualizer.export.errors import ExportError
from visualizer.export.formats import FORMATS, Format, expected_bytes, size_text
from visualizer.export.selection import Selection, between, select
from visualizer.language import tr
from visualizer.replay.history import History
from visualizer.views.timeline.lanes.lane_rows import LaneRows


@dataclass(frozen=True, slots=True)
class Offer:
    """What there is to choose from. Stretches in ps; None: nothing is marked, nothing is in focus.

    `rows` are those that the timeline shows; None: it shows nothing.
    """

    history: History
    view: tuple[int, int] | None
    marked: tuple[int, int] | None
    step: int | None
    rows: LaneRows | None


@dataclass(frozen=True, slots=True)
class Request:
    """What was chosen; `step` is to be marked in a picture."""

    format: Format
    selection: Selection
    step: int | None


class ExportDialog(WorkDialog):
    """Emits `requested(Request)` for what can be exported."""

    requested = Signal(object)

    def __init__(self, offer: Offer, parent: QWidget | None = None) -> None:
        super().__init__(tr("Export"), tr("Export…"), parent)
        self._offer = offer
        self.format = QComboBox(accessibleName=tr("Format"))
        for format_ in FORMATS.values():
            self.format.addItem(f"{tr(format_.title)}  {format_.suffix}", format_.suffix)
        self.part = QComboBox(accessibleName=tr("Part"))
        self.part.addItem(tr("the whole recording"), "all")
        if offer.view is not None:
            self.part.addItem(tr("what the timeline shows"), "view")
        if offer.marked is not None:
            self.part.addItem(tr("the stretch marked on the ruler"), "marked")
        self.part.addItem(tr("steps or times"), "range")
        self.range = QLineEdit(placeholderText=tr("100:200 or 2us:3.5us"), accessibleName=tr("Steps or times"))
        self.lanes = QLineEdit(placeholderText=tr("all; or names such as producer full[*]"), accessibleName=tr("Lanes"))
        self.step = QCheckBox(tr("Mark the focused step and show its state"))
        form = QFormLayout()
        form.addRow(tr("Format"), self.format)
        form.addRow(tr("Part"), self.part)
        form.addRow("", self.range)
        form.addRow(tr("Lanes"), self.lanes)
        form.addRow("", self.step)
        self._lay_out(form, (self.format, self.part, self.range, self.lanes, self.step))
        wide = self.fontMetrics().averageCharWidth() * 70
        self.setMinimumWidth(min(wide, parent.width()) if parent is not None else wide)
        self.buttons.accepted.connect(self._ask)
        for changed in (self.format.currentIndexChanged, self.part.currentIndexChanged):
            changed.connect(self._update)
        for edited in (self.range.textChanged, self.lanes.textChanged):
            edited.connect(self._update)
        self._update()

    def set_busy(self, busy: bool) -> None:
        super().set_busy(busy)
        if not busy:
            self._update()

    def _update(self) -> None:
        """Show what applies to the format and the part, and about how large the file will be."""
        format_ = self._format()
        self.range.setEnabled(self.part.currentData() == "range")
        self.step.setEnabled(format_.suffix in (".png", ".svg", ".pdf") and self._offer.step is not None)
        try:
            selection = self._selection()
        except ExportError as error:
            self.note.setText(str(error))
            self.start.setEnabled(False)
            return
        self.start.setEnabled(True)
        events, size = len(selection.rows), expected_bytes(format_, selection)
        if size:
            self.note.setText(tr("{events} events, about {size}", events=events, size=size_text(size)))
        else:
            self.note.setText(tr("{events} events in {lanes} lanes", events=events, lanes=len(selection.lanes)))

    def _ask(self) -> None:
        step = self._offer.step if self.step.isEnabled() and self.step.isChecked() else None
        self.requested.emit(Request(self._format(), self._selection(), step))

    def _format(self) -> Format:
        return FORMATS[self.format.currentData()]

    def _selection(self) -> Selection:
        """ExportError if the fields describe nothing."""
        history, part = self._offer.history, self.part.currentData()
        chosen = select(history, self.range.text() if part == "range" else "", self.lanes.text().split())
        stretch = {"view": self._offer.view, "marked": self._offer.marked}.get(part)
        if stretch is None:
            return chosen
        rows = self._offer.rows if part == "view" and not self.lanes.text().strip() else None
        if rows is None or not rows.single():
            return between(history, *stretch, chosen.lanes, chosen.folded)
        return between(history, *stretch, rows.single(), rows.collapsed, rows.pins)
