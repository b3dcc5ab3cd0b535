"""The one table widget: shows any CellSource, keeps in step with the focus, and says which cell a person chose.

Choosing is a click, or Return on the current cell; moving the current cell by program never counts as choosing.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from visualizer.views.cells import Cell, CellSource, Column
from visualizer.views.painting import brush, pen
from visualizer.views.pane_look_widget import inherited_mono_font
from visualizer.views.theme import Theme, load_theme, mix

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


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

    def set_source(self, source: CellSource | None) -> None:
        self.beginResetModel()
        self.source = source
        if source is not None:
            self.columns = tuple(source.columns)
        self.current_row = -1
        self.endResetModel()

    def replace_source(self, source: CellSource) -> None:
        """New cells in the same rows: the view keeps its place."""
        self.source = source
        self.refresh()

    def refresh(self) -> None:
        """Draw the cells anew."""
        if rows := self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, len(self.columns) - 1))

    def cell(self, index: Index) -> Cell:
        assert self.source is not None
        return self.source.cell(index.row(), index.column())

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.source is None or (parent is not None and parent.isValid()) else self.source.rows()

    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.help
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.numeric else LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self.columns[index.column()].numeric else LEFT
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(index).text
        if role == Qt.ItemDataRole.FontRole:
            return self._bold if self.cell(index).tone in ("changed", "focus") else None
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._background(index)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._foreground(index)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cell = self.cell(index)
            return f"{self.columns[index.column()].title} {cell.text or 'none'} {cell.tone}".rstrip()
        return None

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
    """Keeps right-aligned numbers off the next column, and marks the cell the keys are on in the accent colour."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if option.displayAlignment & Qt.AlignmentFlag.AlignRight:
            option.text += " "

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        has_keys = bool(option.state & QStyle.StateFlag.State_HasFocus)
        plain = QStyleOptionViewItem(option)
        plain.state &= ~QStyle.StateFlag.State_HasFocus
        super().paint(painter, plain, index)
        if has_keys:
            painter.setPen(pen(index.model().theme.accent, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))


class CellTable(QTableView):
    """A read-only table of a CellSource with a current row that follows the focus."""

    chosen = Signal(int, int)
    """Row and column of the cell a person chose."""

    def __init__(self, name: str, columns: tuple[Column, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = CellModel(columns, self)
        self.setModel(self.cells)
        self.setItemDelegate(CellDelegate(self))
        self.cells.modelReset.connect(self._fit)
        self.setAccessibleName(name)
        self.setFont(inherited_mono_font())
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
        self.cells.current_row = -1 if row is None else row
        column = max(self.currentIndex().column(), 0)
        self.setCurrentIndex(self.cells.index(row, column) if row is not None else QModelIndex())
        self.viewport().update()

    def scroll_to_row(self, row: int) -> None:
        self.scrollTo(self.cells.index(row, 0))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.chosen.emit(index.row(), index.column())
            return
        super().keyPressEvent(event)

    def _fit(self) -> None:
        """Rows as high and columns as wide as their text needs at this font."""
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.35))
        for number, column in enumerate(self.cells.columns):
            width = max(metrics.horizontalAdvance(column.widest), metrics.horizontalAdvance(column.title))
            self.setColumnWidth(number, width + 2 * metrics.horizontalAdvance("0"))
