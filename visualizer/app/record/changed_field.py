"""What was changed on the experiment panel is in bold."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def show_changed(field: QWidget, changed: bool) -> None:
    """Set the field in bold if its value is not the usual one."""
    field.setProperty("changed", changed)
    field.style().unpolish(field)
    field.style().polish(field)
