"""Going from pane to pane by key: the keyboard's way to what a mouse would click into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow


def go_to_pane(window: MainWindow, direction: int) -> None:
    """Give the keyboard to the open pane after (+1) or before (-1) the one that has it; the timeline is one of them."""
    places: list[QWidget] = [window.timeline, *(dock for dock in window.docks.all() if not dock.isHidden())]
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
