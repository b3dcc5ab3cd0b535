"""Showing a sheet: a dialog over the window that is gone when it is closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog


def show_sheet(sheet: QDialog) -> None:
    """Show it no larger than the window it belongs to."""
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    sheet.resize(sheet.size().boundedTo(sheet.parentWidget().size()))
    sheet.show()
