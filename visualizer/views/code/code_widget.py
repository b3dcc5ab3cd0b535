"""The code pane: the kernel's source as it was compiled, with the lines where producer and consumers are now."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from visualizer.diagnosis.report import Report, SourceLine
from visualizer.diagnosis.source_lines import frames_of, users_frame
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus
from visualizer.replay.history import History
from visualizer.views.code.code_highlight_widget import CodeHighlighter
from visualizer.views.code.code_model import (
    CodeMarks,
    code_marks,
    focused_site,
    frame_titles,
    lines_with_sites,
    missing_text,
    next_step_at_line,
    source_names,
    with_findings,
)
from visualizer.views.code.source_widget import NO_MARKS, SourceView
from visualizer.views.look.field_widget import WheelFreeChoice
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.theme import Theme


class CodeWidget(QWidget):
    """Source files of the recording, following the focus."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.files = WheelFreeChoice()
        self.files.setAccessibleName(tr("Source file"))
        self.files.currentTextChanged.connect(self._show_file)
        self.frames = WheelFreeChoice()
        self.frames.setAccessibleName(tr("Inline stack"))
        self.frames.setToolTip(tr("The calls that lead to the focused event, innermost first; each shows its line"))
        for box in (self.files, self.frames):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.frames.activated.connect(self._show_frame)
        self.view = SourceView()
        self.view.line_chosen.connect(self._choose)
        self._highlighter = CodeHighlighter(self.view.document())
        self._highlighter.set_theme(self.view.theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.files)
        layout.addWidget(self.frames)
        layout.addWidget(self.view, 1)
        self.setFocusProxy(self.view)
        self.frames.hide()
        self._history: History | None = None
        self._step = 0
        self._report: Report | None = None

    def set_report(self, report: Report | None) -> None:
        """What was found in the recording whose `set_history` follows: its lines are marked."""
        self._report = report

    def show_place(self, place: SourceLine) -> None:
        """Bring a line into view, whatever the focus is at."""
        if self.files.findText(place.file) >= 0:
            self.files.setCurrentText(place.file)
            self.view.show_line(place.line)

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        names = source_names(history.trace) if history is not None else []
        self._step = 0
        nothing = tr("This recording has no source text")
        self.view.setPlaceholderText(tr("Open or run a recording to see its source") if history is None else nothing)
        self.files.blockSignals(True)
        self.files.clear()
        self.files.addItems(names)
        self.files.blockSignals(False)
        self.files.setVisible(len(names) > 1)
        self._offer_frames()
        self._show_file(self.files.currentText())

    def set_focus(self, focus: Focus) -> None:
        self._step = focus.step
        if self._history is None:
            return
        self._offer_frames()
        if not self.files.count():
            self.view.setPlaceholderText(missing_text(self._history.trace, focus.step))
        self._show_marks(code_marks(self._history, focus.step, self.files.currentText()))

    def _show_marks(self, marks: CodeMarks) -> None:
        """In the file where they are."""
        if marks.file != self.files.currentText():
            self.files.setCurrentText(marks.file)
        else:
            self.view.show_marks(self._with_findings(marks))

    def _with_findings(self, marks: CodeMarks) -> CodeMarks:
        return (
            marks
            if self._history is None
            else with_findings(marks, self.files.currentText(), self._history.trace, self._report)
        )

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)
        self.view.theme = theme
        self._highlighter.set_theme(theme)
        self.view.show_marks(self.view.marks)

    def _offer_frames(self) -> None:
        """The calls that lead to the focused event, the user's own shown."""
        site = focused_site(self._history.trace, self._step) if self._history is not None else None
        self.frames.clear()
        if self._history is not None and site is not None:
            self.frames.addItems(frame_titles(frames_of(site)))
            self.frames.setCurrentIndex(users_frame(self._history.trace, site))
        self.frames.setVisible(self.frames.count() > 1)

    def _show_frame(self, row: int) -> None:
        if self._history is not None:
            self._show_marks(code_marks(self._history, self._step, self.files.currentText(), row))

    def _show_file(self, name: str) -> None:
        self.view.marks = NO_MARKS
        trace = self._history.trace if self._history is not None else None
        text = trace.source_files.get(name, "") if trace is not None else ""
        self._highlighter.set_code(name, text)
        self.view.setPlainText(text)
        self.view.site_lines = lines_with_sites(trace, name) if trace is not None else frozenset()
        if self._history is not None:
            frame = self.frames.currentIndex() if self.frames.count() > 1 else None
            self.view.show_marks(self._with_findings(_marks_in(self._history, self._step, name, frame)))

    def _choose(self, line: int) -> None:
        if self._history is None:
            return
        trace = self._history.trace
        step = next_step_at_line(trace, self.files.currentText(), line, self._step)
        if step is not None:
            self.focus_requested.emit(home_focus(trace, step))


def _marks_in(history: History, step: int, name: str, frame: int | None) -> CodeMarks:
    """Marks for the file a person picked; none if the focused event is in another one."""
    marks = code_marks(history, step, name, frame)
    return marks if marks.file == name else NO_MARKS
