"""The program of a recording, laid out again from the parameters it carries."""

from __future__ import annotations

from visualizer.programs.program import Program, ProgramError
from visualizer.programs.registry import rebuild_program
from visualizer.recording.trace import Trace


def program_of(trace: Trace) -> Program | None:
    """The built-in program that made the recording, with its fault; None for others, if the tables differ, or if the
    recording is a window, whose agents do not start where the program's do."""
    meta = trace.meta
    if meta.window or not isinstance(meta.config.get("fault"), str | None):
        return None
    try:
        program = rebuild_program(meta.program, meta.config)
    except ProgramError:
        return None
    if program is None:
        return None
    same = {b.name for b in program.barriers} == set(trace.barrier_index)
    same &= {a.agent.name for a in program.agents} <= set(trace.agent_index)
    return program if same and tuple(b.name for b in program.barriers) == tuple(trace.barrier_index) else None
