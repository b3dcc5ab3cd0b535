"""What a source of recordings is, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from visualizer.programs.load import LoadCancelled
from visualizer.programs.program import Parameter, Program
from visualizer.programs.registry import find_program, parameters_of
from visualizer.recording.trace import Trace
from visualizer.sources.errors import Cancelled
from visualizer.sources.option import Option
from visualizer.sources.progress import CancelCheck, Progress


@dataclass(frozen=True)
class Request:
    """A program, and how to record it. Only what was asked for stands in the mappings."""

    program: str | None = None  # a built-in's name or FILE.py; None: what --fault or nothing at all leads to
    parameters: Mapping[str, Any] = field(default_factory=dict)  # by name, as the program declares them
    fault: str | None = None  # id or name
    options: Mapping[str, Any] = field(default_factory=dict)  # by Option.name, among those of the source

    def lay_out(self, cancelled: CancelCheck | None = None) -> Program:
        """The program, operation by operation, for sources that need it so; made once. ProgramError if it cannot be,
        Cancelled if a file is still running when told to stop."""
        if self.laid_out is None:
            try:
                program = find_program(self.program, self.parameters, self.fault, cancelled or (lambda: False))
            except LoadCancelled:
                raise Cancelled from None
            self.__dict__["_laid_out"] = program
        assert self.laid_out is not None
        return self.laid_out

    @property
    def laid_out(self) -> Program | None:
        """The program if a source needed it: a file may read differently by now, and a long program takes its time."""
        return self.__dict__.get("_laid_out")


@dataclass(frozen=True, slots=True)
class Source:
    """One way to come by a recording. A new one is a folder with a `source.py` that makes this, and a line in
    registry.py."""

    name: str  # --source NAME
    title: str  # a message: what the window calls it
    options: tuple[Option, ...]
    check: Callable[[Request], None]
    """Refuses, before anything runs, what cannot be recorded so: SourceError or ProgramError, naming the option. The
    window asks it at every change, so it must be quick; it need not find all that is wrong."""
    record: Callable[[Request, Progress | None, CancelCheck | None], Trace]
    """Records what `check` let pass. SourceError or ProgramError if that cannot be, Cancelled if told to stop."""
    parameters: Callable[[str], tuple[Parameter, ...]] = parameters_of
    """What may be set here of the program of this name or path, with the program's own defaults. What else a program
    has is fixed, or asked by options of the source."""
    is_exact: bool = False  # its times are those of a model, so that there is nothing to say about trusting them
