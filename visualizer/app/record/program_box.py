"""Chooses the program: a built-in one, or a Python file that describes one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QPushButton, QWidget

from visualizer.language import mark, tr
from visualizer.programs.registry import PROGRAMS
from visualizer.views.look.field_widget import WheelFreeChoice
from visualizer.views.look.plain_text_widget import tip

_NARROW = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
_FILTER = mark("Programs (*.py);;All files (*)")


class ProgramBox(QWidget):
    """The built-ins and the files opened so far. A file is read when the program runs, so that it may be edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names = WheelFreeChoice(accessibleName=tr("Program"), sizeAdjustPolicy=_NARROW, minimumContentsLength=8)
        for name in PROGRAMS:
            self.names.addItem(name, name)
        self.names.setToolTip(tr("which pipeline runs (--program)"))
        self.open_button = QPushButton(tr("Open file..."))
        self.open_button.setToolTip(
            tr("a Python file that describes a pipeline, as docs/programs.md tells (--program FILE.py)")
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.names, 1)
        layout.addWidget(self.open_button)
        self.setFocusProxy(self.names)
        self.names.currentIndexChanged.connect(self.changed)
        self.open_button.clicked.connect(self.ask_open)

    def program(self) -> str:
        """The built-in's name or the file's path."""
        return str(self.names.currentData())

    def choose(self, program: str) -> None:
        """Choose a built-in, or a file that may be new here."""
        index = self.names.findData(program)
        if index < 0:
            self.names.addItem(Path(program).name, program)
            index = self.names.count() - 1
            self.names.setItemData(index, tip(program), Qt.ItemDataRole.ToolTipRole)
        self.names.setCurrentIndex(index)

    def ask_open(self) -> None:
        path = self.choose_file()
        if path is not None:
            self.choose(str(path))

    def choose_file(self) -> Path | None:
        """Ask for the file; a method of its own, so that tests can answer."""
        name, _ = QFileDialog.getOpenFileName(self, tr("Open a program"), str(Path.cwd()), tr(_FILTER))
        return Path(name) if name else None
