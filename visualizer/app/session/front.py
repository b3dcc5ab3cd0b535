"""Bringing a pane to where it is seen, whatever dock it stands in and whichever tab covers it."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget, QWidget


def bring_to_front(pane: QWidget) -> None:
    """Open the dock that `pane` is or stands in, before the others of its tabs."""
    dock: QWidget | None = pane
    while dock is not None and not isinstance(dock, QDockWidget):
        dock = dock.parentWidget()
    if dock is not None:
        dock.show()
        dock.raise_()
