"""The programs that `--program NAME` can choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig, ProgramError
from visualizer.programs.program import Program

PROGRAMS: Mapping[str, Callable[[LessonConfig], Program]] = {"lesson": lesson}
"""Name -> the function that lays the program out with given parameters."""


def find_program(name: str) -> Callable[[LessonConfig], Program]:
    """The program called `name`; ProgramError names the known ones if there is none."""
    try:
        return PROGRAMS[name]
    except KeyError:
        raise ProgramError(f"--program: there is no {name!r}; known are {', '.join(sorted(PROGRAMS))}") from None
