"""The code pane: the kernel's source as it was compiled, with the lines where producer and consumers are now."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from visualizer.diagnosis.report import Place, Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.replay.history import History
from visualizer.views.code.code_highlight_widget import CodeHighlighter
from visualizer.views.code.code_model import (
    Chip,
    CodeMarks,
    code_marks,
    focused_site,
    frame_titles,
    frames_of,
    lines_with_sites,
    next_step_at_line,
    source_names,
    users_frame,
    with_findings,
)
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import colour, pen
from visualizer.views.look.pane_look_widget import inherited_mono_font, mono_font, smallest_text, use_panel_colours
from visualizer.views.look.theme import Paint, Theme, load_theme, mix

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
NO_MARKS = CodeMarks("", 0, {})


_LINES_AROUND = 2


class SourceView(QPlainTextEdit):
    """Read-only source with a margin of line numbers and chips.

    `line_chosen` tells the line, from 1, that a person clicked or pressed Return on.
    """

    line_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Kernel source"))
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._margin = SourceMargin(self)
        self.setFont(inherited_mono_font())
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.theme: Theme = load_theme("dark")
        self.marks = NO_MARKS
        self.site_lines: frozenset[int] = frozenset()
        self.blockCountChanged.connect(self._fit_margin)
        self.updateRequest.connect(self._scroll_margin)
        self._fit_margin()

    def show_marks(self, marks: CodeMarks) -> None:
        """Mark the lines, and bring the focused one into view, with some lines around it, if it is not."""
        self.marks = marks
        self.setExtraSelections([self._selection(line) for line in sorted({*marks.chips, marks.focused_line} - {0})])
        if marks.focused_line:
            cursor = QTextCursor(self.document().findBlockByNumber(marks.focused_line - 1))
            top = self.cursorRect(cursor)
            self.setTextCursor(cursor)
            around = _LINES_AROUND * top.height()
            if not self.viewport().rect().adjusted(0, around, 0, -around).contains(QPoint(top.x(), top.center().y())):
                self.centerCursor()
        self._margin.update()

    def show_line(self, line: int) -> None:
        """Bring a line into the middle, with the cursor on it."""
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(line - 1)))
        self.centerCursor()

    def margin_width(self) -> int:
        metrics = self.fontMetrics()
        digits = len(str(max(self.blockCount(), 100)))
        return metrics.horizontalAdvance("w1 w2 w3 00" + "0" * digits)

    def chip_paint(self, chip: Chip) -> Paint:
        roles = {"fix": "full", "error": "error", "producer": "producer", "consumer": "consumer"}
        return self.theme.paint(roles.get(chip.role, "tma"))

    def paint_margin(self, painter: QPainter) -> None:
        """Line numbers at the right of the margin, chips at its left; the focused line has a bar."""
        painter.fillRect(self._margin.rect(), self.theme.header)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        block = self.firstVisibleBlock()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset()).toRect()
            if box.top() > self._margin.height():
                return
            line = block.blockNumber() + 1
            row = QRect(0, box.top(), self._margin.width(), box.height())
            if line == self.marks.focused_line:
                painter.fillRect(QRect(row.right() - 3, row.top(), 4, row.height()), colour(self.theme.accent))
            is_site = line in self.site_lines
            painter.setFont(mono_font(self.font(), bold=is_site))
            painter.setPen(pen(self.theme.text if is_site else self.theme.text_muted))
            painter.drawText(row.adjusted(0, 0, -8, 0), RIGHT, str(line))
            if line in self.marks.chips:
                self._paint_chips(painter, row, self.marks.chips[line])
            block = block.next()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.line_chosen.emit(self.cursorForPosition(event.position().toPoint()).blockNumber() + 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.line_chosen.emit(self.textCursor().blockNumber() + 1)
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_margin()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_margin()

    def _selection(self, line: int) -> QTextEdit.ExtraSelection:
        """The background of a marked line: the focused one strongest, else tinted by who is there."""
        theme = self.theme
        selection = QTextEdit.ExtraSelection()
        background = theme.code_current_line
        if line != self.marks.focused_line:
            background = mix(theme.panel, self.chip_paint(self.marks.chips[line][0]).fill, 0.16)
        selection.format.setBackground(colour(background))
        selection.format.setProperty(selection.format.Property.FullWidthSelection, True)
        selection.cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        return selection

    def _paint_chips(self, painter: QPainter, row: QRect, chips: tuple[Chip, ...]) -> None:
        painter.setFont(mono_font(self.font(), 0.9, bold=True, smallest=smallest_text(self)))
        metrics = QFontMetricsF(painter.font())
        digit = metrics.horizontalAdvance("0")
        left = digit / 2
        for chip in chips:
            paint = self.chip_paint(chip)
            room = row.width() - left - digit * (len(str(self.blockCount())) + 2)
            text = metrics.elidedText(chip.text, Qt.TextElideMode.ElideRight, room)
            width = metrics.horizontalAdvance(text) + digit
            box = QRect(round(left), row.top() + 1, round(width), row.height() - 2)
            painter.setBrush(colour(paint.fill))
            painter.setPen(pen(paint.outline, 1.0))
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(pen(paint.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            left += width + digit / 2

    def _fit_margin(self) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)
        self._place_margin()

    def _place_margin(self) -> None:
        area = self.contentsRect()
        self._margin.setGeometry(QRect(area.left(), area.top(), self.margin_width(), area.height()))

    def _scroll_margin(self, area: QRect, distance: int) -> None:
        if distance:
            self._margin.scroll(0, distance)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())


class SourceMargin(Painted, QWidget):
    """The strip left of the source; the view paints it, because only the view knows where its lines are."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self.setAccessibleName(tr("Line numbers, and who is at which line"))
        self._view = view
        self.setToolTip(
            tr(
                "P: producer, w: consumer warps, ✖: where an error shows, ✔: what to change. Bold line numbers:"
                " lines where events are recorded"
            )
        )

    def sizeHint(self) -> QSize:
        return QSize(self._view.margin_width(), 0)

    def paint(self, painter: QPainter) -> None:
        self._view.paint_margin(painter)


class CodeWidget(QWidget):
    """Source files of the recording, following the focus."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.files = QComboBox()
        self.files.setAccessibleName(tr("Source file"))
        self.files.currentTextChanged.connect(self._show_file)
        self.frames = QComboBox()
        self.frames.setAccessibleName(tr("Inline stack"))
        self.frames.setToolTip(tr("The calls that lead to the focused event, innermost first; each shows its line"))
        for box in (self.files, self.frames):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.frames.activated.connect(self._show_frame)
        self.view = SourceView()
        self.view.setPlaceholderText(tr("This recording has no source text"))
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

    def show_place(self, place: Place) -> None:
        """Bring a line into view, whatever the focus is at."""
        if self.files.findText(place.file) >= 0:
            self.files.setCurrentText(place.file)
            self.view.show_line(place.line)

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        names = source_names(history.trace) if history is not None else []
        self._step = 0
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
            self.focus_requested.emit(Focus(step, home_lane(trace, step)))


def _marks_in(history: History, step: int, name: str, frame: int | None) -> CodeMarks:
    """Marks for the file a person picked; none if the focused event is in another one."""
    marks = code_marks(history, step, name, frame)
    return marks if marks.file == name else NO_MARKS
