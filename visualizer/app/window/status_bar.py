"""The status bar: what this recording is and how far it can be trusted."""

from __future__ import annotations

from PySide6.QtWidgets import QStatusBar, QWidget

from visualizer.app.session.document import Document
from visualizer.app.work.job import JobRunner
from visualizer.diagnosis.report import Report
from visualizer.diagnosis.report_text import count_text, severities_text
from visualizer.diagnosis.trust.trust import left_out_sentences, trust_detail, trust_sentence
from visualizer.diagnosis.wording import ending_word, sentences
from visualizer.language import recorded, tr
from visualizer.recording.quoting import abridged
from visualizer.recording.tables import Meta
from visualizer.views.look.plain_text_widget import ElidedLabel, PlainLabel, tip

_SENTENCES = frozenset({"note", "window", "trust"})
"""Facts that may be cut off, rather than make a window with large text wider than the screen."""
_NAMES = frozenset({"file", "source"})
"""Those that may be cut off where they are long."""
_NAME_KEPT = 16
"""Characters of a name that stay."""


class RecordingStatus(QStatusBar):
    """One label per fact; a fact that should worry the reader is set off as an alarm."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("The recording in short"))
        self.setSizeGripEnabled(False)
        self._labels: dict[str, PlainLabel] = {}
        for name in ("note", "file", "source", "ending", "findings", "check", "events", "lost", "window", "trust"):
            label = (ElidedLabel if name in _SENTENCES | _NAMES else PlainLabel)(objectName=f"status.{name}")
            if name in _SENTENCES:
                label.setMinimumWidth(1)
            label.hide()
            self._labels[name] = label
            self.addWidget(label)

    def text(self, name: str) -> str:
        return self._labels[name].text()

    def follow(self, jobs: JobRunner) -> None:
        """Say what they are doing while they do it."""
        jobs.progressed.connect(lambda _, what: self.showMessage(tr("{what}…", what=what)))
        jobs.busy_changed.connect(lambda busy: None if busy else self.clearMessage())

    def show_document(self, document: Document) -> None:
        meta = document.history.trace.meta
        ended = meta.ending.kind
        lost = meta.events_lost
        errors = meta.check.get("errors", 0)
        self._set("note", document.note)
        path = document.path
        self._set("file", abridged(path.name) if path else document.place, tooltip=str(path or ""))
        self._set("source", abridged(source_text(meta)), tooltip=source_text(meta))
        self._set("ending", ending_word(ended), alarm=ended != "completed", tooltip=recorded(meta.ending.detail))
        report = document.report
        self._set(
            "findings",
            count_text(report) if report is not None else "",
            alarm=document.needs_diagnosis,
            tooltip=_findings_tooltip(report),
        )
        self._set("check", _check_text(meta), alarm=bool(errors), tooltip=_check_tooltip(meta))
        self._set("events", tr("{events:,} events", events=document.history.steps))
        self._set("lost", tr("{lost:,} events lost", lost=lost), alarm=bool(lost), tooltip=_lost_tooltip(meta))
        self._set("window", sentences(*left_out_sentences(meta.window)))
        self._set("trust", trust_sentence(meta), tooltip=trust_detail(meta))

    def _set(self, name: str, text: str, *, alarm: bool = False, tooltip: str = "") -> None:
        label = self._labels[name]
        label.setText(f"\N{WARNING SIGN} {text}" if alarm else text)
        label.setToolTip(tip("\n".join(line for line in (text, tooltip) if line) if name in _SENTENCES else tooltip))
        if name in _NAMES:
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(text[:_NAME_KEPT]))
        label.setVisible(bool(text))
        label.setProperty("alarm", alarm)
        label.style().unpolish(label)
        label.style().polish(label)


def source_text(meta: Meta) -> str:
    """ "simulator, seed 0", "imported from log.csv", or the GPU's name."""
    source = meta.source
    if source.get("kind") == "import":
        return tr("imported from {name}", name=source.get("file", "?"))
    if source.get("kind") == "simulator":
        return tr("simulator, seed {seed}", seed=source.get("seed", 0))
    return str(source.get("gpu") or source.get("kind", ""))


def _findings_tooltip(report: Report | None) -> str:
    counts = severities_text(report) if report is not None else ""
    return "\n".join(filter(None, (counts, tr("what the diagnosis found; the Diagnosis pane lists it"))))


def _check_text(meta: Meta) -> str:
    """Only a GPU can be wrong: the simulator moves no data."""
    if not meta.check:
        return ""
    return (
        tr("{errors:,} errors", errors=meta.check.get("errors", 0)) if meta.check.get("checked") else tr("not checked")
    )


def _check_tooltip(meta: Meta) -> str:
    return (
        tr("{checked:,} checks, mode {mode}", checked=meta.check.get("checked", 0), mode=meta.check.get("mode", ""))
        if meta.check
        else ""
    )


def _lost_tooltip(meta: Meta) -> str:
    if "unplaced" in meta.window:
        return tr(
            "{records_lost:,} events came before the last ones, which alone were kept; {events_dropped:,} more were"
            " left out because records of other agents of that time are missing",
            records_lost=meta.records_lost,
            events_dropped=meta.events_dropped,
        )
    return tr(
        "{records_lost:,} events did not fit in the log; {events_dropped:,} more were left out"
        " because records of other agents of that time are missing",
        records_lost=meta.records_lost,
        events_dropped=meta.events_dropped,
    )
