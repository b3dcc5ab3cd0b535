"""About: the version of phasescope and everything the recording says of itself, as text that can be copied."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from visualizer import __version__
from visualizer.app.session.document import Document
from visualizer.diagnosis.wording import ending_word
from visualizer.language import recorded, tr


def about_sheet(parent: QWidget, document: Document | None) -> QDialog:
    """The sheet as a dialog, ready to be shown."""
    sheet = QDialog(parent)
    sheet.setWindowTitle(tr("About phasescope"))
    text = QPlainTextEdit(about_text(document), readOnly=True, accessibleName=tr("About phasescope"))
    layout = QVBoxLayout(sheet)
    layout.addWidget(text)
    sheet.resize(parent.fontMetrics().averageCharWidth() * 90, parent.fontMetrics().height() * 34)
    return sheet


def about_text(document: Document | None) -> str:
    lines = [
        tr(
            "phasescope {version}: time-travel debugger for Hopper (SM90) asynchronous pipelines",
            version=__version__,
        )
    ]
    if document is None:
        return lines[0]
    meta = document.history.trace.meta
    facts = {
        tr("file"): document.place,
        tr("program"): meta.program,
        tr("command"): meta.command,
        tr("recorded"): meta.created,
        tr("ended"): f"{ending_word(meta.ending.kind)} {recorded(meta.ending.detail)}".rstrip(),
        tr("events lost"): tr(
            "{lost}: {records_lost} did not fit in the log, {events_dropped} were left out with them",
            lost=meta.events_lost,
            records_lost=meta.records_lost,
            events_dropped=meta.events_dropped,
        ),
    }
    lines += ["", *(f"{name}: {value}" for name, value in facts.items() if value)]
    for name in ("config", "source", "clock", "reconcile", "check", "versions"):
        values = getattr(meta, name)
        if values:
            lines += ["", name, *(f"  {key}: {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines)
