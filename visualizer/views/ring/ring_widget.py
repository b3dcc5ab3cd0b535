"""The ring pane: finds the text size at which the ring fits, and turns clicks and keys into focus requests.

What is shown comes from ring_model, where from ring_layout; ring_paint_widget puts the two together.
"""

from __future__ import annotations

import itertools

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from visualizer.diagnosis.report import Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.pane_look_widget import smallest_text
from visualizer.views.look.plain_text_widget import tip
from visualizer.views.look.ring_choice_widget import RingChoice
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.ring.ring_frame_widget import RingFrame, TextSizes
from visualizer.views.ring.ring_layout import Box
from visualizer.views.ring.ring_model import known_ring, ring, too_many
from visualizer.views.ring.ring_paint_widget import RingPicture
from visualizer.views.ring.ring_picture import Ring
from visualizer.views.ring.ring_shapes_widget import Hit, RingShapes
from visualizer.views.words.context import agent_step, barrier_step, place_step, ring_at, rings_at, stage_place
from visualizer.views.words.findings import owing_findings

FONT_SCALES = tuple(2.2 - 0.1 * k for k in range(16))
"""Text sizes tried, largest first, over the widget's font."""
LEGIBLE = 0.75
"""The smallest text over the widget's font."""
RING_SHARE, SHARE_PER_STAGE = 0.32, 0.01
"""Least outer radius over the ring's shorter side at which a text size is taken; less with more cards around it."""
SIDE_BY_SIDE = 22
"""Line heights that each of several rings side by side is wide, at least."""


class RingWidget(Painted, QWidget):
    """The stages as a ring with cursors and barriers, at the focused step; several rings side by side where wide."""

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
        self._rings: tuple[Ring, ...] = ()
        self._too_many = ""
        self._frames: tuple[RingFrame, ...] = ()
        self._pictures: tuple[RingPicture, ...] = ()
        self._followed: str | None = None
        self._key_hit = -1
        self._last_tile = ""
        self.choice = RingChoice(self)
        self.choice.activated.connect(self._refresh)

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
        last = int(history.columns.tile.max(initial=0)) if history is not None else 0
        self._last_tile = f"tile {last}"
        self._step = 0
        self._key_hit = -1
        self._followed = None
        self._frames = ()
        self._refresh()

    def set_focus(self, focus: Focus) -> None:
        self._step = focus.step
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._pictures = ()
        self.update()

    def hits(self) -> tuple[Hit, ...]:
        """Everything that can be clicked, in the order the arrow keys visit it."""
        return tuple(hit for picture in self.pictures() for hit in picture.shapes.hits)

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self._theme.panel)
        if not self.pictures():
            painter.setPen(self._theme.text_muted)
            wrapped = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            room = self.rect().adjusted(8, 8, -8, -8)
            painter.drawText(room, wrapped, self._why_empty())
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for picture in self.pictures():
            picture.paint(painter)
        if self.hasFocus() and 0 <= self._key_hit < len(self.hits()):
            self.pictures()[0].paint_key_mark(painter, self.hits()[self._key_hit])

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
        self._frames = ()
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._frames = ()
            self._refresh()
            self.updateGeometry()

    def _why_empty(self) -> str:
        if self._too_many:
            return self._too_many
        if self._history is None or not self._rings:
            return tr("Open or run a recording to see its ring")
        why = self._history.structure.unknown
        return tr("No ring is known here: {why}", why=why) if why else tr("No ring is known in this CTA.")

    def _refresh(self) -> None:
        self._pictures = ()
        history, before = self._history, self._rings
        self._rings, self._too_many = (), ""
        if history is not None and history.steps:
            names = rings_at(history, self._step)
            self.choice.offer(names)
            self._followed = ring_at(history, self._step, self._followed)
            wide = self.width() >= len(names) * SIDE_BY_SIDE * self.fontMetrics().height()
            shown = self.choice.shown(self._followed, room_for_all=wide)
            self._too_many = too_many(known_ring(history, self._step, name) for name in shown)
            if not self._too_many:
                self._rings = tuple(ring(history, self._step, self._report, name) for name in shown)
        else:
            self.choice.offer(())
        if [_frame_of(one) for one in before] != [_frame_of(one) for one in self._rings]:
            self._frames = ()
        self.setAccessibleDescription(self._too_many or ". ".join(one.summary() for one in self._rings))
        self.update()

    def pictures(self) -> tuple[RingPicture, ...]:
        """What is painted, from left to right; nothing if there are no stages, or too many."""
        if [frame.bounds for frame in self._frames] != self._bounds():
            self._frames = self._pictures = ()  # a hidden pane is told of another size only when it is shown
        if not self._pictures and any(one.stages for one in self._rings):
            if not self._frames:
                self._frames = tuple(map(self._frame, self._rings, self._bounds()))
            self._pictures = tuple(
                RingPicture(one, self._theme, RingShapes(one, frame))
                for one, frame in zip(self._rings, self._frames, strict=True)
            )
        return self._pictures

    def _bounds(self) -> list[Box]:
        """Where each ring goes: side by side, below the choice if there is one."""
        top = 0.0 if self.choice.isHidden() else float(self.choice.height())
        width = self.width() / max(len(self._rings), 1)
        return [Box(n * width, top, width, max(self.height() - top, 1.0)) for n in range(len(self._rings))]

    def _frame(self, shown: Ring, bounds: Box) -> RingFrame:
        """The largest text at which the ring keeps its share of its room, with all cards, with brief ones, or with
        those of two stages; the smallest if none does."""
        assert self._history is not None
        trace, stages = self._history.trace, len(shown.stages)
        stuck = owing_findings(self._report)
        owed = frozenset(
            trace.barriers[trace.barrier_index[name]].kind for name in stuck if name in trace.barrier_index
        )
        smallest = smallest_text(self) or round(LEGIBLE * self.fontInfo().pixelSize())
        share = RING_SHARE - SHARE_PER_STAGE * stages
        least = share * min(bounds.width, bounds.height)
        for few, compact in itertools.product((False, True), repeat=2):
            for scale in FONT_SCALES:
                sizes = TextSizes(self.font(), scale, trace, shown, self._last_tile, owed, smallest, compact, few)
                layout = sizes.lay_out(bounds)
                if layout.apart and layout.outer >= least:
                    return RingFrame(sizes, bounds)
        return RingFrame(sizes, bounds)

    def _hit_at(self, point: QPointF) -> Hit | None:
        """The topmost thing under a point: what is painted last lies on top."""
        return next((hit for hit in reversed(self.hits()) if hit.path.contains(point)), None)

    def _choose(self, hit: Hit) -> None:
        history = self._history
        assert history is not None
        trace = history.trace
        if hit.kind == "barrier":
            step = barrier_step(history, trace.barrier_index[hit.lane], self._step)
        elif hit.kind == "agent":
            step = agent_step(history, trace.agent_index[hit.lane], self._step)
        else:
            shown = next(picture.ring for picture in self.pictures() if hit in picture.shapes.hits)
            step = place_step(history, stage_place(history, shown.cta, hit.stage, shown.name), self._step)
        if step is not None:
            self.focus_requested.emit(Focus(step, hit.lane))


def _frame_of(shown: Ring) -> tuple[int, str]:
    """What the layout depends on, and the ring's title."""
    return len(shown.stages), shown.title
