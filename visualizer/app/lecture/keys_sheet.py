"""The ? sheet of lecture mode, from its registry."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from visualizer.app.commands.command import Registry
from visualizer.language import tr


def keys_sheet(parent: QWidget, registry: Registry) -> QDialog:
    """Keys and what they do, in the stage's own large type; any key that closes a dialog closes it."""
    sheet = QDialog(parent)
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    sheet.setWindowTitle(tr("Keys of lecture mode"))
    rows = "".join(
        f"<tr><td><b>{escape(' '.join(command.keys))}</b>&nbsp;&nbsp;</td><td>{escape(tr(command.help))}</td></tr>"
        for command in registry
    )
    text = QTextBrowser(accessibleName=sheet.windowTitle())
    text.setHtml(f"<table>{rows}</table>")
    layout = QVBoxLayout(sheet)
    layout.addWidget(text)
    sheet.resize(parent.size() * 0.6)
    return sheet
