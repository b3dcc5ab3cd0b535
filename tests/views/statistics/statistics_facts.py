"""Statistics and predictions of simulated lessons, for the tests of their panes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from visualizer.diagnosis.predict.predict import Prediction, predict
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import Statistics, statistics
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def history_of(**config: Any) -> History:
    return History(simulate(lesson(LessonConfig(**{"tiles": 16, **config}))))


def statistics_of(history: History, first: int = 0, last: int | None = None) -> Statistics:
    return statistics(find_facts(history), first, last)


def prediction_of(history: History, **changes: Any) -> Prediction:
    return predict(find_facts(history), **changes)


def with_a_late_tile(history: History, tile: int = 9) -> History:
    """The same run, but everything from the first read of the tile on is 50 us later."""
    events = history.trace.events.copy()
    late = (events["kind"] == EventKind.READ_END) & (events["tile"] == tile)
    first = int(late.argmax())
    for column in ("time", "measured"):
        events[column][first:] += 50_000_000
    return History(replace(history.trace, events=events))
