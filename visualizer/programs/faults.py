"""The mistakes that SM90 pipelines are known for, each as a named mutation of a program that is clean without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from visualizer.language import tr
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.errors import ProgramError
from visualizer.programs.fault import SIZES, Fault
from visualizer.programs.fault_table import ALL
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.programs.program import Program

FAULTS: Mapping[str, Fault] = {fault.id: fault for fault in ALL}
"""Id -> fault."""
KERNEL_FAULTS = frozenset({"F08", "F17", "F18", "F20", "F21", "F24", "F27", "F28"})
"""Faults that change what the lesson's agents do and that kernels/faults.cuh makes as well."""


def find_fault(name: str) -> Fault:
    """The fault with this id or name, in any case. ProgramError if there is none."""
    wanted = name.strip().lower()
    for fault in FAULTS.values():
        if wanted in (fault.id.lower(), fault.name):
            return fault
    near = get_close_matches(wanted, [fault.name for fault in FAULTS.values()], n=1)
    meant = tr(" (did you mean {near}?)", near=near[0]) if near else ""
    known = ", ".join(FAULTS)
    raise ProgramError(
        tr(
            "--fault: there is no {name!r}{meant}; known are {known} and their names in docs/programs.md",
            name=name,
            meant=meant,
            known=known,
        )
    )


def check_fit(program: str, fault: Fault) -> None:
    """ProgramError if the built-in `program` cannot have the fault."""
    if program == LESSON and not fault.fits_lesson:
        raise ProgramError(
            tr(
                "--fault {id} needs {needs}, which the lesson does not have: use --program {base}",
                id=fault.id,
                needs=_needs(fault),
                base=fault.base,
            )
        )


def fields_of(fault: Fault) -> frozenset[str]:
    """The lesson's parameters that the fault itself sets."""
    return frozenset(fault.lesson_change(LessonConfig()) if fault.lesson_change is not None else ())


def without_fields(fault: Fault, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The lesson's parameters that are not the fault's to set."""
    own = fields_of(fault)
    return {name: value for name, value in parameters.items() if name not in own}


def fields_set(fault: Fault, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the fault sets of the lesson's parameters, the others being these."""
    if fault.lesson_change is None:
        return {}
    return dict(fault.lesson_change(LessonConfig.from_dict(without_fields(fault, parameters))))


def check_fields(fault: Fault, parameters: Mapping[str, Any]) -> None:
    """ProgramError if a parameter that is given contradicts what the fault sets it to."""
    for name, value in fields_set(fault, parameters).items():
        if parameters.get(name, value) != value:
            option = next(parameter.option for parameter in PARAMETERS if parameter.name == name)
            raise ProgramError(
                tr(
                    "{option} is {given}, but --fault {id} sets it to {value}: leave one of the two out",
                    option=option,
                    given=parameters[name],
                    id=fault.id,
                    value=value,
                )
            )


def faulty_baseline(fault: Fault) -> Program:
    """The baseline as the fault is told of, with it."""
    return with_fault(baseline(BaselineConfig(**fault.setting)), fault)


def with_fault(program: Program, fault: Fault) -> Program:
    """`program`, which is sound, with the fault; its config names the fault."""
    return replace(fault.apply(program), config={**program.config, "fault": fault.id})


def fault_on_gpu(fault: Fault, config: LessonConfig) -> tuple[LessonConfig, int]:
    """The lesson's parameters with the fault, and its number if it is compiled into the kernel, else 0.

    ProgramError if the GPU's kernel cannot make this mistake.
    """
    if fault.lesson_change is not None:
        return config.changed(**fault.lesson_change(config)), 0
    if fault.id in KERNEL_FAULTS:
        return config, int(fault.id[1:])
    possible = ", ".join(f.id for f in FAULTS.values() if f.lesson_change is not None or f.id in KERNEL_FAULTS)
    raise ProgramError(
        tr(
            "--fault {id} is not among the mistakes that the GPU's kernel can make: use --source"
            " simulator, or one of {possible}",
            id=fault.id,
            possible=possible,
        )
    )


def _needs(fault: Fault) -> str:
    options = {name: value for name, value in fault.setting.items() if name not in SIZES}
    return " and ".join(f"{name} = {value}" for name, value in options.items())
