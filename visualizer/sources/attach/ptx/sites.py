"""Sites: the instructions of a kernel that record, and those that could not."""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.recording.tables import Frame
from visualizer.sources.attach.ptx.forms import Form


@dataclass(frozen=True, slots=True)
class Site:
    """One instruction that records."""

    number: int  # in its records, from 1
    form: Form
    opcode: str
    operands: tuple[str, ...]
    guard: str  # "@p", "@!p" or ""
    line: int  # of the PTX that `Instrumented` shows, from 1
    stack: tuple[Frame, ...]  # innermost first; (): the PTX tells no lines
    spins: bool = False  # a wait in a loop that does nothing else: only the first failure is recorded
    tensor_map: int | None = None  # bytes from the first parameter to the copy's tensor map; None: found at run time

    array: str = ""  # of an mbarrier.init: what the source calls the array that it belongs to

    @property
    def title(self) -> str:
        """What it is called: its form, or the name that it gives."""
        return self.operands[-1] if self.form.marks else self.form.name

    @property
    def is_multicast(self) -> bool:
        return ".multicast" in self.opcode


@dataclass(frozen=True, slots=True)
class Dropped:
    """An instruction that does not record although its level asks for it."""

    opcode: str
    line: int
    reason: str
