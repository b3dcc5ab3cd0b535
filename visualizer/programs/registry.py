"""The programs that `--program NAME|FILE.py` can choose, with or without a fault, and what may be set of each.

Parameters come and go as plain mappings, by name; what is left out is as the program's own table says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visualizer.language import tr
from visualizer.programs import attention, blackwell, cp_async, gemm, multicast, pingpong
from visualizer.programs.baseline import NAME as BASELINE
from visualizer.programs.baseline import baseline
from visualizer.programs.cluster import NAME as CLUSTER
from visualizer.programs.cluster import cluster
from visualizer.programs.errors import ProgramError
from visualizer.programs.faults import (
    FAULTS,
    check_fields,
    check_fit,
    faulty_baseline,
    fields_of,
    find_fault,
    with_fault,
    without_fields,
)
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.lesson import lesson
from visualizer.programs.load import is_file_name, load_program
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.programs.program import Parameter, Program


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A program of ours: how it is laid out, and which parameters it has. Both calls take each by its name."""

    lay_out: Callable[..., Program]
    parameters: tuple[Parameter, ...] = ()
    check: Callable[..., object] = lambda: None
    """ProgramError if values that are each within their limits do not go together."""
    faults: tuple[str, ...] = ()
    """Those that it can have; of the lesson's and the baseline's each says itself what it needs."""

    def complete(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """With the defaults for what is left out. ProgramError names what cannot be; all of it must be its own."""
        complete = {parameter.name: parameter.default for parameter in self.parameters} | dict(values)
        for parameter in self.parameters:
            parameter.check(complete[parameter.name])
        self.check(**complete)
        return complete


_OF_KERNELS = ("F01", "F03", "F06", "F20")
"""What the kernels of the same names can be compiled with."""


def _like_lesson(
    lay_out: Callable[[LessonConfig], Program], parameters: tuple[Parameter, ...], faults: tuple[str, ...] = ()
) -> BuiltIn:
    """A program with some of the lesson's parameters, which go together as they do in the lesson."""
    return BuiltIn(lambda **values: lay_out(LessonConfig(**values)), parameters, LessonConfig, faults)


PROGRAMS: Mapping[str, BuiltIn] = {
    LESSON: _like_lesson(lesson, PARAMETERS, tuple(FAULTS)),
    BASELINE: BuiltIn(baseline, faults=tuple(FAULTS)),
    CLUSTER: BuiltIn(cluster),
    cp_async.NAME: _like_lesson(cp_async.cp_async, cp_async.PARAMETERS),
    attention.NAME: BuiltIn(attention.attention, attention.PARAMETERS, attention.check, (*_OF_KERNELS, "F48")),
    multicast.NAME: _like_lesson(multicast.multicast, multicast.PARAMETERS, (*_OF_KERNELS, "F31")),
    gemm.NAME: BuiltIn(gemm.program, gemm.PARAMETERS, gemm.check, _OF_KERNELS),
    pingpong.NAME: BuiltIn(pingpong.program, pingpong.PARAMETERS, pingpong.check, (*_OF_KERNELS, "F48")),
    blackwell.NAME: BuiltIn(blackwell.program),
}
"""By name; the first is the one that runs where none is named."""


def parameters_of(name_or_path: str) -> tuple[Parameter, ...]:
    """What may be set of a program; nothing of a user's file."""
    return PROGRAMS[name_or_path].parameters if name_or_path in PROGRAMS else ()


def all_parameters() -> list[Parameter]:
    """What may be set of any program, each name once: as the first that has it says."""
    first: dict[str, Parameter] = {}
    for program in PROGRAMS.values():
        for parameter in program.parameters:
            first.setdefault(parameter.name, parameter)
    return list(first.values())


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
    values = check_program(name, parameters, fault)
    if fault is not None and name == BASELINE:
        return faulty_baseline(find_fault(fault))
    sound = PROGRAMS[name].lay_out(**values)
    return sound if fault is None else with_fault(sound, find_fault(fault))


def check_program(
    name_or_path: str, parameters: Mapping[str, Any] | None = None, fault: str | None = None
) -> dict[str, Any]:
    """All its parameters, but as if not given what the fault sets, if the program can have them and the fault:
    ProgramError as of `find_program`, but nothing is read or laid out."""
    given = dict(parameters or {})
    program = None if is_file_name(name_or_path) else _built_in(name_or_path)
    _check_names(name_or_path, given)
    if fault is not None:
        _check_fault(name_or_path, fault)
        if name_or_path == LESSON:
            check_fields(find_fault(fault), given)
            given = without_fields(find_fault(fault), given)
    return given if program is None else program.complete(given)


def recorded_parameters(name: str, config: Mapping[str, Any]) -> dict[str, Any] | None:
    """All parameters of the built-in program, as a recording's `config` tells them; None if it is no built-in, they
    cannot be so or there is no `config`."""
    if name not in PROGRAMS or not config:
        return None
    try:
        return check_program(name, own_parameters(name, config))
    except ProgramError:
        return None


def rebuild_program(name: str, config: Mapping[str, Any]) -> Program | None:
    """The built-in program that a recording's meta names, with its parameters and fault; None if it is no built-in.

    ProgramError if the parameters are not the program's own.
    """
    if name not in PROGRAMS:
        return None
    fault = config.get("fault")
    # Of what a fault sets a recording may hold what it was before.
    set_by_fault = fields_of(find_fault(fault)) if fault is not None else frozenset[str]()
    values = {key: value for key, value in config.items() if key not in set_by_fault}
    return built_in_program(name, own_parameters(name, values), fault)


def parameter_words(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """The words of a command line that set these parameters of the program; what is as it says itself needs none."""
    words: list[str] = []
    changed = [one for one in parameters_of(name) if parameters.get(one.name, one.default) != one.default]
    if any(parameter.option == "--tile" for parameter in changed):
        sides = {one.name: parameters.get(one.name, one.default) for one in parameters_of(name)}
        words += ["--tile", f"{sides['tile_rows']}x{sides['tile_columns']}"]
    for parameter in changed:
        if parameter.is_switch:
            words.append(parameter.option)
        elif parameter.option != "--tile":
            words += [parameter.option, str(parameters[parameter.name])]
    return words


def own_parameters(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """What a recording's `config` tells of the program's parameters. Of the lesson it tells nothing but those and the
    fault, so that what else stands there is kept, to be refused."""
    own = {parameter.name for parameter in parameters_of(name)}
    return {key: value for key, value in config.items() if key in own or (name == LESSON and key != "fault")}


def _check_names(name_or_path: str, given: Mapping[str, Any]) -> None:
    """ProgramError if one is no parameter of the program: to ignore it would be a mistake, not a wish."""
    own = {parameter.name for parameter in parameters_of(name_or_path)}
    for name in given:
        if name in own:
            continue
        known = {parameter.name: parameter for parameter in all_parameters()}
        if name not in known:
            raise ProgramError(
                tr("unknown parameter {unknown!r}; known are {names}", unknown=name, names=", ".join(sorted(known)))
            )
        having = [one for one in PROGRAMS if name in {parameter.name for parameter in parameters_of(one)}]
        raise ProgramError(
            tr(
                "{option} is a parameter of {having}; --program {program} does not have it",
                option=known[name].option,
                having=", ".join(having),
                program=name_or_path,
            )
        )


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
