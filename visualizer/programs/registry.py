"""The programs that `--program NAME|FILE.py` can choose, with or without a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from visualizer.language import tr
from visualizer.programs.attention import NAME as ATTENTION
from visualizer.programs.attention import attention
from visualizer.programs.baseline import NAME as BASELINE
from visualizer.programs.baseline import baseline
from visualizer.programs.cluster import NAME as CLUSTER
from visualizer.programs.cluster import cluster
from visualizer.programs.cp_async import NAME as CP_ASYNC
from visualizer.programs.cp_async import cp_async
from visualizer.programs.faults import faulty_program, find_fault
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.lesson import lesson
from visualizer.programs.load import is_file_name, load_program
from visualizer.programs.parameters import PARAMETERS, LessonConfig, ProgramError
from visualizer.programs.program import Program


def _baseline(config: LessonConfig) -> Program:
    _refuse_parameters(BASELINE, config)
    return baseline()


def _cluster(config: LessonConfig) -> Program:
    _refuse_parameters(CLUSTER, config)
    return cluster()


_SHARED_PARAMETERS: Mapping[str, Sequence[str]] = {
    CP_ASYNC: ("stages", "tiles", "tile_rows", "tile_columns"),
    ATTENTION: ("tiles", "tile_rows", "tile_columns"),
}
"""Those of the lesson's parameters that another program has too."""


def _cp_async(config: LessonConfig) -> Program:
    _refuse_parameters(CP_ASYNC, config, allowed=_SHARED_PARAMETERS[CP_ASYNC])
    return cp_async(config)


def _attention(config: LessonConfig) -> Program:
    _refuse_parameters(ATTENTION, config, allowed=_SHARED_PARAMETERS[ATTENTION])
    return attention(config)


PROGRAMS: Mapping[str, Callable[[LessonConfig], Program]] = {
    LESSON: lesson,
    BASELINE: _baseline,
    CLUSTER: _cluster,
    CP_ASYNC: _cp_async,
    ATTENTION: _attention,
}
"""Name -> the function that lays the program out with given parameters."""


def find_program(
    name_or_path: str | None = None, config: LessonConfig | None = None, fault: str | None = None
) -> Program:
    """The built-in program or the user's FILE.py, with the fault of this id or name.

    None: the program that the fault is told of, or the lesson. `config` holds the lesson's parameters. ProgramError
    says which of the three does not fit.
    """
    config = config or LessonConfig()
    if name_or_path is None:
        name_or_path = LESSON if fault is None else find_fault(fault).base
    if is_file_name(name_or_path):
        _refuse_parameters(name_or_path, config)
        if fault is not None:
            raise ProgramError(
                tr(
                    "--fault changes {lesson} or {baseline}; write the mistake into {name_or_path} instead",
                    lesson=LESSON,
                    baseline=BASELINE,
                    name_or_path=name_or_path,
                )
            )
        program = load_program(Path(name_or_path))
        if program.name in PROGRAMS:
            raise ProgramError(
                tr(
                    "{name_or_path}:1: the program calls itself {name!r}, which is a built-in's name",
                    name_or_path=name_or_path,
                    name=program.name,
                )
            )
        return program
    if name_or_path not in PROGRAMS:
        known = ", ".join(sorted(PROGRAMS))
        raise ProgramError(
            tr(
                "--program: there is no {name_or_path!r}; known are {known}, and files that end in .py",
                name_or_path=name_or_path,
                known=known,
            )
        )
    if fault is None:
        return PROGRAMS[name_or_path](config)
    if name_or_path not in (LESSON, BASELINE):
        raise ProgramError(
            tr(
                "--fault changes {lesson} or {baseline}; --program {name_or_path} has no faults",
                lesson=LESSON,
                baseline=BASELINE,
                name_or_path=name_or_path,
            )
        )
    if name_or_path != LESSON:
        _refuse_parameters(name_or_path, config)
    return faulty_program(name_or_path, find_fault(fault), config)


def rebuild_program(name: str, config: Mapping[str, Any]) -> Program | None:
    """The built-in program that a recording's meta names, with its parameters and fault; None if it is no built-in.

    ProgramError if the parameters are not the program's own.
    """
    fault = config.get("fault")
    if name == LESSON:
        return find_program(name, LessonConfig.from_dict(config), fault)
    if name in _SHARED_PARAMETERS:
        shared = {key: config[key] for key in _SHARED_PARAMETERS[name] if key in config}
        return find_program(name, LessonConfig.from_dict(shared), fault)
    return find_program(name, None, fault) if name in PROGRAMS else None


def _refuse_parameters(program: str, config: LessonConfig, allowed: Sequence[str] = ()) -> None:
    """A parameter that the program would ignore is a mistake, not a wish."""
    default = LessonConfig()
    for parameter in PARAMETERS:
        if parameter.name not in allowed and getattr(config, parameter.name) != getattr(default, parameter.name):
            raise ProgramError(
                tr(
                    "{option} is a parameter of {lesson}; --program {program} does not have it",
                    option=parameter.option,
                    lesson=LESSON,
                    program=program,
                )
            )
