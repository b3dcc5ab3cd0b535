"""The shared-memory map pane: a bar of all objects in address order (not to scale) over a table with the numbers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import colour, hatch_brush, pen
from visualizer.views.look.pane_look_widget import mono_font, smallest_text, use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel, tip
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.ring.memory_map_model import COLUMNS, NOWHERE, MapRegion, MemoryMap, memory_map
from visualizer.views.tables.cell_table_widget import CellTable
from visualizer.views.words.context import barrier_step, place_step

WEIGHTS = {"barrier": 1.0, "padding": 1.0, "stage": 3.2}
"""Widths of the bar's blocks: a buffer is thousands of times a barrier, so the bar is not to scale."""


class MemoryBar(Painted, QWidget):
    """The bar. Reports a click as the row of the region."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Shared-memory bar"))
        self.setMouseTracking(True)
        self.theme: Theme = load_theme("dark")
        self._map: MemoryMap | None = None

    def show_map(self, shown: MemoryMap | None) -> None:
        self._map = shown
        self.update()

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(30 * line, 5 * line)

    def minimumSizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(10 * line, 5 * line)

    def boxes(self) -> list[tuple[QRectF, MapRegion]]:
        """Each region's block, left to right in address order."""
        if self._map is None or not self._map.regions:
            return []
        line = float(self.fontMetrics().height())
        regions = self._map.regions
        unit = (self.width() - line) / sum(WEIGHTS[entry.role] for entry in regions)
        left = line / 2
        placed = []
        for entry in regions:
            width = unit * WEIGHTS[entry.role]
            placed.append((QRectF(left, 1.4 * line, width, 2.2 * line), entry))
            left += width
        return placed

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self.theme.panel)
        for box, entry in self.boxes():
            self._paint_block(painter, box, entry)
        self._paint_group_titles(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position().x(), event.position().y())
        if row is not None:
            self.chosen.emit(row)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            row = self._row_at(event.pos().x(), event.pos().y())
            text = ""
            if row is not None and self._map is not None:
                entry = self._map.regions[row]
                text = tr(
                    "{name} at 0x{offset:x}, {bytes} bytes: {state}",
                    name=entry.region.name,
                    offset=entry.region.offset,
                    bytes=entry.region.size,
                    state=entry.state,
                )
                if entry.region.offset == NOWHERE:
                    text = f"{entry.region.name}: {entry.state}"
            QToolTip.showText(event.globalPos(), tip(text), self)
            return True
        return super().event(event)

    def _row_at(self, x: float, y: float) -> int | None:
        return next((row for row, (box, _) in enumerate(self.boxes()) if box.contains(x, y)), None)

    def _paint_block(self, painter: QPainter, box: QRectF, entry: MapRegion) -> None:
        paint = self.theme.paint(entry.paint)
        body = box.adjusted(1, 1, -1, -1)
        painter.fillRect(body, colour(paint.fill))
        if entry.role == "padding":
            painter.fillRect(body, hatch_brush(self.theme.text_disabled))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self.theme.accent, 3.0) if entry.focused else pen(paint.outline, 1.5))
        painter.drawRect(body)
        painter.setPen(pen(paint.text))
        painter.setFont(mono_font(self.font(), bold=True))
        lines = [entry.label]
        if entry.role == "stage" and entry.state != entry.label:
            lines.append(entry.state.rsplit(", ", 1)[-1])
        scale = min(1.0, *(body.width() / max(self._width(painter, text) + 4, 1) for text in lines))
        if scale < 1.0:
            painter.setFont(mono_font(self.font(), max(scale, 0.6), bold=True, smallest=smallest_text(self)))
        height = QFontMetricsF(painter.font()).height()
        top = body.center().y() - height * len(lines) / 2
        for number, text in enumerate(lines):
            place = QRectF(body.x(), top + number * height, body.width(), height)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_group_titles(self, painter: QPainter) -> None:
        """Names over the bar and first offsets under it, one for each run of objects of a kind that has room for it."""
        line = self.fontMetrics().height()
        painter.setPen(pen(self.theme.text))
        groups: dict[str, list[QRectF]] = {}
        first: dict[str, MapRegion] = {}
        for box, entry in self.boxes():
            name = entry.region.name.partition("[")[0]
            groups.setdefault(name, []).append(box)
            first.setdefault(name, entry)
        free = 0.0  # where the next offset may begin
        for name, boxes in groups.items():
            if name == "padding":
                continue
            run = boxes[0].united(boxes[-1])
            title = f"{name}[0..{len(boxes) - 1}]" if len(boxes) > 1 else first[name].region.name
            painter.setFont(self.font())
            if self._width(painter, title) <= run.width():
                painter.drawText(run.translated(0, -run.height() / 2 - 0.7 * line), Qt.AlignmentFlag.AlignCenter, title)
            painter.setFont(mono_font(self.font()))
            offset = f"0x{first[name].region.offset:x}"
            if first[name].region.offset != NOWHERE and run.x() >= free:
                width = self._width(painter, offset)
                under = QRectF(run.x(), run.bottom() + 0.1 * line, width, line)
                painter.drawText(under, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextDontClip, offset)
                free = run.x() + width + line / 2

    @staticmethod
    def _width(painter: QPainter, text: str) -> float:
        return QFontMetricsF(painter.font()).horizontalAdvance(text)


class MemoryMapWidget(QWidget):
    """SharedStorage of the focused event's CTA with its live state."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.headline = PlainLabel()
        self.headline.setAccessibleDescription(tr("Shared memory in total"))
        self.headline.setWordWrap(True)
        self.headline.setMargin(4)
        self.bar = MemoryBar()
        self.table = CellTable(tr("Shared-memory table"), COLUMNS)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.bar.chosen.connect(self._choose)
        self.table.chosen.connect(lambda row, column: self._choose(row))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.headline)
        layout.addWidget(self.bar)
        layout.addWidget(self.table, 1)
        self.setFocusProxy(self.table)
        self._history: History | None = None
        self._map: MemoryMap | None = None
        self._step = 0

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._map = None
        self.headline.clear()
        self.bar.show_map(None)
        self.table.cells.set_source(None)

    def set_focus(self, focus: Focus) -> None:
        if self._history is None:
            return
        first = self._map is None
        self._step = focus.step
        self._map = memory_map(self._history, focus.step, focus.lane)
        ctas = self._history.trace.ctas
        place = tr("CTA {cta} of {ctas}", cta=self._map.cta, ctas=ctas) + "  |  " if ctas > 1 else ""
        self.headline.setText(place + self._map.headline())
        self.bar.show_map(self._map)
        if first:
            self.table.cells.set_source(self._map)
        else:
            self.table.cells.replace_source(self._map)
        self.table.show_row(self._map.focused_row())

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)
        self.bar.theme = theme
        self.bar.update()
        self.table.set_theme(theme)

    def _choose(self, row: int) -> None:
        """Focus the latest event on the object at or before the focus, or the next one if there is none."""
        if self._history is None or self._map is None or not self._map.regions[row].lane:
            return
        entry = self._map.regions[row]
        step = (barrier_step if entry.role == "barrier" else place_step)(self._history, entry.row, self._step)
        if step is not None:
            self.focus_requested.emit(Focus(step, entry.lane))
