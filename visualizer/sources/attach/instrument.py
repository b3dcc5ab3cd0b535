"""What a session asks of the instrument: kernels that record, and what their logs say. The session knows neither."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import LogLayout
from visualizer.sources.attach.recorded_launch import RecordedLaunch


@dataclass(frozen=True, slots=True)
class Twin:
    """A kernel's instrumented copy, ready to be loaded."""

    cubin: bytes
    entry: str
    variables: tuple[tuple[str, str], ...]
    """Space and name of what it shares with the original: "const", "global", or "initial", a global one that no kernel
    writes, so that the twin may do without the original's."""
    notes: tuple[str, ...] = ()  # what a reader of the recording should know: sites dropped, spills
    detail: object = field(default=None, repr=False)  # the instrument's own


class Instrument(Protocol):
    """Makes twins and reads their logs. Called from several threads."""

    def twin(self, kernel: Kernel, shape: Shape) -> Twin:
        """SourceError if the kernel cannot be instrumented, with the reason."""

    def layout(self, twin: Twin, shape: Shape) -> LogLayout:
        """Where what is in a launch's log. SourceError if it would be too large."""

    def progress(self, twin: Twin, layout: LogLayout, launch: RecordedLaunch) -> int:
        """A number that changes with every record that is made; 0 before the first."""

    def trace(self, twin: Twin, layout: LogLayout, launch: RecordedLaunch, ending: Ending) -> Trace:
        """What the log says now. SourceError if it says nothing."""
