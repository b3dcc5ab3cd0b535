"""The one table widget: shows any CellSource, keeps in step with the focus, and says which cell a person chose.

Choosing is a click, or Return on the current cell; moving the current cell by program never counts as choosing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from visualizer.language import mark, tr
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, pen
from visualizer.views.look.pane_look_widget import inherited_mono_font
from visualizer.views.look.plain_text_widget import tip
from visualizer.views.look.theme import Theme, load_theme, mix
from visualizer.views.tables.cells import TONE_WORDS, Cell, CellSource, Column

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_WORDS = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
_MOST_DRAWN = 4096
"""Cells kept; more than a screen holds, so that only scrolling through long tables drops any."""


class CellModel(QAbstractTableModel):
    """A CellSource for Qt. No row is ever stored."""

    def __init__(self, columns: tuple[Column, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.columns = columns
        self.source: CellSource | None = None
        self.theme = load_theme("dark")
        self.current_row = -1
        self._bold = QFont()
        self._bold.setBold(True)
        self._drawn: dict[tuple[int, int], Cell] = {}
        self._roles: dict[int, Callable[[Index], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._text,
            Qt.ItemDataRole.TextAlignmentRole: self._alignment,
            Qt.ItemDataRole.FontRole: self._font,
            Qt.ItemDataRole.BackgroundRole: self._background,
            Qt.ItemDataRole.ForegroundRole: self._foreground,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
            Qt.ItemDataRole.ToolTipRole: lambda index: tip(self.cell(index).hint) or None,
        }

    def set_source(self, source: CellSource | None) -> None:
        self.beginResetModel()
        self.source = source
        if source is not None:
            self.columns = tuple(source.columns)
        self.current_row = -1
        self._drawn.clear()
        self.endResetModel()

    def replace_source(self, source: CellSource) -> None:
        """New cells in the same rows: the view keeps its place."""
        self.source = source
        self.refresh()

    def refresh(self) -> None:
        """Draw anew the cells that changed since they were drawn: a step changes few, and drawing is what costs."""
        rows = self.rowCount()
        drawn, self._drawn = self._drawn, {}
        for (row, column), old in drawn.items():
            index = self.index(row, column)
            if row < rows and self.cell(index) != old:
                self.dataChanged.emit(index, index)

    def cell(self, index: Index) -> Cell:
        """The cell at an index, kept: Qt asks for its roles one by one, and `refresh` for what was drawn."""
        assert self.source is not None
        key = (index.row(), index.column())
        cell = self._drawn.get(key)
        if cell is None:
            if len(self._drawn) >= _MOST_DRAWN:
                self._drawn.clear()
            cell = self._drawn[key] = self.source.cell(*key)
        return cell

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.source is None or (parent is not None and parent.isValid()) else self.source.rows()

    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(column.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(column.help)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.numeric else LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        answer = self._roles.get(role)
        return answer(index) if answer is not None and index.isValid() else None

    def _text(self, index: Index) -> str:
        return self.cell(index).text

    def _alignment(self, index: Index) -> Any:
        return RIGHT if self.columns[index.column()].numeric else LEFT

    def _font(self, index: Index) -> Any:
        return self._bold if self.cell(index).tone in ("changed", "focus") else None

    def _spoken(self, index: Index) -> str:
        cell = self.cell(index)
        text = cell.text or tr("none")
        said = [tr(self.columns[index.column()].title), text]
        return " ".join(said + ([tr(TONE_WORDS[cell.tone])] if cell.tone else []))

    def _background(self, index: Index) -> Any:
        theme, tone = self.theme, self.cell(index).tone
        if tone == "focus":
            return brush(theme.accent)
        if tone == "changed":
            return brush(mix(theme.panel, theme.accent, 0.28))
        if tone == "waiting":
            return brush(mix(theme.panel, theme.waiting.fill, 0.35))
        if tone == "error":
            return brush(theme.error.fill)
        return brush(theme.selection) if index.row() == self.current_row else None

    def _foreground(self, index: Index) -> Any:
        theme, tone = self.theme, self.cell(index).tone
        if tone == "focus":
            return brush(theme.accent_text)
        if tone == "error":
            return brush(theme.error.text)
        return brush(theme.text_muted if tone == "muted" else theme.text)


class CellDelegate(QStyledItemDelegate):
    """Keeps right-aligned numbers off the next column."""

    def __init__(self, cells: CellModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._cells = cells

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if self._cells.columns[index.column()].numeric:
            option.text += " "


class CellTable(Painted, QTableView):
    """A read-only table of a CellSource with a current row that follows the focus."""

    chosen = Signal(int, int)
    """Row and column of the cell a person chose."""

    nothing = mark("There is nothing to show.")
    """The message that stands where there are no rows: no table is empty without a word."""
    without_source = mark("No recording. Open one, or run an experiment.")
    """The one where there is nothing that could have rows."""

    def __init__(self, name: str, columns: tuple[Column, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = CellModel(columns, self)
        self.setModel(self.cells)
        self.setItemDelegate(CellDelegate(self.cells, self))
        self.cells.modelReset.connect(self._fit)
        self.setAccessibleName(name)
        self.setFont(inherited_mono_font())
        # Qt's own mark of the cell the keys are on is a faint box; paintEvent draws one in the accent colour.
        self.setStyleSheet("QTableView { outline: 0 }")
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(1)
        self.horizontalHeader().setMinimumSectionSize(1)
        self.horizontalHeader().setHighlightSections(False)
        self.clicked.connect(lambda index: self.chosen.emit(index.row(), index.column()))
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self.cells.theme = theme
        self.viewport().update()

    def show_row(self, row: int | None) -> None:
        """Mark a row as the current one and bring it into view; None marks none."""
        self._draw_row(self.cells.current_row)
        self.cells.current_row = -1 if row is None else row
        column = max(self.currentIndex().column(), 0)
        self.setCurrentIndex(self.cells.index(row, column) if row is not None else QModelIndex())
        self._draw_row(self.cells.current_row)

    def scroll_to_row(self, row: int) -> None:
        self.scrollTo(self.cells.index(row, 0))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QTableView.paintEvent(self, event)
        Painted.paintEvent(self, event)

    def paint(self, painter: QPainter) -> None:
        """The keyboard's place, on top of what Qt has drawn; and why there are no rows where there are none."""
        if not self.cells.rowCount():
            words = tr(self.without_source if self.cells.source is None else self.nothing)
            painter.setPen(pen(self.cells.theme.text_muted))
            painter.setFont(QFont())
            painter.drawText(self.viewport().rect().adjusted(8, 8, -8, -8), _WORDS, words)
        if self.hasFocus() and self.currentIndex().isValid():
            painter.setPen(pen(self.cells.theme.accent, 1.0))
            painter.drawRect(self.visualRect(self.currentIndex()).adjusted(0, 0, -1, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.chosen.emit(index.row(), index.column())
            return
        super().keyPressEvent(event)

    def _draw_row(self, row: int) -> None:
        """Draw one row anew, not the table: stepping through events changes two rows at a time."""
        if row >= 0:
            place = self.visualRect(self.cells.index(row, 0))
            self.viewport().update(0, place.y(), self.viewport().width(), place.height())

    def _fit(self) -> None:
        """Rows as high and columns as wide as their text needs at this font."""
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.35))
        for number, column in enumerate(self.cells.columns):
            width = max(metrics.horizontalAdvance(column.widest), metrics.horizontalAdvance(tr(column.title)))
            self.setColumnWidth(number, width + 2 * metrics.horizontalAdvance("0"))
