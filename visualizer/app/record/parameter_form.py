"""The program's parameters as a form, made from its table: the same names, limits and help as the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QSpinBox, QWidget

from visualizer.app.record.changed_field import show_changed
from visualizer.language import tr
from visualizer.programs.program import Parameter
from visualizer.views.look.field_widget import SpinBox
from visualizer.views.look.plain_text_widget import PlainLabel, tip

_STEPS = {"tile_rows": 8, "tile_columns": 64, "producer_delay": 100, "consumer_delay": 100, "transaction_bytes": 16}
"""What one click on an arrow adds, where 1 would make a value that cannot be or changes nothing one can see."""
_ZERO_MEANS = ("producer_arrivals", "consumer_arrivals", "transaction_bytes")
"""Parameters whose 0 means "what fits"."""


class ParameterForm(QWidget):
    """One row per parameter of the program offered. A value that differs from the program's own is set in bold."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Parameters"))
        self._program = ""
        self._parameters: tuple[Parameter, ...] = ()
        self._wanted: dict[str, dict[str, Any]] = {}  # by program, of what was shown of it before
        self._fields: dict[str, QSpinBox | QCheckBox] = {}
        self._own: dict[str, Any] = {}  # of the fields that a fault has set: what the user wants there
        self._rows = QFormLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setVerticalSpacing(3)
        self._rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)

    def offer(self, program: str, parameters: Sequence[Parameter], after: QWidget) -> None:
        """Show these of the program, with the values that they had when it was shown last. Tab comes to them from the
        field `after`: what is new would come last in the window."""
        if (program, tuple(parameters)) == (self._program, self._parameters):
            return
        self._wanted.setdefault(self._program, {}).update(self.parameters())
        self._own = {}
        self._program, self._parameters = program, tuple(parameters)
        self._fields.clear()
        while self._rows.rowCount():
            self._rows.removeRow(0)
        for parameter in parameters:
            field = self._make_field(parameter)
            label = PlainLabel(tr(parameter.title))
            label.setToolTip(tip(_tooltip(parameter)))
            label.setBuddy(field)
            self._fields[parameter.name] = field
            self._rows.addRow(label, field)
            self.setTabOrder(after, field)
            after = field
        self._show(self._wanted.get(program, {}))

    def field(self, name: str) -> QSpinBox | QCheckBox:
        """The widget of the parameter `name`."""
        return self._fields[name]

    def say_again(self) -> None:
        """The language is another now."""
        for parameter in self._parameters:
            field = self._fields[parameter.name]
            field.setToolTip(tip(_tooltip(parameter)))
            self._rows.labelForField(field).setToolTip(tip(_tooltip(parameter)))

    def values(self) -> dict[str, Any]:
        """What the fields show."""
        return {
            name: field.isChecked() if isinstance(field, QCheckBox) else field.value()
            for name, field in self._fields.items()
        }

    def parameters(self) -> dict[str, Any]:
        """The user's values, whatever a fault sets."""
        return self.values() | self._own

    def set_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Show these; those left out are the program's own."""
        self._unlock()
        self._wanted[self._program] = dict(parameters)  # some may not be shown now
        self._show({one.name: one.default for one in self._parameters} | dict(parameters))
        self.changed.emit()

    def lock(self, values: Mapping[str, Any]) -> None:
        """Show these, which a fault sets, and let nobody change them; all others show the user's values again."""
        if values == {name: self.values()[name] for name in self._own}:
            return
        self._unlock()
        self._own = {name: self.values()[name] for name in values}
        self._show(values)
        for name in values:
            self._fields[name].setEnabled(False)

    def _unlock(self) -> None:
        own, self._own = self._own, {}
        self._show(own)
        for name in own:
            self._fields[name].setEnabled(True)

    def _show(self, values: Mapping[str, Any]) -> None:
        blocked = self.blockSignals(True)
        for name in self._fields.keys() & values.keys():
            field, value = self._fields[name], values[name]
            if isinstance(field, QCheckBox):
                field.setChecked(value)
            else:
                field.setValue(value)
        self.blockSignals(blocked)

    def _make_field(self, parameter: Parameter) -> QSpinBox | QCheckBox:
        field: QSpinBox | QCheckBox
        if parameter.is_switch:
            field = QCheckBox()
            field.setChecked(parameter.default)
            field.toggled.connect(lambda: self._value_changed(parameter))
        else:
            field = SpinBox()
            field.setRange(parameter.low, parameter.high)
            field.setSingleStep(_STEPS.get(parameter.name, 1))
            field.setSuffix(f" {parameter.unit}" if parameter.unit else "")
            field.setSpecialValueText(tr("auto") if parameter.name in _ZERO_MEANS else "")
            field.setValue(parameter.default)
            field.valueChanged.connect(lambda: self._value_changed(parameter))
        field.setToolTip(tip(_tooltip(parameter)))
        field.setAccessibleName(tr(parameter.title))
        return field

    def _value_changed(self, parameter: Parameter) -> None:
        show_changed(self._fields[parameter.name], self.values()[parameter.name] != parameter.default)
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
