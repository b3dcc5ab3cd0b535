"""How a run is recorded, folded away until it matters: which part of it, how closely, at what cost, with a probe."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFormLayout, QToolButton, QVBoxLayout, QWidget

from visualizer.app.record.changed_field import show_changed
from visualizer.language import tr
from visualizer.resources import resource_dir
from visualizer.sources.option import Choice, Field, Option, Roles, Tiles, Whole
from visualizer.sources.registry import DEFAULT, SOURCES, all_options
from visualizer.views.look.field_widget import ChoiceBox, SpinBox
from visualizer.views.look.plain_text_widget import PlainLabel, tip

_INDENT = 10
_TILE = "tile "
"""The same in every language."""


class RecordingBox(QWidget):
    """A header that unfolds the fields; folded, it says which of them are not as usual."""

    changed = Signal()
    unfolded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Recording"))
        self._source, self._program = DEFAULT, ""
        self.header = QToolButton(objectName="foldHeader", text=tr("Recording"), checkable=True)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        arrow = QIcon()
        for name, state in (("right", QIcon.State.Off), ("down", QIcon.State.On)):
            arrow.addFile(str(resource_dir("assets") / "icons" / f"{name}.svg"), state=state)
        self.header.setIcon(arrow)
        self.header.setToolTip(tr("which part of the run is recorded, and how"))
        self.summary = PlainLabel(objectName="hint", wordWrap=True)
        self.summary.setContentsMargins(_INDENT, 0, 0, 0)
        self.body = QWidget(objectName="foldBody")
        self._options = [option for option in all_options() if option.fields]
        self._fields: dict[str, SpinBox | ChoiceBox] = {}
        self._offers: dict[str, tuple[Option, Field]] = {}
        for option in self._options:
            for place, field in enumerate(option.fields):
                name = field.name or option.name
                self._fields[name], self._offers[name] = _widget(option, field, place), (option, field)
        self._usual = {name: _value(field) for name, field in self._fields.items()}
        self._lay_out()
        self.header.toggled.connect(self._fold)
        self.offer(self._source, self._program)

    def field(self, name: str) -> SpinBox | ChoiceBox:
        """The field of this name, which is its option's where the option has but one."""
        return self._fields[name]

    def offer(self, source: str, program: str) -> None:
        """Show what can be chosen for the two; what is not shown has no effect, and stays for when it is."""
        self._source, self._program = source, program
        for name, field in self._fields.items():
            self._form.setRowVisible(field, self._counts(name))
        self._refresh()

    def options(self) -> dict[str, Any]:
        """What was chosen, as in a Request: what is not as usual, of what the source can be asked."""
        chosen: dict[str, Any] = {}
        for option in self._options:
            names = [field.name or option.name for field in option.fields]
            values = tuple(_value(self._fields[name]) for name in names)
            value = values if len(values) > 1 else values[0]
            if self._applies(option) and value != option.default:
                chosen[option.name] = value
        return chosen

    def minimumSizeHint(self) -> QSize:
        """As wide folded as unfolded, and for either source: the panel keeps its width."""
        fields = self._fields.values()
        label = max(self._form.labelForField(field).sizeHint().width() for field in fields)
        field = max(max(field.minimumWidth(), field.minimumSizeHint().width()) for field in fields)
        width = _INDENT + label + self._form.horizontalSpacing() + field
        return super().minimumSizeHint().expandedTo(QSize(width, 0))

    def say_again(self) -> None:
        """The language is another now."""
        self._explain_values()
        self._refresh()

    def _counts(self, name: str) -> bool:
        return self._applies(self._offers[name][0])

    def _applies(self, option: Option) -> bool:
        is_of_program = not option.programs or self._program in option.programs
        return is_of_program and option in SOURCES[self._source].options

    def _title(self, name: str) -> str:
        option, field = self._offers[name]
        return tr(field.title or option.title)

    def _changed(self, name: str) -> None:
        show_changed(self._fields[name], _value(self._fields[name]) != self._usual[name])
        self._refresh()
        self.changed.emit()

    def _fold(self, unfold: bool) -> None:
        self._refresh()
        if unfold:
            self.unfolded.emit()

    def _refresh(self) -> None:
        unfolded = self.header.isChecked()
        self.body.setVisible(unfolded)
        told = [
            tr("{title}: {value}", title=self._title(name), value=_text(field))
            for name, field in self._fields.items()
            if self._counts(name) and _value(field) != self._usual[name]
        ]
        self.summary.setText(" · ".join(told))
        self.summary.setVisible(bool(told) and not unfolded)

    def _lay_out(self) -> None:
        self._form = QFormLayout(self.body)
        self._form.setContentsMargins(_INDENT, 2, 0, 4)
        self._form.setVerticalSpacing(3)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, field in self._fields.items():
            label = PlainLabel(self._title(name))
            label.setBuddy(field)
            field.setAccessibleName(self._title(name))
            for widget in (label, field):
                widget.setToolTip(tip(tr(self._offers[name][1].help)))
            signal = field.valueChanged if isinstance(field, SpinBox) else field.currentIndexChanged
            signal.connect(lambda *_, name=name: self._changed(name))
            self._form.addRow(label, field)
        self._explain_values()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.header)
        layout.addWidget(self.summary)
        layout.addWidget(self.body)

    def _explain_values(self) -> None:
        for name, (_, offer) in self._offers.items():
            for index in range(self._fields[name].count() if offer.value_help else 0):
                help = tr(offer.value_help[self._fields[name].itemData(index)])
                self._fields[name].setItemData(index, tip(help), Qt.ItemDataRole.ToolTipRole)


def _widget(option: Option, field: Field, place: int) -> SpinBox | ChoiceBox:
    """The `place`-th field of an option, showing what is usual."""
    kind = option.kind
    if isinstance(kind, Whole):
        return _number(option.default, kind.high, field.usual, step=kind.step)
    if isinstance(kind, Tiles):
        return _number(option.default[place], kind.high, field.usual, prefix=_TILE)
    if isinstance(kind, Choice):
        return _choice({option.default: field.usual} | {value: field.titles.get(value, value) for value in kind.values})
    if isinstance(kind, Roles):
        return _choice({option.default: field.usual} | {(role,): role for role in kind.values})
    raise TypeError(f"{option.flag}: the window has no field for {kind}")


def _number(usual: int, high: int, special: str, prefix: str = "", step: int = 1) -> SpinBox:
    """A field from the usual value upwards, which is shown as the message `special` if there is one."""
    box = SpinBox()
    box.setRange(usual, high)
    box.setSingleStep(step)
    box.setValue(usual)
    box.setPrefix(prefix)
    box.setSpecialValueText(tr(special) if special else "")
    return box


def _choice(titles: dict[Any, str]) -> ChoiceBox:
    """A field of these values with their messages; the first is the usual one."""
    box = ChoiceBox()
    for value, title in titles.items():
        box.addItem(tr(title), value)
    return box


def _value(field: SpinBox | ChoiceBox) -> object:
    return field.value() if isinstance(field, SpinBox) else field.currentData()


def _text(field: SpinBox | ChoiceBox) -> str:
    return field.text() if isinstance(field, SpinBox) else field.currentText()
