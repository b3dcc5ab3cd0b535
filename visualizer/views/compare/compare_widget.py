"""Two recordings under each other, aligned at the focused event; their differences in tables and bars beside them.

The upper timeline is the window's own recording (a), the lower one the other (b). A click in either moves the focus of
the window, in b by way of the like event of a; whatever stretch one shows the other shows, shifted so that the two
cursors stand in one line. Or both runs are shown on one axis of time, one over the other.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor
from visualizer.diagnosis.comparison.compare_report import ring_text
from visualizer.diagnosis.wording import sentence
from visualizer.language import mark, tr, trn
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus
from visualizer.views.compare.compare_model import (
    ORDER_COLUMNS,
    STATE_COLUMNS,
    TILE_COLUMNS,
    OrderRows,
    StateRows,
    TileTimeRows,
)
from visualizer.views.compare.overlay_pane_widget import OverlayPane
from visualizer.views.compare.tile_bars_widget import TileBars
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import ElidedLabel, PlainLabel, tip
from visualizer.views.look.theme import Theme
from visualizer.views.tables.cell_table_widget import CellTable
from visualizer.views.timeline.timeline_widget import TimelineWidget


class CompareWidget(QWidget):
    """Emits `focus_requested(Focus)` in steps of a."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verdict = PlainLabel(wordWrap=True)
        self.verdict.setContentsMargins(6, 4, 6, 0)
        self.a, self.b = TimelineWidget(), TimelineWidget()
        self.title_a, self.title_b = ElidedLabel(), ElidedLabel()
        self.order = CellTable(tr("Order of events"), ORDER_COLUMNS)
        self.tiles = CellTable(tr("Time per tile"), TILE_COLUMNS)
        self.states = CellTable(tr("States at the focus"), STATE_COLUMNS)
        self.bars = TileBars()
        self.overlay = OverlayPane()
        self.tabs = QTabWidget(accessibleName=tr("Differences"))
        for table, title in (
            (self.tiles, tr("Time per tile")),
            (self.order, tr("Order")),
            (self.states, tr("State here")),
        ):
            self.tabs.addTab(table, title)
        below = QSplitter(Qt.Orientation.Horizontal)
        below.addWidget(self.tabs)
        below.addWidget(self.bars)
        below.setSizes([600, 400])
        beside = QSplitter(Qt.Orientation.Vertical)
        beside.addWidget(_titled(self.title_a, self.a))
        beside.addWidget(_titled(self.title_b, self.b))
        self._ways = QStackedWidget()
        self._ways.addWidget(beside)
        self._ways.addWidget(self.overlay)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(self._ways)
        self._split.addWidget(below)
        self._split.setSizes([720, 200])
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 6, 0)
        head.addWidget(self.verdict, 1)
        for button in self._switch():
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self._split, 1)
        self.states.nothing = mark("Nothing differs in the state here.")
        self.order.nothing = mark("The order differs in no agent.")
        self._comparison: Comparison | None = None
        self._names = ("", "")
        self._focus: Focus | None = None
        self._rows: TileTimeRows | None = None
        self.a.setAccessibleName(tr("Timeline of a"))
        self.b.setAccessibleName(tr("Timeline of b"))
        self.a.focus_requested.connect(self.focus_requested)
        self.b.focus_requested.connect(self._focus_b)
        self.a.view_changed.connect(lambda: self._align(self.a, self.b, 1))
        self.b.view_changed.connect(lambda: self._align(self.b, self.a, -1))
        self.order.chosen.connect(self._choose_order)
        self.tiles.chosen.connect(lambda row, column: self._choose_tile(row))
        self.bars.row_chosen.connect(self._choose_tile)
        self.overlay.focus_requested.connect(self.focus_requested)

    def _switch(self) -> list[QToolButton]:
        """Two buttons, of which one is down; O changes from one to the other."""
        self._buttons = QButtonGroup(self)
        made = []
        for way, text in enumerate((tr("Side by side"), tr("One over the other"))):
            button = QToolButton(text=text, checkable=True, checked=way == 0)
            self._buttons.addButton(button, way)
            made.append(button)
        self._buttons.idToggled.connect(lambda way, down: self._show_way(way) if down else None)
        other = QShortcut(QKeySequence(Qt.Key.Key_O), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        other.activated.connect(lambda: self.show_overlay(not self.shows_overlay))
        return made

    @property
    def shows_overlay(self) -> bool:
        """Whether both runs are shown on one axis."""
        return self._ways.currentWidget() is self.overlay

    def show_overlay(self, over: bool) -> None:
        """One over the other, or side by side."""
        self._buttons.button(int(over)).setChecked(True)

    def set_comparison(self, comparison: Comparison, name_a: str, name_b: str) -> None:
        """Show it; a `set_focus` follows."""
        self._comparison, self._names, self._focus = comparison, (name_a, name_b), None
        self.a.set_history(comparison.a)
        self.b.set_history(comparison.b)
        self.overlay.set_comparison(comparison, name_a, name_b)
        self._tell(comparison)
        self.tabs.setCurrentWidget(self.tiles if comparison.same_order else self.order)

    def say_again(self) -> None:
        """The language is another now."""
        if self._comparison is not None:
            self._tell(self._comparison)
            self.overlay.set_comparison(self._comparison, *self._names)
            if self._focus is not None:
                self.set_focus(self._focus)
        for timeline in (self.a, self.b):
            timeline.viewport().update()

    def _tell(self, comparison: Comparison) -> None:
        """All that is said in words of the whole of it."""
        for button in self._buttons.buttons():
            button.setToolTip(tip(tr("{what} (O changes)", what=button.text())))
        self._rows = TileTimeRows(comparison)
        for label, text in (
            (self.title_a, tr("a: {name}", name=self._names[0])),
            (self.title_b, tr("b: {name}", name=self._names[1])),
        ):
            label.setText(text)
            label.setToolTip(tip(text))
        self.verdict.setText(_verdict(comparison))
        self.order.cells.set_source(OrderRows(comparison))
        self.tiles.cells.set_source(self._rows)
        self.bars.set_comparison(comparison)
        self.bars.setVisible(bool(comparison.tiles))  # else the tables have its room

    def forget(self) -> None:
        """Show nothing, and hold no recording in memory."""
        self._comparison = self._focus = self._rows = None
        for timeline in (self.a, self.b):
            timeline.set_history(None)
        for table in (self.order, self.tiles, self.states):
            table.cells.set_source(None)
        self.bars.set_comparison(None)
        self.overlay.set_comparison(None)
        self.verdict.clear()

    def set_focus(self, focus: Focus) -> None:
        """Show this step of a, and the like step of b under it."""
        comparison = self._comparison
        if comparison is None or not comparison.b.steps:
            return
        self._focus = focus
        self._focus_timelines()
        self.overlay.set_focus(focus)
        self.states.cells.set_source(StateRows(comparison, focus.step))
        event = comparison.a.trace.events[focus.step]
        row = None
        if event["tile"] >= 0 and self._rows is not None:
            row = self._rows.row_of(int(comparison.a.trace.agent_cta[event["agent"]]), int(event["tile"]))
        self.tiles.show_row(row)
        self.bars.set_current(row)

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)
        for part in (self.a, self.b, self.order, self.tiles, self.states, self.bars, self.overlay):
            part.set_theme(theme)

    def _focus_timelines(self) -> None:
        """Both at their steps; what nobody looks at waits until somebody does."""
        if self._focus is None or self._comparison is None or self.shows_overlay:
            return
        self.a.set_focus(self._focus)
        self.b.set_focus(Focus(self._comparison.in_b(self._focus.step), self._focus.lane))
        self._align(self.a, self.b, 1)

    def _show_way(self, way: int) -> None:
        self._ways.setCurrentIndex(way)
        self._focus_timelines()

    def _align(self, source: TimelineWidget, target: TimelineWidget, direction: int) -> None:
        """Give `target` the stretch of `source`, shifted by how far the like events lie apart."""
        view = source.view
        if view is None or self._focus is None or self._comparison is None:
            return
        a, b = self._comparison.a.trace.events["time"], self._comparison.b.trace.events["time"]
        shift = int(b[self._comparison.in_b(self._focus.step)]) - int(a[self._focus.step])
        target.show_view(view.start + direction * shift, view.end + direction * shift)

    def _focus_b(self, focus: Focus) -> None:
        if self._comparison is not None:
            self.focus_requested.emit(Focus(self._comparison.in_a(focus.step), focus.lane))

    def _choose_order(self, row: int, column: int) -> None:
        self._go_to(self.order.cells.source.cell(row, column).step)

    def _choose_tile(self, row: int) -> None:
        """Go to the tile; runs that lie over each other are aligned at it."""
        if self._rows is not None:
            cta, tile, ring = self._rows.tile(row)
            if self.shows_overlay:
                self.overlay.align(Anchor(tile, cta=cta, ring=ring))
            self._go_to(self._rows.step(row))

    def _go_to(self, step: int | None) -> None:
        if step is not None and self._comparison is not None:
            self.focus_requested.emit(home_focus(self._comparison.a.trace, step))


def _verdict(comparison: Comparison) -> str:
    alone = [ring_text(ring) + "." for ring in comparison.rings if ring.only] if comparison.has_rings else []
    return " ".join([_order_verdict(comparison), *map(sentence, alone)])


def _order_verdict(comparison: Comparison) -> str:
    tiles = len(comparison.tiles)
    if comparison.same_order:
        return trn(
            "Every agent does the same in the same order in both. {n} tile is aligned.",
            "Every agent does the same in the same order in both. {n} tiles are aligned.",
            tiles,
        )
    return trn(
        "The order of events differs in {n} agent of {all}; the table Order has the first difference of each.",
        "The order of events differs in {n} agents of {all}; the table Order has the first difference of each.",
        len(comparison.differing) + len(comparison.only_a) + len(comparison.only_b),
        all=len(comparison.agents) + len(comparison.only_a) + len(comparison.only_b),
    )


def _titled(title: PlainLabel, widget: QWidget) -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    title.setContentsMargins(6, 2, 6, 2)
    title.setMinimumWidth(1)
    layout.addWidget(title)
    layout.addWidget(widget, 1)
    return holder
