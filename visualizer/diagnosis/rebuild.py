"""The program of a recording, laid out again from the parameters it carries."""

from __future__ import annotations

from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import LessonConfig, ProgramError
from visualizer.programs.program import Program
from visualizer.programs.registry import PROGRAMS, find_program
from visualizer.recording.trace import Trace


def program_of(trace: Trace) -> Program | None:
    """The built-in program that made the recording, with its fault; None for others, if the tables differ, or if the
    recording is a window, whose agents do not start where the program's do."""
    name, config = trace.meta.program, dict(trace.meta.config)
    fault = config.pop("fault", None)
    if trace.meta.window or name not in PROGRAMS or not isinstance(fault, str | None):
        return None
    try:
        parameters = LessonConfig.from_dict(config) if name == LESSON else None
        program = find_program(name, parameters, fault)
    except (ProgramError, TypeError):
        return None
    same = {b.name for b in program.barriers} == set(trace.barrier_index)
    same &= {a.agent.name for a in program.agents} <= set(trace.agent_index)
    return program if same and tuple(b.name for b in program.barriers) == tuple(trace.barrier_index) else None
