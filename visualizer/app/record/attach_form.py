"""The fields of *Record your own kernel*: a program, how it runs, and what is recorded of it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QGridLayout, QLineEdit, QPushButton, QWidget

from visualizer.language import tr
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.option_table import (
    CTAS,
    KEEP_FIRST,
    KEEP_LAST,
    KERNEL,
    LAUNCHES,
    LEVEL,
    ON_HANG_OPTION,
    ROUNDS,
    STALL,
)
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.request import AttachRequest
from visualizer.sources.attach.session import Launches
from visualizer.sources.errors import SourceError
from visualizer.sources.option import Choice, Option
from visualizer.views.look.field_widget import ChoiceBox
from visualizer.views.look.plain_text_widget import PlainLabel, tip

TIMED_ROUNDS = 20
_COMMAND, _VARIABLES = "./my_gemm --m 4096", "CUDA_VISIBLE_DEVICES=0 RANK=1"
"""Examples, the same in every language."""
_PAIRS = ((LAUNCHES, CTAS), (LEVEL, ON_HANG_OPTION), (KEEP_FIRST, KEEP_LAST), (STALL,))
"""Options that stand side by side."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


class AttachForm(QGridLayout):
    """Emits `changed` at every change. What is asked for is `request`; `texts` are what is remembered of it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.command = QLineEdit(placeholderText=_COMMAND)
        self.folder = QLineEdit(str(Path.cwd()))
        self.choose = QPushButton(tr("Choose…"))
        self.environment = QLineEdit(placeholderText=_VARIABLES)
        self.kernel = QComboBox(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        self.kernel.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.kernel.lineEdit().setPlaceholderText(tr("all that use mbarriers"))
        self.list_kernels = QPushButton(tr("List kernels"))
        self.list_kernels.setToolTip(
            tr("run the program once, count the launches of its kernels, and record none (--list)")
        )
        self.output = QLineEdit(placeholderText=tr("KERNEL.pscope in the working folder"))
        self.timed = QCheckBox(
            tr(
                "Repeat the launch {n} times to tell what recording costs; what it wrote is not restored",
                n=TIMED_ROUNDS,
            )
        )
        self.timed.setToolTip(tip(tr(ROUNDS.help)))
        self._options: dict[str, tuple[Option, QLineEdit | ChoiceBox]] = {}
        self._lay_out()
        self.choose.clicked.connect(self._choose_folder)
        self.kernel.activated.connect(lambda row: self.kernel.setEditText(self.kernel.itemData(row)))
        for line in self._lines().values():
            line.textChanged.connect(self.changed)
        for _, field in self._options.values():
            if isinstance(field, ChoiceBox):
                field.currentIndexChanged.connect(self.changed)
        self.timed.toggled.connect(self.changed)

    @property
    def fields(self) -> tuple[QWidget, ...]:
        """In the order of the keyboard."""
        return (
            self.command, self.folder, self.choose, self.environment, self.kernel, self.list_kernels,
            *(field for _, field in self._options.values()), self.timed, self.output,
        )  # fmt: skip

    def field(self, option: Option) -> QLineEdit | ChoiceBox:
        return self._options[option.name][1]

    def request(self, *, list_only: bool = False) -> AttachRequest:
        """What is asked for, checked; SourceError in the words of the command line."""
        values = {KERNEL.name: self.kernel.currentText().strip()}
        for option, field in self._options.values():
            text = field.currentData() if isinstance(field, ChoiceBox) else field.text().strip()
            if text:
                try:
                    values[option.name] = option.kind.parse(text)
                except ValueError as problem:
                    raise SourceError(f"{option.flag}: {problem}") from None
        if self.timed.isChecked():
            values[ROUNDS.name] = TIMED_ROUNDS
        output = self.output.text().strip()
        options = AttachOptions(**values, output=Path(output) if output else None, list_only=list_only)
        command = _words(self.command.text(), tr("Command"))
        folder = Path(self.folder.text().strip() or ".").expanduser().absolute()
        request = AttachRequest(tuple(command), options, folder, _variables(self.environment.text()))
        request.check()
        return request

    def offer_kernels(self, launches: Sequence[Launches]) -> None:
        """Kernels to choose from; what is chosen is a pattern that finds it alone."""
        typed = self.kernel.currentText()
        self.kernel.clear()
        kernels = [entry.kernel for entry in launches]
        for entry in launches:
            text = f"{entry.kernel.short}  x {entry.launches:,}"
            self.kernel.addItem(text, pattern_of(entry.kernel, kernels))
        self.kernel.setEditText(typed)

    def texts(self) -> dict[str, str]:
        """Every field as text, by name."""
        boxes = {name: field for name, (_, field) in self._options.items() if isinstance(field, ChoiceBox)}
        chosen = {name: str(box.currentData()) for name, box in boxes.items()}
        timed = {"timed": "yes" if self.timed.isChecked() else ""}
        return {name: line.text() for name, line in self._lines().items()} | chosen | timed

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Show what was remembered; a field of which nothing is remembered stays."""
        for name, line in self._lines().items():
            line.setText(texts.get(name, line.text()))
        for name, (_, field) in self._options.items():
            if isinstance(field, ChoiceBox) and (row := field.findData(texts.get(name))) >= 0:
                field.setCurrentIndex(row)
        self.timed.setChecked(texts.get("timed") == "yes")

    def choose_folder(self) -> str:
        """Ask for a folder; "" if none was chosen."""
        return QFileDialog.getExistingDirectory(self.parentWidget(), tr("Working folder"), self.folder.text())

    def _choose_folder(self) -> None:
        if name := self.choose_folder():
            self.folder.setText(name)

    def _lines(self) -> dict[str, QLineEdit]:
        lines = {
            "command": self.command,
            "folder": self.folder,
            "environment": self.environment,
            KERNEL.name: self.kernel.lineEdit(),
            "output": self.output,
        }
        return lines | {name: field for name, (_, field) in self._options.items() if isinstance(field, QLineEdit)}

    def _lay_out(self) -> None:
        self._row(tr("Command"), tr("the program to run, and its arguments"), self.command)
        self._row(tr("Working folder"), tr("where the program runs"), self.folder, self.choose)
        self._row(tr("Environment"), tr("variables beside those of this window, such as NAME=value"), self.environment)
        self._row(tr(KERNEL.title), tr(KERNEL.fields[0].help), self.kernel, self.list_kernels)
        for options in _PAIRS:
            row = self.rowCount()
            for place, option in enumerate(options):
                field = _field(option)
                self._options[option.name] = option, field
                self._label(row, 2 * place, tr(option.title), tr(option.fields[0].help), field)
                self.addWidget(field, row, 2 * place + 1)
        self.addWidget(self.timed, self.rowCount(), 1, 1, 3)
        self._row(tr("Save as"), tr("the .pscope file to write (default: KERNEL.pscope)"), self.output)
        self.setColumnStretch(1, 1)
        self.setColumnStretch(3, 1)

    def _row(self, title: str, help: str, field: QWidget, button: QWidget | None = None) -> None:
        row = self.rowCount()
        self._label(row, 0, title, help, field)
        self.addWidget(field, row, 1, 1, 2 if button else 3)
        if button is not None:
            self.addWidget(button, row, 3)

    def _label(self, row: int, column: int, title: str, help: str, field: QWidget) -> None:
        label = PlainLabel(title, buddy=field)
        field.setAccessibleName(title)
        for widget in (label, field):
            widget.setToolTip(tip(help))
        self.addWidget(label, row, column)


