"""The per-tile table pane: the lesson's table from this recording; a click on a cell goes to where it happened."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from visualizer.language import mark, tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus
from visualizer.replay.history import History
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.ring_choice_widget import RingChoice
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.tables.cell_table_widget import CellTable
from visualizer.views.tables.tile_table_model import COLUMNS, TileRows
from visualizer.views.words.context import cta_at, ring_at, ring_title, rings_at


class RingTable(QWidget):
    """The table of one ring, under its title."""

    chosen = Signal(int)
    """The step of the cell a person chose."""

    def __init__(self) -> None:
        super().__init__()
        self.title = PlainLabel()
        self.title.hide()
        self.table = CellTable(tr("Per-tile table"), COLUMNS)
        self.table.nothing = mark("No event of a ring of this CTA names a tile.")
        self.table.chosen.connect(self._choose)
        self.rows: TileRows | None = None
        self.setAccessibleName(self.table.accessibleName())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.table, 1)

    def show_rows(self, rows: TileRows | None, title: str) -> None:
        if rows is not self.rows:
            self.rows = rows
            self.table.cells.set_source(rows)
        self.title.setText(f" {title}")
        self.title.setVisible(bool(title))
        self.setAccessibleName(title or self.table.accessibleName())

    @property
    def wide(self) -> int:
        """Pixels that all columns take."""
        return self.table.horizontalHeader().length() + self.table.verticalScrollBar().sizeHint().width()

    def _choose(self, row: int, column: int) -> None:
        step = self.rows.cell(row, column).step if self.rows is not None else None
        if step is not None:
            self.chosen.emit(step)


class TileTableWidget(QWidget):
    """Cursors, waits and phase flips of each tile of the focused event's CTA; several rings side by side in a wide
    pane."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = RingChoice()
        self.choice.activated.connect(self._refresh)
        self.tables: list[RingTable] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.choice, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(self._row, 1)
        self._history: History | None = None
        self._focus: Focus | None = None
        self._followed: str | None = None
        self._known: dict[tuple[int, str | None], TileRows] = {}
        self._veiled_after: int | None = None
        self._theme = load_theme("dark")
        self._add_table()
        self.setFocusProxy(self.tables[0].table)

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._focus = self._followed = None
        self._known = {}
        self._refresh()

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        self._refresh()

    def set_veil(self, step: int | None) -> None:
        """From the next focus on hide what comes after event `step`, a lecture's question; None hides nothing."""
        self._veiled_after = step

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        for one in self.tables:
            one.table.set_theme(theme)

    def resizeEvent(self, event: QEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        history, focus = self._history, self._focus
        if history is None or focus is None:
            self.choice.offer(())
            self._show_tables(1)
            self.tables[0].show_rows(None, "")
            return
        cta, names = cta_at(history.trace, focus.step), rings_at(history, focus.step)
        self.choice.offer(names)
        self._followed = ring_at(history, focus.step, self._followed)
        wide = self.width() >= len(names) * self.tables[0].wide
        shown = self.choice.shown(self._followed, room_for_all=wide)
        self._show_tables(len(shown))
        for one, ring in zip(self.tables, shown, strict=False):
            if (cta, ring) not in self._known:
                self._known[cta, ring] = TileRows(history, cta, ring)
            rows = self._known[cta, ring]
            rows.step, rows.veiled_after = focus.step, self._veiled_after
            one.show_rows(rows, ring_title(history, focus.step, ring))
            one.table.cells.refresh()
            one.table.show_row(rows.row_of(int(history.trace.events["tile"][focus.step])))

    def _show_tables(self, count: int) -> None:
        while len(self.tables) < count:
            self._add_table()
        for number, one in enumerate(self.tables):
            one.setVisible(number < count)

    def _add_table(self) -> None:
        one = RingTable()
        one.table.set_theme(self._theme)
        one.chosen.connect(self._go_to)
        self.tables.append(one)
        self._row.addWidget(one)

    def _go_to(self, step: int) -> None:
        assert self._history is not None
        self.focus_requested.emit(home_focus(self._history.trace, step))
