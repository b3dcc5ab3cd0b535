"""Simulated lessons of every temper, for the tests of statistics and predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate


def run(*, seed: int = 0, latencies: dict[str, float] | None = None, **config: Any) -> Trace:
    """A simulated lesson; `config` changes its parameters, `latencies` the simulator's."""
    values = LessonConfig(**{"tiles": 24, **config})
    return simulate(lesson(values), seed=seed, latencies=replace(Latencies(), **(latencies or {})))


def facts_of(trace: Trace) -> Facts:
    return find_facts(History(trace))
