"""The program's parameters as a form, made from PARAMETERS: the same names, limits and help as the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QSpinBox, QWidget

from visualizer.app.fields import SpinBox, show_changed
from visualizer.language import tr
from visualizer.programs.parameters import PARAMETERS, LessonConfig, Parameter
from visualizer.views.plain_text_widget import PlainLabel, tip

_LESSON = LessonConfig()
_STEPS = {"tile_rows": 8, "tile_columns": 64, "producer_delay": 100, "consumer_delay": 100, "transaction_bytes": 16}
"""What one click on an arrow adds, where 1 would make a value that cannot be or changes nothing one can see."""
_ZERO_MEANS = ("producer_arrivals", "consumer_arrivals", "transaction_bytes")
"""Parameters whose 0 means "what fits"."""


class ParameterForm(QWidget):
    """One row per parameter. A value that differs from the lesson is set in bold."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Parameters"))
        self._fields: dict[str, QSpinBox | QCheckBox] = {}
        layout = QFormLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(3)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        layout.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        for parameter in PARAMETERS:
            field = self._make_field(parameter)
            label = PlainLabel(tr(parameter.title))
            label.setToolTip(tip(_tooltip(parameter)))
            label.setBuddy(field)
            self._fields[parameter.name] = field
            layout.addRow(label, field)

    def field(self, name: str) -> QSpinBox | QCheckBox:
        """The widget of the parameter `name`."""
        return self._fields[name]

    def say_again(self) -> None:
        """The language is another now."""
        for parameter in PARAMETERS:
            field = self._fields[parameter.name]
            field.setToolTip(tip(_tooltip(parameter)))
            self.layout().labelForField(field).setToolTip(tip(_tooltip(parameter)))

    def values(self) -> dict[str, Any]:
        return {
            name: field.isChecked() if isinstance(field, QCheckBox) else field.value()
            for name, field in self._fields.items()
        }

    def parameters(self) -> dict[str, Any]:
        """The values as they stand; ProgramError if they do not go together."""
        return LessonConfig(**self.values()).as_dict()

    def set_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Show these; those left out are the lesson's."""
        values = {**_LESSON.as_dict(), **parameters}
        blocked = self.blockSignals(True)
        for name, field in self._fields.items():
            if isinstance(field, QCheckBox):
                field.setChecked(values[name])
            else:
                field.setValue(values[name])
        self.blockSignals(blocked)
        self.changed.emit()

    def _make_field(self, parameter: Parameter) -> QSpinBox | QCheckBox:
        field: QSpinBox | QCheckBox
        if parameter.is_switch:
            field = QCheckBox()
            field.setChecked(getattr(_LESSON, parameter.name))
            field.toggled.connect(lambda: self._value_changed(parameter.name))
        else:
            field = SpinBox()
            field.setRange(parameter.low, parameter.high)
            field.setSingleStep(_STEPS.get(parameter.name, 1))
            field.setSuffix(f" {parameter.unit}" if parameter.unit else "")
            field.setSpecialValueText(tr("auto") if parameter.name in _ZERO_MEANS else "")
            field.setValue(getattr(_LESSON, parameter.name))
            field.valueChanged.connect(lambda: self._value_changed(parameter.name))
        field.setToolTip(tip(_tooltip(parameter)))
        field.setAccessibleName(tr(parameter.title))
        return field

    def _value_changed(self, name: str) -> None:
        field = self._fields[name]
        show_changed(field, self.values()[name] != getattr(_LESSON, name))
        self.changed.emit()


def _tooltip(parameter: Parameter) -> str:
    limits = (
        tr("on or off")
        if parameter.is_switch
        else tr("{low} to {high:,} {unit}", low=parameter.low, high=parameter.high, unit=parameter.unit).rstrip()
    )
    return tr(
        "{help}\n{limits} ({option} on the command line)",
        help=tr(parameter.help),
        limits=limits,
        option=parameter.option,
    )
