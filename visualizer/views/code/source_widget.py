"""One source text with its lines numbered, and in the margin who stands at which; knows no recording."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from visualizer.language import tr
from visualizer.views.code.code_model import Chip, CodeMarks
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import colour, pen
from visualizer.views.look.pane_look_widget import inherited_mono_font, mono_font, smallest_text
from visualizer.views.look.theme import Paint, Theme, load_theme, mix

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
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
        if self.document().isEmpty():
            return
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
            painter.drawText(row.adjusted(0, 0, -8, 0), _RIGHT, str(line))
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
