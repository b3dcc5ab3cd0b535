"""The critical path over the timeline: a bar along each lane that held the range up, and a line at each hand-over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from visualizer.language import tr
from visualizer.recording.trace import Trace
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, draw_rects
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.diagnosis.statistics.critical_path import CriticalPath

_THICK = 4.0
_THIN = 2.0


class CriticalPathOverlay(Painted, QWidget):
    """Lies over the timeline's viewport and lets the mouse through; repainted with it."""

    def __init__(self, timeline: TimelineWidget) -> None:
        super().__init__(timeline.viewport())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(tr("Critical path"))
        self._timeline = timeline
        self._theme: Theme = load_theme("dark")
        self._path: CriticalPath | None = None
        self._names: list[str] = []
        timeline.viewport().installEventFilter(self)
        self.resize(timeline.viewport().size())
        self.hide()

    def set_path(self, path: CriticalPath | None, trace: Trace | None) -> None:
        """Show the path of the recording in the timeline; None shows none."""
        self._path = path if path is not None and len(path) else None
        self._names = [agent.name for agent in trace.agents] if trace is not None else []
        self.setVisible(self._path is not None)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.resize(self._timeline.viewport().size())
        return False

    def paint(self, painter: QPainter) -> None:
        scene, path = self._timeline.scene, self._path
        if scene is None or path is None:
            return
        rects = self.rectangles()
        painter.setClipRect(scene.frame.lanes)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(brush(self._theme.panel))
        draw_rects(painter, rects + np.array([-1.0, -1.0, 2.0, 2.0]))
        painter.setBrush(brush(self._theme.accent))
        draw_rects(painter, rects)

    def rectangles(self) -> np.ndarray:
        """The path in the view, shape (n, 4): a bar under each of its stretches, then the hand-overs."""
        scene, path = self._timeline.scene, self._path
        if scene is None or path is None:
            return np.empty((0, 4))
        view, frame = scene.view, scene.frame
        rows = slice(
            int(np.searchsorted(path.end, view.start)), int(np.searchsorted(path.begin, view.end, side="right"))
        )
        bottoms = np.full(len(self._names), np.nan)
        agents = path.agent[rows]
        for agent in np.unique(agents).tolist():
            row = scene.rows_shown.row_of(self._names[agent])
            if row is not None:
                bottoms[agent] = scene.top(row) + scene.height(row)
        y = bottoms[agents] - _THICK - 1
        left = np.clip(view.pixels(path.begin[rows]), -_THICK, view.width + _THICK) + frame.lanes.left()
        right = np.clip(view.pixels(path.end[rows]), -_THICK, view.width + _THICK) + frame.lanes.left()
        bars = np.column_stack((left, y, np.maximum(right - left, _THIN), np.full(len(y), _THICK)))
        top, bottom = np.minimum(y[:-1], y[1:]), np.maximum(y[:-1], y[1:])
        turns = np.column_stack((left[1:] - _THIN / 2, top, np.full(len(top), _THIN), bottom - top + _THICK))
        rects = np.concatenate((bars, turns[bottom > top]))
        return rects[np.isfinite(rects).all(axis=1)]
