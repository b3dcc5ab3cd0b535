"""The program of a recording, laid out again from the parameters it carries: no longer one than its events let expect,
since a file may state any number."""

from __future__ import annotations

from visualizer.programs.errors import ProgramError
from visualizer.programs.length import at_most
from visualizer.programs.program import Program
from visualizer.programs.registry import rebuild_program
from visualizer.recording.trace import Trace

_SHORT, _OPERATIONS_PER_EVENT = 200_000, 4
"""A run that hung at its beginning has few events of its program, which is laid out all the same if it is not long."""


def program_of(trace: Trace) -> Program | None:
    """The built-in program that made the recording, with its fault; None for others, if the tables differ, if the
    recording is a window, whose agents do not start where the program's do, or if it has hardly any of the program.
    """
    meta = trace.meta
    if meta.window or not isinstance(meta.config.get("fault"), str | None):
        return None
    try:
        with at_most(_SHORT + _OPERATIONS_PER_EVENT * len(trace)):
            program = rebuild_program(meta.program, meta.config)
    except ProgramError:
        return None
    if program is None:
        return None
    same = {b.name for b in program.barriers} == set(trace.barrier_index)
    same &= {a.agent.name for a in program.agents} <= set(trace.agent_index)
    return program if same and tuple(b.name for b in program.barriers) == tuple(trace.barrier_index) else None
