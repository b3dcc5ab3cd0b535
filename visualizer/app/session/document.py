"""The recording in the window: its History, where it is saved, and whether closing it would lose anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from visualizer.diagnosis.report import Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History


@dataclass(frozen=True, eq=False)
class Document:
    """`path` is None for a recording that was never saved; `note` is something the status bar should say about it.

    `report` is None for a recording that was not diagnosed. While `read` is False the history is not built, and only
    its lanes can be shown at once.
    """

    history: History
    path: Path | None
    saved: bool
    note: str = ""
    report: Report | None = None
    read: bool = True
    awaits_diagnosis: bool = False
    """Its diagnosis follows once it is shown."""
    focus: Focus | None = None
    """Where to look first, if the recording was opened by an address."""
    entries: tuple[Any, ...] = ()
    """What a person says of the structure, which `history` follows; entries as in docs/structure.md."""

    @property
    def needs_diagnosis(self) -> bool:
        """Whether the diagnosis should be seen at once: the run did not end well, or something is wrong with it."""
        if self.report is None:
            return False
        return self.report.ended != "completed" or any(f.severity == "error" for f in self.report.findings)

    @property
    def title(self) -> str:
        """What the title bar calls it."""
        return self.path.name if self.path else f"{self.history.trace.meta.program} ({self._source})"

    @property
    def place(self) -> str:
        """The file that it is in; "not saved", or "" where there is nothing to save, as of a lecture's step."""
        if self.path is None:
            return "" if self.saved else tr("not saved")
        return str(self.path)

    @property
    def would_be_lost(self) -> bool:
        """A run on a GPU never comes back; a simulation does from its seed, an import from its file"""
        return not self.saved and self._source not in ("simulator", "import")

    def saved_as(self, path: Path) -> Document:
        return replace(self, path=path, saved=True)

    @property
    def _source(self) -> str:
        return str(self.history.trace.meta.source.get("kind", "recording"))
