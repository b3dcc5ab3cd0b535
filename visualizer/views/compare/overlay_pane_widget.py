"""Both runs over each other, with what they are aligned at, what that means in words, and a key of the colours."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor, Overlay, OverlayError, first_anchor, lay_over
from visualizer.diagnosis.comparison.overlay_text import overlay_head
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.views.charts.chart_key_widget import ChartKey
from visualizer.views.charts.chart_model import Axis, Boxes, Chart, Curve, Rule
from visualizer.views.compare.overlay_anchor_widget import AnchorChoice
from visualizer.views.compare.overlay_model import STATES
from visualizer.views.compare.overlay_widget import OverlayTimeline
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme


class OverlayPane(QWidget):
    """Emits `focus_requested(Focus)` in steps of a. Nothing is worked out before it is first shown."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("One over the other"))
        self.choice = AnchorChoice()
        self.head = PlainLabel(wordWrap=True)
        self.head.setContentsMargins(6, 2, 6, 2)
        self.timeline = OverlayTimeline()
        self.key = ChartKey()
        self._theme: Theme = load_theme("dark")
        self._comparison: Comparison | None = None
        self._names = ("", "")
        self._anchor: Anchor | None = None  # None: the first that both have
        self._focus: Focus | None = None
        self._stale = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.choice)
        layout.addWidget(self.head)
        layout.addWidget(self.timeline, 1)
        below = QVBoxLayout()
        below.setContentsMargins(8, 4, 8, 4)
        below.addWidget(self.key)
        layout.addLayout(below)
        self.choice.chosen.connect(self.align)
        self.timeline.focus_requested.connect(self.focus_requested)

    def set_comparison(self, comparison: Comparison | None, name_a: str = "", name_b: str = "") -> None:
        """Show it, aligned at the first thing that both have; None shows nothing and holds no recording in memory."""
        self._comparison, self._names = comparison, (name_a, name_b)
        self._anchor = self._focus = None
        self.timeline.show_nothing("")
        self.head.clear()
        self._lay_over_when_seen()

    def align(self, anchor: Anchor) -> None:
        """Lay b over a so that this stands at the same moment."""
        self._anchor = anchor
        self._lay_over_when_seen()

    def set_focus(self, focus: Focus) -> None:
        """Show this step of a, and the like step of b."""
        self._focus = focus
        self.timeline.set_focus(focus)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        self.timeline.set_theme(theme)
        self.key.show_chart(_key(), theme)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self._stale:
            self.lay_over()

    def lay_over(self) -> None:
        """Work it out and show it, or the sentence that says why that cannot be."""
        self._stale = False
        comparison = self._comparison
        if comparison is None:
            return
        anchor = self._anchor or first_anchor(comparison)
        self.choice.offer(comparison, anchor)
        try:
            overlay = lay_over(comparison, anchor)
        except OverlayError as error:
            self.head.setText(_names(self._names))
            self.timeline.show_nothing(str(error))
            return
        self._show(comparison, overlay)
        if self._focus is not None:
            self.timeline.set_focus(self._focus)

    def show_for_picture(self, comparison: Comparison, overlay: Overlay, names: tuple[str, str], width: int) -> None:
        """Without what one could press, so wide, and so high that every lane is seen."""
        self._names = names
        self.choice.hide()
        self.timeline.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._show(comparison, overlay)
        self.resize(width, 1)
        self.ensurePolished()
        assert self.timeline.scene is not None
        self.timeline.setFixedHeight(self.timeline.scene.wanted_height)
        self.resize(width, self.layout().totalHeightForWidth(width))

    def _show(self, comparison: Comparison, overlay: Overlay) -> None:
        self.head.setText(f"{_names(self._names)} – {overlay_head(overlay)}")
        self.timeline.show_overlay(comparison, overlay)

    def _lay_over_when_seen(self) -> None:
        self._stale = True
        if self.isVisible():
            self.lay_over()


def _names(names: tuple[str, str]) -> str:
    return tr("a: {a} · b: {b}", a=names[0], b=names[1])


def _key() -> Chart:
    """A chart of nothing, for its key."""
    none = np.empty(0)
    states = [Boxes(tr(word), role, none, none, none, none) for role, word in STATES]
    marks = (
        Curve(tr("not in the same state"), "accent", none, none),
        Rule(tr("moment of alignment"), 0.0, thick=False),
    )
    return Chart("", "", Axis(""), Axis(""), (*states, *marks))
