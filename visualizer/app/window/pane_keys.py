"""Going from pane to pane by key: the keyboard's way to what a mouse would click into."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from visualizer.app.window.layout import Docks


class PaneKeys:
    """Gives the keyboard to one open pane after the other; the timeline is one of them."""

    def __init__(self, timeline: QWidget, docks: Docks) -> None:
        self._timeline, self._docks = timeline, docks

    def next(self) -> None:
        self._go(1)

    def previous(self) -> None:
        self._go(-1)

    def _go(self, direction: int) -> None:
        places: list[QWidget] = [self._timeline, *(dock for dock in self._docks.all() if not dock.isHidden())]
        focused = QApplication.focusWidget()
        here = next((index for index, place in enumerate(places) if _holds(place, focused)), 0)
        place = places[(here + direction) % len(places)]
        place.raise_()
        _entrance(place).setFocus(Qt.FocusReason.ShortcutFocusReason)


def _holds(place: QWidget, focused: QWidget | None) -> bool:
    return focused is not None and (place is focused or place.isAncestorOf(focused))


def _entrance(place: QWidget) -> QWidget:
    """The first thing in a dock that takes the keyboard; the place itself if it does so, or if nothing in it does."""
    if place.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return place
    inside = (child for child in place.findChildren(QWidget) if child.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next((child for child in inside if child.isEnabled() and child.isVisibleTo(place)), place)
