"""The programs that `--program NAME|FILE.py` can choose, with or without a fault, and what may be set of each.

Parameters come and go as plain mappings, by name; what is left out is as in the lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visualizer.language import tr
from visualizer.programs import blackwell, gemm, pingpong
from visualizer.programs.attention import NAME as ATTENTION
from visualizer.programs.attention import attention
from visualizer.programs.baseline import NAME as BASELINE
from visualizer.programs.baseline import baseline
from visualizer.programs.cluster import NAME as CLUSTER
from visualizer.programs.cluster import cluster
from visualizer.programs.cp_async import NAME as CP_ASYNC
from visualizer.programs.cp_async import cp_async
from visualizer.programs.errors import ProgramError
from visualizer.programs.faults import (
    FAULTS,
    check_fields,
    check_fit,
    faulty_program,
    find_fault,
    with_fault,
    without_fields,
)
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.lesson import lesson
from visualizer.programs.load import is_file_name, load_program
from visualizer.programs.multicast import NAME as MULTICAST
from visualizer.programs.multicast import multicast
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.programs.program import Parameter, Program


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A program of ours: how it is laid out, and which parameters it has, all of them the lesson's."""

    lay_out: Callable[[LessonConfig], Program]
    parameters: tuple[Parameter, ...] = ()
    faults: tuple[str, ...] = ()
    """Those that it can have; of the lesson's and the baseline's each says itself what it needs."""


_OF_KERNELS = ("F01", "F03", "F06", "F20")
"""What the kernels of the same names can be compiled with."""


def _named(*names: str) -> tuple[Parameter, ...]:
    return tuple(parameter for parameter in PARAMETERS if parameter.name in names)


PROGRAMS: Mapping[str, BuiltIn] = {
    LESSON: BuiltIn(lesson, PARAMETERS, faults=tuple(FAULTS)),
    BASELINE: BuiltIn(lambda config: baseline(), faults=tuple(FAULTS)),
    CLUSTER: BuiltIn(lambda config: cluster()),
    CP_ASYNC: BuiltIn(cp_async, _named("stages", "tiles", "tile_rows", "tile_columns")),
    ATTENTION: BuiltIn(attention, _named("tiles", "tile_rows", "tile_columns"), (*_OF_KERNELS, "F48")),
    MULTICAST: BuiltIn(
        multicast,
        _named("stages", "tiles", "tile_rows", "tile_columns", "consumer_warps"),
        (*_OF_KERNELS, "F31"),
    ),
    gemm.NAME: BuiltIn(lambda config: gemm.program(), faults=_OF_KERNELS),
    pingpong.NAME: BuiltIn(lambda config: pingpong.program(), faults=(*_OF_KERNELS, "F48")),
    blackwell.NAME: BuiltIn(lambda config: blackwell.program()),
}
"""By name; the first is the one that runs where none is named, and it has every parameter that any has."""


def find_program(
    name_or_path: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    fault: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Program:
    """The built-in program or the user's FILE.py, with the fault of this id or name.

    None: the program that the fault is told of, or the lesson. ProgramError says which of the three does not fit.
    LoadCancelled if a file is still running when `cancelled` says so.
    """
    if name_or_path is None:
        name_or_path = LESSON if fault is None else find_fault(fault).base
    if is_file_name(name_or_path):
        check_program(name_or_path, parameters, fault)
        program = load_program(Path(name_or_path), cancelled)
        if program.name in PROGRAMS:
            raise ProgramError(
                tr(
                    "{name_or_path}:1: the program calls itself {name!r}, which is a built-in's name",
                    name_or_path=name_or_path,
                    name=program.name,
                )
            )
        return program
    return built_in_program(name_or_path, parameters, fault)


def built_in_program(name: str, parameters: Mapping[str, Any] | None = None, fault: str | None = None) -> Program:
    """The same of a built-in alone: for names that come from a file, which may not say what code runs."""
    if is_file_name(name):
        raise ProgramError(
            tr(
                "program {name!r} is a file; stories and recordings may name built-in programs only: {known}",
                name=name,
                known=", ".join(sorted(PROGRAMS)),
            )
        )
    config = check_program(name, parameters, fault)
    if fault is not None and name in (LESSON, BASELINE):
        return faulty_program(name, find_fault(fault), config)
    sound = PROGRAMS[name].lay_out(config)
    return sound if fault is None else with_fault(sound, find_fault(fault))


def check_program(
    name_or_path: str, parameters: Mapping[str, Any] | None = None, fault: str | None = None
) -> LessonConfig:
    """The parameters but those that the fault sets, if the program can have them and the fault: ProgramError as of
    `find_program`, but nothing is read or laid out."""
    config = LessonConfig.from_dict(parameters or {})
    known = () if is_file_name(name_or_path) else _built_in(name_or_path).parameters
    for parameter in PARAMETERS:
        # A parameter that the program would ignore is a mistake, not a wish.
        if parameter not in known and getattr(config, parameter.name) != parameter.default:
            raise ProgramError(
                tr(
                    "{option} is a parameter of {lesson}; --program {program} does not have it",
                    option=parameter.option,
                    lesson=LESSON,
                    program=name_or_path,
                )
            )
    if fault is None:
        return config
    _check_fault(name_or_path, fault)
    check_fields(find_fault(fault), parameters or {})
    return LessonConfig.from_dict(without_fields(find_fault(fault), parameters or {}))


def rebuild_program(name: str, config: Mapping[str, Any]) -> Program | None:
    """The built-in program that a recording's meta names, with its parameters and fault; None if it is no built-in.

    ProgramError if the parameters are not the program's own.
    """
    if name not in PROGRAMS:
        return None
    if name != LESSON:
        mine = {parameter.name for parameter in PROGRAMS[name].parameters}
        return built_in_program(name, {key: config[key] for key in config if key in mine}, config.get("fault"))
    fault = config.get("fault")
    # Of what a fault sets a recording may hold what it was before.
    return built_in_program(name, config if fault is None else without_fields(find_fault(fault), config), fault)


def _built_in(name: str) -> BuiltIn:
    if name not in PROGRAMS:
        raise ProgramError(
            tr(
                "--program: there is no {name_or_path!r}; known are {known}, and files that end in .py",
                name_or_path=name,
                known=", ".join(sorted(PROGRAMS)),
            )
        )
    return PROGRAMS[name]


def _check_fault(name_or_path: str, fault: str) -> None:
    if is_file_name(name_or_path):
        raise ProgramError(
            tr(
                "--fault changes {lesson} or {baseline}; write the mistake into {name_or_path} instead",
                lesson=LESSON,
                baseline=BASELINE,
                name_or_path=name_or_path,
            )
        )
    possible = PROGRAMS[name_or_path].faults
    if not possible:
        raise ProgramError(
            tr(
                "--fault changes {lesson} or {baseline}; --program {name_or_path} has no faults",
                lesson=LESSON,
                baseline=BASELINE,
                name_or_path=name_or_path,
            )
        )
    found = find_fault(fault)
    if found.id not in possible:
        raise ProgramError(
            tr(
                "--fault {id} is none of {name_or_path}'s; it can have {possible}",
                id=found.id,
                name_or_path=name_or_path,
                possible=", ".join(possible),
            )
        )
    check_fit(name_or_path, found)
