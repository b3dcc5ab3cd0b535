"""The parameters a lecturer changes on stage: few, large, and applied with Enter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from visualizer.language import tr
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.registry import PROGRAMS
from visualizer.views.look.field_widget import NumberBox
from visualizer.views.look.plain_text_widget import PlainLabel

ON_STAGE = ("stages", "consumer_warps", "producer_delay", "consumer_delay", "producer_arrivals", "producer_phase")
"""The lesson's own experiments; for all the others there is the window."""


class ParameterStrip(QFrame):
    """`applied` brings the values that differ from the chapter's; `dismissed` that nothing was changed."""

    applied = Signal(dict)
    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lectureParameters")
        self.setAccessibleName(tr("Parameters"))
        self._told: Mapping[str, Any] = {}
        self.boxes: dict[str, NumberBox] = {}
        row = QHBoxLayout(self)
        for parameter in PROGRAMS[LESSON].parameters:
            if parameter.name in ON_STAGE:
                box = NumberBox()
                box.setRange(parameter.low, parameter.high)
                box.setSuffix(f" {parameter.unit}" if parameter.unit else "")
                box.setAccessibleName(tr(parameter.title))
                label = PlainLabel(tr(parameter.title))
                label.setBuddy(box)
                row.addWidget(label)
                row.addWidget(box)
                self.boxes[parameter.name] = box
        self.run = QPushButton(tr("Run"))
        self.run.setDefault(True)
        self.run.clicked.connect(self._apply)
        for box in self.boxes.values():
            box.lineEdit().returnPressed.connect(self._apply)
        row.addWidget(self.run)
        row.addStretch(1)

    def ask(self, parameters: Mapping[str, Any]) -> None:
        """Show these parameters, all of the lesson's, to be changed."""
        self._told = parameters
        for name, box in self.boxes.items():
            box.setValue(parameters[name])
        self.show()
        next(iter(self.boxes.values())).setFocus()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismissed.emit()
        else:
            super().keyPressEvent(event)

    def _apply(self) -> None:
        self.applied.emit({name: box.value() for name, box in self.boxes.items() if box.value() != self._told[name]})