def pattern_of(kernel: Kernel, kernels: Sequence[Kernel]) -> str:
    """The shortest pattern that finds this kernel alone among `kernels`: its name, the name as a word, or the whole."""
    short = re.escape(kernel.short)
    exact = f"^{re.escape(kernel.name)}$"
    for pattern in (short, rf"\b{short}\b"):
        if [one for one in kernels if re.search(pattern, one.name) or re.search(pattern, one.title)] == [kernel]:
            return pattern
    return exact


def _field(option: Option) -> QLineEdit | ChoiceBox:
    if not isinstance(option.kind, Choice):
        return QLineEdit(placeholderText=option.kind.text(option.default) if option.default else "")
    box = ChoiceBox()
    for value in option.kind.values:
        box.addItem(tr(option.fields[0].titles[value]), value)
    box.setCurrentIndex(box.findData(option.default))
    return box


def _words(text: str, title: str) -> list[str]:
    """As a shell would read them. SourceError where a quote is not closed."""
    try:
        return shlex.split(text)
    except ValueError:
        raise SourceError(tr("{title}: a quote is not closed in {text}", title=title, text=text)) from None


def _variables(text: str) -> dict[str, str]:
    words = _words(text, tr("Environment"))
    for word in words:
        if not _VARIABLE.fullmatch(word):
            raise SourceError(tr("{word!r} is not a variable: write NAME=value, and quote spaces", word=word))
    return {name: os.path.expandvars(value) for name, _, value in (word.partition("=") for word in words)}
