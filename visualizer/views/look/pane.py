"""Pane: what every pane of the window can do, so that the window can treat them alike.

A pane is a pure picture of (recording, focus). It never keeps a step of its own: a click asks for a new focus, and the
window answers with `set_focus` to all panes.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.theme import Theme


@runtime_checkable
class Pane(Protocol):
    """A QWidget that shows one recording at one focus."""

    focus_requested: Any
    """Qt signal of one object, the Focus a click asks for."""

    def set_history(self, history: History | None) -> None:
        """Show this recording; None shows nothing. A `set_focus` follows."""

    def set_focus(self, focus: Focus) -> None:
        """Show the state after event `focus.step`; `focus.lane` is the selected lane's key or None."""

    def set_theme(self, theme: Theme) -> None:
        """Draw in these colours from now on."""
