"""The experiment panel: choose source, program and parameters, run, cancel. It decides nothing about the recording."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from visualizer.app.parameter_form import ParameterForm
from visualizer.app.record_job import Experiment
from visualizer.programs.faults import FAULTS, check_fit, find_fault
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import PARAMETERS, LessonConfig, ProgramError
from visualizer.programs.registry import PROGRAMS

SOURCES = {"simulator": "Simulator (exact)", "gpu": "GPU (SM90)"}
_NARROW = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
_MAX_SEED = 2**31 - 1


class ExperimentPanel(QWidget):
    """Emits `run_requested(Experiment)` and `cancel_requested`; `set_busy` and `show_progress` tell how work goes."""

    run_requested = Signal(object)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._busy = False
        # Without it a style sheet does not paint the background of a plain QWidget.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.source = QComboBox(accessibleName="Source")
        for key, title in SOURCES.items():
            self.source.addItem(title, key)
        self.program = QComboBox(accessibleName="Program")
        self.program.addItems(list(PROGRAMS))
        self.fault = _fault_box()
        self.seed = QSpinBox(maximum=_MAX_SEED, accessibleName="Seed")
        self.seed.setToolTip("seed of the timing jitter; the same seed gives the same recording (--seed)")
        self.form = ParameterForm()
        self.problem = QLabel(objectName="parameterProblem", wordWrap=True)
        self.reset_button = QPushButton("Reset to lesson")
        self.run_button = QPushButton("Run")
        self.run_button.setProperty("role", "primary")
        self.cancel_button = QPushButton("Cancel")
        self.progress = QProgressBar(maximum=1000, accessibleName="Progress")
        self.stage_of_work = QLabel(objectName="hint", wordWrap=True)
        self._lay_out()
        for box in (self.source, self.program, self.fault):
            box.currentIndexChanged.connect(self._refresh)
        self.form.changed.connect(self._refresh)
        self.reset_button.clicked.connect(self.reset)
        self.run_button.clicked.connect(self.run)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self._refresh()

    def experiment(self) -> Experiment:
        """What Run would record; ProgramError if the parameters do not go together."""
        program = self.program.currentText()
        config = self.form.config() if program == LESSON else LessonConfig()
        return Experiment(self.source.currentData(), program, config, self.seed.value(), fault=self.fault.currentData())

    def run(self) -> None:
        if self.run_button.isEnabled():
            self.run_requested.emit(self.experiment())

    def reset(self) -> None:
        """Back to the lesson's parameters; the source and the seed stay."""
        self.form.set_config(LessonConfig())

    def show_config(self, config: LessonConfig) -> None:
        self.form.set_config(config)

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self.progress.setValue(0)
        self.stage_of_work.clear()
        self._refresh()

    def show_progress(self, fraction: float, what: str) -> None:
        self.progress.setValue(round(fraction * self.progress.maximum()))
        self.stage_of_work.setText(what)

    def _refresh(self) -> None:
        problem = self._problem()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.form.setEnabled(self.program.currentText() == LESSON)
        self.reset_button.setEnabled(self.form.isEnabled())
        self.fault.setToolTip(_story(self.fault.currentData()))
        self.seed.setEnabled(self.source.currentData() == "simulator")
        self.run_button.setEnabled(not problem and not self._busy)
        self.cancel_button.setEnabled(self._busy)
        self.progress.setVisible(self._busy)
        self.stage_of_work.setVisible(self._busy)

    def _problem(self) -> str:
        try:
            experiment = self.experiment()
            if experiment.fault is not None:
                check_fit(experiment.program, find_fault(experiment.fault))
        except ProgramError as error:
            return _with_titles(str(error))
        return ""

    def _lay_out(self) -> None:
        head = QFormLayout()
        head.setVerticalSpacing(3)
        head.addRow("Source", self.source)
        head.addRow("Program", self.program)
        head.addRow("Fault", self.fault)
        head.addRow("Seed", self.seed)
        inside = QWidget(objectName="parameters")
        column = QVBoxLayout(inside)
        column.setContentsMargins(8, 6, 8, 6)
        column.addLayout(head)
        column.addWidget(self.form)
        column.addWidget(self.reset_button)
        column.addStretch(1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        scroll.setMinimumWidth(inside.minimumSizeHint().width() + scroll.verticalScrollBar().sizeHint().width())
        buttons = QHBoxLayout()
        buttons.addWidget(self.run_button, 1)
        buttons.addWidget(self.cancel_button)
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 4, 8, 8)
        foot.setSpacing(5)
        foot.addWidget(self.problem)
        foot.addWidget(self.stage_of_work)
        foot.addWidget(self.progress)
        foot.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(scroll, 1)
        layout.addLayout(foot)


def _fault_box() -> QComboBox:
    box = QComboBox(accessibleName="Fault", sizeAdjustPolicy=_NARROW, minimumContentsLength=12)
    box.addItem("none", None)
    for fault in FAULTS.values():
        box.addItem(f"{fault.id} {fault.title}", fault.id)
        box.setItemData(box.count() - 1, _story(fault.id), Qt.ItemDataRole.ToolTipRole)
    box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + 24)
    return box


def _story(fault: str | None) -> str:
    """What the programmer did and what happens then, for a tooltip."""
    if fault is None:
        return "run the program without a mistake, or with one of the known ones (--fault)"
    return f"Somebody {FAULTS[fault].did}. What happens: {FAULTS[fault].happens}."


def _with_titles(message: str) -> str:
    """The command line's "--consumer-warps" as the form's "Consumer warps"."""
    titles = {parameter.option: parameter.title for parameter in PARAMETERS} | {
        "--tile": "Tile",
        "--program": "program",
        "--fault": "fault",
    }
    for option in sorted(titles, key=len, reverse=True):
        message = message.replace(option, titles[option])
    return message
