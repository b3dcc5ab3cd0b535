"""How a run is recorded, folded away until it matters: which part of it, how closely, at what cost, with a probe."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFormLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from visualizer.app.fields import ChoiceBox, SpinBox, show_changed
from visualizer.app.titles import RECORDING
from visualizer.language import mark, tr
from visualizer.programs.parameters import PARAMETERS
from visualizer.resources import resource_dir
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import LOG_LEVELS
from visualizer.sources.lesson.window import ROLES
from visualizer.sources.lesson.window_check import window_asked_for
from visualizer.sources.lesson.word_probe import PROBES
from visualizer.sources.runner.cost import MOST_PAIRS

_TO_THE_END = -1
_INDENT = 10
_MOST = {parameter.name: parameter.high for parameter in PARAMETERS if not parameter.is_switch}
_AUTO = mark("auto")
_ALL = mark("all")
_OFF = mark("off")
_TILE = "tile "
"""The same in every language."""
_LEVEL_HELP = {
    None: mark("full, or words with a fault in the kernel or a probe"),
    "off": mark("nothing: only whether the run came to its end"),
    "phases": mark("the times phases completed"),
    "standard": mark("the end of each wait"),
    "full": mark("begin and end of each wait"),
    "words": mark("every event, with the barrier's word"),
}
PROBE_TITLES = {"off": _OFF, "words": mark("words (experimental)"), "flips": mark("phase flips")}
_HELP = {
    "first": mark("the first tile that is recorded, of every role (--window)"),
    "last": mark("the last tile that is recorded, of every role (--window)"),
    "keep_last": mark("record so many tiles at the end alone, however long the run is (--keep-last)"),
    "every_cta": mark("record the first of every k CTAs (--every-cta)"),
    "roles": mark("record the agents of one role alone (--roles)"),
    "level": mark("how much the kernel logs (--level)"),
    "ab_pairs": mark(
        "run it so many times more with logging off and on in turn, and store how much logging slows it (--ab)"
    ),
    "probe": mark(
        "a spare warp looks at live barriers on the GPU: at their words, by arrivals of count 0, which PTX does not"
        " provide for; or at their phase flips alone, by test_wait, which it does (--probe)"
    ),
}
_TITLES = {
    "first": mark("Window from"),
    "last": mark("Window to"),
    "keep_last": RECORDING["--keep-last"],
    "every_cta": RECORDING["--every-cta"],
    "roles": RECORDING["--roles"],
    "level": RECORDING["--level"],
    "ab_pairs": RECORDING["--ab"],
    "probe": RECORDING["--probe"],
}
"""The fields from top to bottom."""
_ON_GPU = ("level", "ab_pairs", "probe")
"""What the simulator has no use for: its log is whole, and costs nothing."""


class RecordingBox(QWidget):
    """A header that unfolds the fields; folded, it says which of them are not as usual."""

    changed = Signal()
    unfolded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Recording"))
        self._source = "simulator"
        self.header = QToolButton(objectName="foldHeader", text=tr("Recording"), checkable=True)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        arrow = QIcon()
        for name, state in (("right", QIcon.State.Off), ("down", QIcon.State.On)):
            arrow.addFile(str(resource_dir("assets") / "icons" / f"{name}.svg"), state=state)
        self.header.setIcon(arrow)
        self.header.setToolTip(tr("which part of the run is recorded, and how"))
        self.summary = QLabel(objectName="hint", wordWrap=True)
        self.summary.setContentsMargins(_INDENT, 0, 0, 0)
        self.body = QWidget(objectName="foldBody")
        self._fields: dict[str, SpinBox | ChoiceBox] = {
            "first": _number(0, _MOST["tiles"] - 1, prefix=_TILE),
            "last": _number(_TO_THE_END, _MOST["tiles"] - 1, special=mark("end"), prefix=_TILE),
            "keep_last": _number(0, _MOST["tiles"], special=_OFF),
            "every_cta": _number(1, _MOST["ctas"], special=_ALL),
            "roles": _choice({ROLES: _ALL, **{(role,): role for role in ROLES}}),
            "level": _choice({None: _AUTO, **{level: level for level in LOG_LEVELS}}),
            "ab_pairs": _number(0, MOST_PAIRS, special=_OFF),
            "probe": _choice({mode: PROBE_TITLES[mode] for mode in PROBES}),
        }
        self._usual = {name: _value(field) for name, field in self._fields.items()}
        self._lay_out()
        self.header.toggled.connect(self._fold)
        self.offer(self._source)

    def field(self, name: str) -> SpinBox | ChoiceBox:
        """The field of a Window or of GpuOptions with this name."""
        return self._fields[name]

    def offer(self, source: str) -> None:
        """Show what can be chosen for the source; what is not shown has no effect, and stays for when it is."""
        self._source = source
        for name in _ON_GPU:
            self._form.setRowVisible(self._fields[name], source == "gpu")
        self._refresh()

    def options(self) -> GpuOptions:
        """What was chosen, for the simulator the window alone; SourceError if it does not go together."""
        chosen = {name: _value(field) for name, field in self._fields.items() if self._counts(name)}
        value = {**self._usual, **chosen}
        tiles = value["first"], value["last"]
        window = window_asked_for(
            tiles if tiles != (self._usual["first"], self._usual["last"]) else None,
            value["keep_last"] or None,
            value["every_cta"],
            value["roles"],
        )
        return GpuOptions(level=value["level"], window=window, ab_pairs=value["ab_pairs"], probe=value["probe"])

    def minimumSizeHint(self) -> QSize:
        """As wide folded as unfolded, and for either source: the panel keeps its width."""
        fields = self._fields.values()
        label = max(self._form.labelForField(field).sizeHint().width() for field in fields)
        field = max(max(field.minimumWidth(), field.minimumSizeHint().width()) for field in fields)
        width = _INDENT + label + self._form.horizontalSpacing() + field
        return super().minimumSizeHint().expandedTo(QSize(width, 0))

    def say_again(self) -> None:
        """The language is another now."""
        self._explain_levels()
        self._refresh()

    def _counts(self, name: str) -> bool:
        return self._source == "gpu" or name not in _ON_GPU

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
            tr("{title}: {value}", title=tr(_TITLES[name]), value=_text(field))
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
            label = QLabel(tr(_TITLES[name]))
            label.setBuddy(field)
            field.setAccessibleName(tr(_TITLES[name]))
            for widget in (label, field):
                widget.setToolTip(tr(_HELP[name]))
            signal = field.valueChanged if isinstance(field, SpinBox) else field.currentIndexChanged
            signal.connect(lambda *_, name=name: self._changed(name))
            self._form.addRow(label, field)
        self._explain_levels()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.header)
        layout.addWidget(self.summary)
        layout.addWidget(self.body)

    def _explain_levels(self) -> None:
        level = self._fields["level"]
        for index in range(level.count()):
            level.setItemData(index, tr(_LEVEL_HELP[level.itemData(index)]), Qt.ItemDataRole.ToolTipRole)


def _number(low: int, high: int, *, special: str = "", prefix: str = "") -> SpinBox:
    """A field whose usual value is `low`, shown as the message `special` if there is one."""
    box = SpinBox()
    box.setRange(low, high)
    box.setValue(low)
    box.setPrefix(prefix)
    box.setSpecialValueText(tr(special) if special else "")
    return box


def _choice(titles: dict) -> ChoiceBox:
    """A field of these values with their messages; the first is the usual one."""
    box = ChoiceBox()
    for value, title in titles.items():
        box.addItem(tr(title), value)
    return box


def _value(field: SpinBox | ChoiceBox) -> object:
    return field.value() if isinstance(field, SpinBox) else field.currentData()


def _text(field: SpinBox | ChoiceBox) -> str:
    return field.text() if isinstance(field, SpinBox) else field.currentText()
