"""Runs with a mistake, and what the diagnosis says of them."""

from __future__ import annotations

from functools import cache

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


@cache
def diagnosed(fault: str) -> tuple[History, Report]:
    """A mistake of the two-consumer baseline, or "32": the lesson whose full barriers count 32 arrivals."""
    program = lesson(LessonConfig(producer_arrivals=32)) if fault == "32" else find_program("baseline", None, fault)
    history = History(simulate(program))
    return history, diagnose(history, program)
