"""The status bar: what this recording is and how far it can be trusted."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from visualizer.app.document import Document
from visualizer.diagnosis.trust import left_out_sentences, trust_detail, trust_sentence
from visualizer.trace.tables import Meta
from visualizer.views.diagnosis_model import count_text


class RecordingStatus(QStatusBar):
    """One label per fact; a fact that should worry the reader is set off as an alarm."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._labels: dict[str, QLabel] = {}
        for name in ("note", "file", "source", "ending", "findings", "check", "events", "lost", "window", "trust"):
            label = QLabel(objectName=f"status.{name}")
            label.hide()
            self._labels[name] = label
            self.addWidget(label)

    def text(self, name: str) -> str:
        return self._labels[name].text()

    def show_document(self, document: Document) -> None:
        meta = document.history.trace.meta
        ended = meta.ending.kind
        lost = meta.records_lost + meta.events_dropped
        errors = meta.check.get("errors", 0)
        self._set("note", document.note)
        path = document.path
        self._set("file", path.name if path else "not saved", tooltip=str(path or ""))
        self._set("source", source_text(meta))
        self._set("ending", ended, alarm=ended != "completed", tooltip=meta.ending.detail)
        report = document.report
        self._set(
            "findings",
            count_text(report) if report is not None else "",
            alarm=document.needs_diagnosis,
            tooltip="what the diagnosis found; the Diagnosis pane lists it",
        )
        self._set("check", _check_text(meta), alarm=bool(errors), tooltip=_check_tooltip(meta))
        self._set("events", f"{document.history.steps:,} events")
        self._set("lost", f"{lost:,} lost" if lost else "0 lost", alarm=bool(lost), tooltip=_lost_tooltip(meta))
        self._set("window", " ".join(left_out_sentences(meta.window)))
        self._set("trust", trust_sentence(meta), tooltip=trust_detail(meta))

    def _set(self, name: str, text: str, *, alarm: bool = False, tooltip: str = "") -> None:
        label = self._labels[name]
        label.setText(f"\N{WARNING SIGN} {text}" if alarm else text)
        label.setToolTip(tooltip)
        label.setVisible(bool(text))
        label.setProperty("alarm", alarm)
        label.style().unpolish(label)
        label.style().polish(label)


def source_text(meta: Meta) -> str:
    """ "simulator, seed 0", or the GPU's name."""
    source = meta.source
    if source.get("kind") == "simulator":
        return f"simulator, seed {source.get('seed', 0)}"
    return str(source.get("gpu") or source.get("kind", ""))


def _check_text(meta: Meta) -> str:
    """Only a GPU can be wrong: the simulator moves no data."""
    if not meta.check:
        return ""
    return f"{meta.check.get('errors', 0):,} errors" if meta.check.get("checked") else "not checked"


def _check_tooltip(meta: Meta) -> str:
    return f"{meta.check.get('checked', 0):,} checks, mode {meta.check.get('mode', '')}" if meta.check else ""


def _lost_tooltip(meta: Meta) -> str:
    return (
        f"{meta.records_lost:,} records did not fit in the log;"
        f" {meta.events_dropped:,} more were left out because records of other agents of that time are missing"
    )
