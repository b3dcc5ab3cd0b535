"""About: the version of phasescope and everything the recording says of itself, as text that can be copied."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from visualizer import __version__
from visualizer.app.document import Document


def about_sheet(parent: QWidget, document: Document | None) -> QDialog:
    """The sheet as a dialog, ready to be shown."""
    sheet = QDialog(parent)
    sheet.setWindowTitle("About phasescope")
    text = QPlainTextEdit(about_text(document), readOnly=True, accessibleName="About phasescope")
    layout = QVBoxLayout(sheet)
    layout.addWidget(text)
    sheet.resize(parent.fontMetrics().averageCharWidth() * 90, parent.fontMetrics().height() * 34)
    return sheet


def about_text(document: Document | None) -> str:
    lines = [f"phasescope {__version__}: time-travel debugger for Hopper (SM90) asynchronous pipelines"]
    if document is None:
        return lines[0]
    meta = document.history.trace.meta
    facts = {
        "file": str(document.path) if document.path else "not saved",
        "program": meta.program,
        "command": meta.command,
        "recorded": meta.created,
        "ended": f"{meta.ending.kind} {meta.ending.detail}".rstrip(),
        "records lost": f"{meta.records_lost}, {meta.events_dropped} events dropped with them",
    }
    lines += ["", *(f"{name}: {value}" for name, value in facts.items() if value)]
    for name in ("config", "source", "clock", "reconcile", "check", "versions"):
        values = getattr(meta, name)
        if values:
            lines += ["", name, *(f"  {key}: {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines)
