"""The ring pane: finds the text size at which the ring fits, and turns clicks and keys into focus requests.

What is shown comes from ring_model, where from ring_layout; ring_paint_widget puts the two together.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from visualizer.diagnosis.report import Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.context import agent_step, barrier_step, stage_step
from visualizer.views.diagnosis_model import owing_findings
from visualizer.views.painted_widget import Painted
from visualizer.views.pane_look_widget import smallest_text
from visualizer.views.plain_text_widget import tip
from visualizer.views.ring_layout import Box
from visualizer.views.ring_model import Ring, ring
from visualizer.views.ring_paint_widget import RingPicture
from visualizer.views.ring_shapes_widget import Hit, RingFrame, RingShapes, TextSizes
from visualizer.views.theme import Theme, load_theme

FONT_SCALES = tuple(2.2 - 0.1 * k for k in range(19))
"""Text sizes tried, largest first, over the widget's font."""
RING_SHARE, SHARE_PER_STAGE = 0.32, 0.01
"""Least outer radius over the pane's shorter side at which a text size is taken; less with more cards around it."""


class RingWidget(Painted, QWidget):
    """The stages as a ring with cursors and barriers, at the focused step."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Ring"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._theme = load_theme("dark")
        self._history: History | None = None
        self._report: Report | None = None
        self._step = 0
        self._ring: Ring | None = None
        self._frame: RingFrame | None = None
        self._picture: RingPicture | None = None
        self._key_hit = -1
        self._last_tile = ""

    def sizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(26 * em, 26 * em)

    def minimumSizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(16 * em, 16 * em)

    def set_report(self, report: Report | None) -> None:
        """Who owes arrivals in the recording whose `set_history` follows."""
        self._report = report

    def set_history(self, history: History | None) -> None:
        self._history = history
        last = int(history.trace.events["tile"].max(initial=0)) if history is not None else 0
        self._last_tile = f"tile {last}"
        self._step = 0
        self._key_hit = -1
        self._frame = None
        self._refresh()

    def set_focus(self, focus: Focus) -> None:
        self._step = focus.step
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._picture = None
        self.update()

    def hits(self) -> tuple[Hit, ...]:
        """Everything that can be clicked, in the order the arrow keys visit it."""
        picture = self._current_picture()
        return picture.shapes.hits if picture else ()

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self._theme.panel)
        picture = self._current_picture()
        if picture is None or self._ring is None or not self._ring.stages:
            painter.setPen(self._theme.text_muted)
            wrapped = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            room = self.rect().adjusted(8, 8, -8, -8)
            painter.drawText(room, wrapped, self._why_empty())
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        picture.paint(painter)
        if self.hasFocus() and 0 <= self._key_hit < len(self.hits()):
            picture.paint_key_mark(painter, self.hits()[self._key_hit])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._hit_at(event.position())
        if hit is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(hit)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = self._hit_at(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if hit else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count = len(self.hits())
        if count and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            change = 1 if event.key() == Qt.Key.Key_Down else -1
            self._key_hit = (self._key_hit + change) % count if self._key_hit >= 0 else 0
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and 0 <= self._key_hit < count:
            self._choose(self.hits()[self._key_hit])
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            hit = self._hit_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tip(hit.help) if hit else "", self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QEvent) -> None:
        self._frame = None
        self._picture = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._frame = None
            self._picture = None
            self.updateGeometry()

    def _why_empty(self) -> str:
        if self._history is None or self._ring is None:
            return tr("Open or run a recording to see its ring")
        why = self._history.structure.unknown
        return tr("No ring is known here: {why}", why=why) if why else tr("No ring is known in this CTA.")

    def _refresh(self) -> None:
        self._picture = None
        history = self._history
        before = self._ring
        self._ring = None
        if history is not None and history.steps:
            self._ring = ring(history, self._step, self._report, before.name if before else None)
            if before is None or (len(before.stages), before.title) != (len(self._ring.stages), self._ring.title):
                self._frame = None
        self.setAccessibleDescription(self._ring.summary() if self._ring else "")
        self.update()

    def _current_picture(self) -> RingPicture | None:
        if self._ring is None or self._history is None:
            return None
        if self._picture is None:
            if self._frame is None:
                bounds = Box(0.0, 0.0, float(self.width()), float(self.height()))
                self._frame = RingFrame(self._largest_fit(bounds), bounds)
            self._picture = RingPicture(self._ring, self._theme, RingShapes(self._ring, self._frame))
        return self._picture

    def _largest_fit(self, bounds: Box) -> TextSizes:
        """The largest text at which the ring keeps its share of the pane; the smallest if none does."""
        assert self._history is not None
        assert self._ring is not None
        trace, stages = self._history.trace, len(self._ring.stages)
        stuck = owing_findings(self._report)
        owed = frozenset(
            trace.barriers[trace.barrier_index[name]].kind for name in stuck if name in trace.barrier_index
        )
        smallest = smallest_text(self)
        sizes = [
            TextSizes(self.font(), scale, trace, self._ring, self._last_tile, owed, smallest, compact)
            for compact in ((False, True) if smallest else (False,))
            for scale in FONT_SCALES
        ]
        share = RING_SHARE - SHARE_PER_STAGE * stages
        least = share * min(bounds.width, bounds.height)
        return next((size for size in sizes if size.lay_out(bounds).outer >= least), sizes[-1])

    def _hit_at(self, point: QPointF) -> Hit | None:
        """The topmost thing under a point: what is painted last lies on top."""
        return next((hit for hit in reversed(self.hits()) if hit.path.contains(point)), None)

    def _choose(self, hit: Hit) -> None:
        history, shown = self._history, self._ring
        if history is None or shown is None:
            return
        trace = history.trace
        if hit.kind == "barrier":
            step = barrier_step(history, trace.barrier_index[hit.lane], self._step)
        elif hit.kind == "agent":
            step = agent_step(history, trace.agent_index[hit.lane], self._step)
        else:
            step = stage_step(history, shown.cta, hit.stage, self._step, shown.name)
        if step is not None:
            self.focus_requested.emit(Focus(step, hit.lane))
