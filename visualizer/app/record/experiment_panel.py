"""The experiment panel: choose source, program and parameters, run, cancel. It decides nothing about the recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from visualizer.app.record.fault_box import FaultBox, story
from visualizer.app.record.parameter_form import ParameterForm
from visualizer.app.record.program_box import ProgramBox
from visualizer.app.record.recording_box import RecordingBox
from visualizer.app.record.titles import with_titles
from visualizer.app.record.what_if_row import WhatIfRow
from visualizer.app.session.record_job import Experiment
from visualizer.language import tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.faults import FAULTS, fields_set, without_fields
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.registry import check_program
from visualizer.sources.errors import SourceError
from visualizer.sources.registry import SOURCES
from visualizer.sources.simulator.source import SEED
from visualizer.sources.source import Request
from visualizer.views.look.field_widget import SpinBox, WheelFreeChoice
from visualizer.views.look.plain_text_widget import PlainLabel


class ExperimentPanel(QWidget):
    """Emits `run_requested(Experiment)` and `cancel_requested`; `set_busy` and `show_progress` tell how work goes."""

    run_requested = Signal(object)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._busy = False
        # Without it a style sheet does not paint the background of a plain QWidget.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.source = WheelFreeChoice(accessibleName=tr("Source"))
        for name, source in SOURCES.items():
            self.source.addItem(tr(source.title), name)
        self.program = ProgramBox()
        self.fault = FaultBox()
        self.story = PlainLabel(objectName="hint", wordWrap=True)
        self.seed = SpinBox()
        self.seed.setMaximum(SEED.kind.high)
        self.seed.setAccessibleName(tr("Seed"))
        self.seed.setToolTip(tr("seed of the timing jitter; the same seed gives the same recording (--seed)"))
        self.recording = RecordingBox()
        self.form = ParameterForm()
        self.problem = PlainLabel(objectName="parameterProblem", wordWrap=True)
        self.reset_button = QPushButton()
        self.run_button = QPushButton(tr("Run"))
        self.run_button.setProperty("role", "primary")
        self.cancel_button = QPushButton(tr("Cancel"))
        self.progress = QProgressBar(maximum=1000, accessibleName=tr("Progress"))
        self.stage_of_work = PlainLabel(objectName="hint", wordWrap=True)
        self.what_if = WhatIfRow()
        self._head = QFormLayout()
        self._lay_out()
        self.source.currentIndexChanged.connect(self._refresh)
        self.fault.currentIndexChanged.connect(self._refresh)
        self.program.changed.connect(self._refresh)
        self.form.changed.connect(self._refresh)
        self.recording.changed.connect(self._refresh)
        self.reset_button.clicked.connect(self.reset)
        self.run_button.clicked.connect(self.run)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self._refresh()

    def experiment(self) -> Experiment:
        """What Run would record, whether it can be or not."""
        request = self._program_to_run()
        options = {SEED.name: self.seed.value()} if self._has_seed() else {}
        return Experiment(self.source.currentData(), replace(request, options={**options, **self.recording.options()}))

    def run(self) -> None:
        if self.run_button.isEnabled():
            self.run_requested.emit(self.experiment())

    def reset(self) -> None:
        """Back to the program's own parameters; the source, the seed and how to record stay."""
        self.form.set_parameters({})

    def show_program(self, program: str, parameters: Mapping[str, Any], fault: str | None) -> None:
        """Offer a built-in program with these parameters and this fault for the next run."""
        self.program.choose(program)
        self.fault.choose(fault)
        self.form.set_parameters(parameters)

    def fields(self) -> Iterator[tuple[str, QWidget]]:
        """What can be set for the next run, by title; what does not apply to it is left out."""
        forms = [self._head, self.recording.body.layout()]
        if not self.form.isHidden():
            forms.insert(1, self.form.layout())
        for form in forms:
            for row in range(form.rowCount()):
                label = form.itemAt(row, QFormLayout.ItemRole.LabelRole)
                if label is not None and form.isRowVisible(row):
                    field = form.itemAt(row, QFormLayout.ItemRole.FieldRole).widget()
                    yield label.widget().text(), field.focusProxy() or field

    def go_to(self, field: QWidget) -> None:
        """Give one of the `fields` the keyboard."""
        if self.recording.body.isAncestorOf(field):
            self.recording.header.setChecked(True)
        field.setFocus()

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self.progress.setValue(0)
        self.stage_of_work.clear()
        self._refresh()

    def say_again(self) -> None:
        """The language is another now: the parameters' help and the faults' stories in it."""
        self.form.say_again()
        self.fault.say_again()
        self.recording.say_again()
        self.what_if.say_again()
        self._refresh()

    def show_progress(self, fraction: float, what: str) -> None:
        self.progress.setValue(round(fraction * self.progress.maximum()))
        self.stage_of_work.setText(what)

    def _refresh(self) -> None:
        program, source = self.program.program(), self.source.currentData()
        parameters = SOURCES[source].parameters(program)
        self.form.offer(program, parameters, after=self.seed)
        self.recording.offer(source, program)
        request, problem = self._checked()
        self.fault.offer(program, source, request and request.parameters)
        if request is None:
            # What the source says of its kernel's sizes is truer than what the program needs.
            problem = self._problem_of_recording() or problem
        else:
            request = self._program_to_run()  # the offer may have given the chosen fault up
            problem = self.fault.problem() or self._problem_of_recording()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._lock_fields()
        self.story.setText(story(self.fault.fault()))
        self.story.setVisible(bool(self.story.text()))
        self.form.setEnabled(bool(parameters))
        self.reset_button.setEnabled(self.form.isEnabled())
        self.reset_button.setText(tr("Reset to {program}", program=program))
        self.seed.setEnabled(self._has_seed())
        # Values that do not apply are not shown: a greyed 3 still reads as three stages.
        for part in (self.form, self.reset_button):
            part.setVisible(bool(parameters))
        self._head.setRowVisible(self.seed, self._has_seed())
        self.what_if.set_request(request)
        self.run_button.setEnabled(not problem and not self._busy)
        self.cancel_button.setEnabled(self._busy)
        self.progress.setVisible(self._busy)
        self.stage_of_work.setVisible(self._busy)

    def _has_seed(self) -> bool:
        return SEED in SOURCES[self.source.currentData()].options

    def _lock_fields(self) -> None:
        """What the fault sets is shown and cannot be changed: it would be another fault, or none."""
        fault = self.fault.fault()
        if fault is None or self.program.program() != LESSON:
            self.form.lock({})
            return
        with suppress(ProgramError):  # said where the parameters are checked
            self.form.lock(fields_set(FAULTS[fault], self.form.parameters()))

    def _program_to_run(self) -> Request:
        """Program, parameters and fault, however they are recorded."""
        program, fault, parameters = self.program.program(), self.fault.fault(), self.form.parameters()
        return Request(program, parameters if fault is None else without_fields(FAULTS[fault], parameters), fault)

    def _checked(self) -> tuple[Request | None, str]:
        """The program to run, or why there is none."""
        request = self._program_to_run()
        try:
            check_program(self.program.program(), request.parameters)
        except ProgramError as error:
            return None, with_titles(str(error))
        return request, ""

    def _problem_of_recording(self) -> str:
        """Why the program cannot be recorded as chosen, or ""."""
        try:
            self.experiment().check()
        except (ProgramError, SourceError) as error:
            return with_titles(str(error))
        return ""

    def _lay_out(self) -> None:
        head = self._head
        head.setVerticalSpacing(3)
        head.addRow(tr("Source"), self.source)
        head.addRow(tr("Program"), self.program)
        head.addRow(tr("Fault"), self.fault)
        head.addRow(self.story)
        head.addRow(tr("Seed"), self.seed)
        inside = QWidget(objectName="parameters")
        column = QVBoxLayout(inside)
        column.setContentsMargins(8, 6, 8, 6)
        column.addLayout(head)
        column.addWidget(self.form)
        column.addWidget(self.reset_button)
        column.addWidget(self.recording)
        column.addStretch(1)
        scroll = _Column(inside)
        # Once its fields have their places.
        self.recording.unfolded.connect(lambda: QTimer.singleShot(0, self, lambda: scroll.show_all_of(self.recording)))
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
        foot.addWidget(self.what_if)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(scroll, 1)
        layout.addLayout(foot)


class _Column(QScrollArea):
    """Scrolls up and down alone: as wide as its fields need, and no higher than there is room."""

    def __init__(self, inside: QWidget) -> None:
        # Its fields take the keyboard.
        super().__init__(widgetResizable=True, focusPolicy=Qt.FocusPolicy.NoFocus, accessibleName=tr("Experiment"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inside)

    def show_all_of(self, widget: QWidget) -> None:
        """Scroll so far that the widget is seen, if need be from its top."""
        self.ensureWidgetVisible(widget, 0, 0)
        self.verticalScrollBar().setValue(min(self.verticalScrollBar().value(), widget.y()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What the fields need has changed, so what this needs has: a scroll area tells nobody by itself."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        width = self.widget().minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(width, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        # The panel around it scrolls too: asked for more, it would scroll Run and the problem out of sight.
        return self.minimumSizeHint()
