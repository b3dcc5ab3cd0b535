"""What a fault is: a mistake with its story, and the function that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program

SIZES = frozenset({"stages", "tiles", "consumers", "bytes"})
"""The options of the baseline that the lesson has as well."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake: what the programmer did, and what happens then."""

    id: str  # "F06"; F01..F39 are scenarios with known outcomes, F40 and up are further members of their families
    name: str  # "producer-starts-with-parity-0"
    family: str
    title: str
    did: str
    happens: str
    apply: Callable[[Program], Program]
    setting: Mapping[str, Any] = field(default_factory=dict)  # of BaselineConfig, where the scenario is not its default
    lesson_change: Callable[[LessonConfig], Mapping[str, Any]] | None = None  # the same by the lesson's parameters
    base: Literal["lesson", "baseline"] = "baseline"

    @property
    def fits_lesson(self) -> bool:
        """Whether the lesson can have it too: it needs nothing that the lesson has not."""
        return set(self.setting) <= SIZES
