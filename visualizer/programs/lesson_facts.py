"""What plain mappings of the lesson's parameters mean, for everyone who need not know how the lesson keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visualizer.programs.errors import ProgramError
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.semantics.shared_storage import BARRIER_BYTES
from visualizer.semantics.warp import WARP_THREADS


def complete_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with the lesson's own for those left out; a recording's `config` will do, its fault is no
    parameter. ProgramError names what is unknown, out of its limits, or does not go together."""
    return LessonConfig.from_dict(parameters).as_dict()


def recorded_parameters(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """The parameters in a recording's `config`, all of them; None if it is not of the lesson, or tells none."""
    if not config:
        return None
    try:
        return complete_parameters(config)
    except ProgramError:
        return None


def lesson_facts(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """`recorded_parameters` and what follows from them: bytes, the counts of arrivals that barriers are initialised
    with, and threads."""
    if not config:
        return None
    try:
        lesson = LessonConfig.from_dict(config)
    except ProgramError:
        return None
    return {
        **lesson.as_dict(),
        "tile_bytes": lesson.tile_bytes,
        "expected_bytes": lesson.expected_bytes,
        "full_init": lesson.full_init,
        "empty_init": lesson.empty_init,
        "shared_bytes": lesson.storage.total_bytes,
        "barrier_bytes": 2 * lesson.stages * BARRIER_BYTES,
        "consumers": lesson.consumer_warps * WARP_THREADS,
        "threads": (lesson.consumer_warps + 1) * WARP_THREADS,
    }


def parameter_words(parameters: Mapping[str, Any]) -> list[str]:
    """The words of a command line that set these parameters; what is as in the lesson needs none."""
    lesson, words = LessonConfig.from_dict(parameters), list[str]()
    changed = [parameter for parameter in PARAMETERS if getattr(lesson, parameter.name) != parameter.default]
    if any(parameter.option == "--tile" for parameter in changed):
        words += ["--tile", f"{lesson.tile_rows}x{lesson.tile_columns}"]
    for parameter in changed:
        if parameter.is_switch:
            words.append(parameter.option)
        elif parameter.option != "--tile":
            words += [parameter.option, str(getattr(lesson, parameter.name))]
    return words
