"""What the session asks of the instrument: PTX that records, and what its log says. The session knows neither."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Launch, Shape


@dataclass(frozen=True, slots=True)
class Twin:
    """A kernel's instrumented copy, ready to be loaded."""

    cubin: bytes
    entry: str
    control: str  # the symbol of its control block
    variables: tuple[tuple[str, str], ...]  # ("global" or "const", name) of what it shares with the original
    notes: tuple[str, ...] = ()  # what a reader of the recording should know: sites dropped, spills
    detail: object = field(default=None, repr=False)  # the instrument's own


class Instrument(Protocol):
    """Makes twins and reads their logs. Called from several threads."""

    def twin(self, kernel: Kernel, shape: Shape) -> Twin:
        """SourceError if the kernel cannot be instrumented, with the reason."""

    def log_bytes(self, twin: Twin, shape: Shape) -> int:
        """Room for a launch's log."""

    def control_block(self, twin: Twin, shape: Shape) -> tuple[bytes, int]:
        """What the control block holds, and the byte at which the log's 64-bit address belongs."""

    def records(self, twin: Twin, launch: Launch) -> int:
        """A number that changes with every record that is made."""

    def trace(self, twin: Twin, launch: Launch, ending: Ending) -> Trace:
        """What the log says now. SourceError if it says nothing."""
