"""Where the timeline looks: the view with zoom, pan, fit and their undo. No Qt."""

from __future__ import annotations

from visualizer.views.timeline.time.scale import View, fit, fit_range

ZOOM_STEP = 1.5
"""One key press or wheel notch."""
PAN_SHARE = 0.2
"""Share of the width that one key press pans."""
EDGE = 24.0
"""Pixels that a focused event keeps from the view's edges."""
_KEPT = 100
_BURST_S = 0.6  # zooms that follow each other so closely are undone together


class Navigation:
    """The view on one recording of `duration` ps, `width` pixels wide."""

    def __init__(self, duration: int, width: int) -> None:
        self.duration = duration
        self.view = fit(duration, width)
        self._shown: tuple[int, int] | None = None  # what `show` was last asked for
        self._undo: list[View] = []
        self._last_zoom = float("-inf")

    def resize(self, width: int) -> None:
        """The range that was asked for, if the view still is the one that shows it; else at the same scale."""
        if self._shown is not None and self.view == self._showing(*self._shown):
            self.view = fit_range(*self._shown, max(width, 1), self.duration)
        else:
            self.view = self.view.resized(max(width, 1), self.duration)

    def zoom(self, factor: float, x: float, now: float) -> None:
        """Zoom about pixel x; `now` (s) tells apart single zooms from a turn of the wheel, which is one to undo."""
        if now - self._last_zoom > _BURST_S:
            self._remember()
        self._last_zoom = now
        self.view = self.view.zoomed(factor, x, self.duration)

    def pan(self, pixels: float) -> None:
        self.view = self.view.panned(pixels, self.duration)

    def fit(self) -> None:
        """Show the whole recording."""
        self._go(fit(self.duration, self.view.width))

    def show(self, begin: int, end: int) -> None:
        """Show begin..end (ps) with something to spare."""
        self._shown = begin, end
        self._go(self._showing(begin, end))

    def centre(self, time: int) -> None:
        self._go(self.view.centred(time, self.duration))

    def move_to(self, time: int) -> None:
        """Put a time in the middle, as a pan does: there is nothing to undo."""
        self.view = self.view.centred(time, self.duration)

    def reveal(self, time: int) -> None:
        """Pan so that a time is in view; nothing moves if it is."""
        if not self.view.contains(time, EDGE):
            self.view = self.view.centred(time, self.duration)

    def undo(self) -> None:
        """Back to the view before the last zoom, fit or centring."""
        if self._undo:
            self.view = self._undo.pop().resized(self.view.width, self.duration)
            self._last_zoom = float("-inf")

    def _showing(self, begin: int, end: int) -> View:
        return fit_range(begin, end, self.view.width, self.duration)

    def _go(self, view: View) -> None:
        if view != self.view:
            self._remember()
            self.view = view
        self._last_zoom = float("-inf")

    def _remember(self) -> None:
        self._undo.append(self.view)
        del self._undo[:-_KEPT]
