"""Chooses a known mistake: those that the program can have, and of these only what the source can make."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget

from visualizer.app.record.titles import with_titles
from visualizer.language import mark, tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.fault import Fault
from visualizer.programs.faults import FAULTS, without_fields
from visualizer.programs.registry import check_program
from visualizer.sources.errors import SourceError
from visualizer.sources.registry import check
from visualizer.sources.source import Request
from visualizer.views.look.field_widget import WheelFreeChoice
from visualizer.views.look.plain_text_widget import tip

_NARROW = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
_TOOLTIP_CHARACTERS = 64
_NONE = mark("none")
_COMPLEX = QStyle.ComplexControl.CC_ComboBox
_FIELD = QStyle.SubControl.SC_ComboBoxEditField
_TEXT_MARGIN = 4  # pixels that styles leave beside the text


class FaultBox(WheelFreeChoice):
    """ "none" and one item per fault that fits; an item that the source cannot run is disabled and says why."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, sizeAdjustPolicy=_NARROW, minimumContentsLength=12)
        self.setAccessibleName(tr("Fault"))
        self.setToolTip(tr("run the program without a mistake, or with one of the known ones (--fault)"))
        self._program: str | None = None
        self._refusals: dict[str, str] = {}

    def say_again(self) -> None:
        """The language is another now: what is offered is offered in it."""
        if self._program is not None:
            self._fill(self._program)

    def fault(self) -> str | None:
        """The chosen fault's id."""
        fault: str | None = self.currentData()
        return fault

    def choose(self, fault: str | None) -> None:
        """Choose the fault of this id, if it is offered, else none."""
        self.setCurrentIndex(max(0, self.findData(fault)))

    def offer(self, program: str, source: str, parameters: Mapping[str, Any] | None) -> None:
        """Offer what fits. A fault that is no longer offered is given up; one that the source cannot run stays chosen,
        with `problem` to say so. `parameters` are None while the parameters do not go together."""
        if program != self._program:
            self._program = program
            self._fill(program)
        for index in range(1, self.count()):
            fault = FAULTS[self.itemData(index)]
            refusal = _refusal(Request(program, without_fields(fault, parameters or {}), fault.id), source)
            self._refusals[fault.id] = refusal
            self._enable(index, not refusal)
            tooltip = refusal or story(fault.id)
            self.setItemData(index, tip(textwrap.fill(tooltip, _TOOLTIP_CHARACTERS)), Qt.ItemDataRole.ToolTipRole)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Qt clips a text that is too long for the box; an ellipsis says that there is more."""
        super().initStyleOption(option)
        room = self.style().subControlRect(_COMPLEX, option, _FIELD, self).width() - _TEXT_MARGIN
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)

    def problem(self) -> str:
        """Why the chosen fault cannot run, or ""."""
        fault = self.fault()
        return "" if fault is None else self._refusals[fault]

    def _fill(self, program: str) -> None:
        before = self.fault()
        with QSignalBlocker(self):
            self.clear()
            self.addItem(tr(_NONE), None)
            for fault in FAULTS.values():
                if _fits(fault, program):
                    self.addItem(f"{fault.id} - {tr(fault.title)}", fault.id)
            self.choose(before)
        self.setEnabled(self.count() > 1)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)

    def _enable(self, index: int, enabled: bool) -> None:
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        item = model.item(index)
        if item.isEnabled() != enabled:
            item.setEnabled(enabled)


def story(fault: str | None) -> str:
    """What the programmer did and what happens then; "" for none."""
    if fault is None:
        return ""
    told = FAULTS[fault]
    return tr("Somebody {did}. What happens: {happens}.", did=tr(told.did), happens=tr(told.happens))


def _fits(fault: Fault, program: str) -> bool:
    try:
        check_program(program, fault=fault.id)
    except ProgramError:
        return False
    return True


def _refusal(request: Request, source: str) -> str:
    try:
        check(source, request)
    except (ProgramError, SourceError) as error:
        return with_titles(str(error))
    return ""
