"""Predict: the time per tile for each stage count, with the knee, from the durations of one recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.predict.measured import measure
from visualizer.diagnosis.predict.recurrence import release_times
from visualizer.diagnosis.predict.rings import limited_by_others
from visualizer.diagnosis.predict.steady import measured_per_tile, steady_per_tile
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.language import tr
from visualizer.programs.lesson_facts import recorded_parameters

MOST_STAGES = 8
KNEE = 0.02
"""The knee is the fewest stages within this share of the best time per tile."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """The time per tile with so many stages, in ps: in stride, and how single tiles spread."""

    stages: int
    per_tile: float
    p5: float
    p95: float
    fits: bool  # whether a CTA has the shared memory for it


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was predicted, for what, from what. Times in ps."""

    points: tuple[Predicted, ...]  # by stages, ascending
    recorded_stages: int
    recorded_per_tile: float | None
    consumer_delay_ns: int
    recorded_consumer_delay_ns: int
    copy_time: float  # median
    recorded_copy_time: float
    notes: tuple[str, ...]
    ring: str = ""  # which of several rings; "": there is one

    @property
    def knee(self) -> int:
        """The fewest stages that fit and come within KNEE of the best of those that fit."""
        points = [point for point in self.points if point.fits] or list(self.points)
        best = min(point.per_tile for point in points)
        return next(point.stages for point in points if point.per_tile <= best * (1 + KNEE))

    @property
    def is_of_the_recorded_run(self) -> bool:
        """Whether nothing but the stage count is changed."""
        return self.consumer_delay_ns == self.recorded_consumer_delay_ns and self.copy_time == self.recorded_copy_time

    def at(self, stages: int) -> Predicted | None:
        return next((point for point in self.points if point.stages == stages), None)

    def as_json(self) -> dict[str, Any]:
        """The document of `phasescope predict --json`; times in ns."""
        recorded = self.recorded_per_tile
        return {
            "recorded": {
                "stages": self.recorded_stages,
                "per_tile_ns": None if recorded is None else round(recorded / 1000, 3),
                "consumer_delay_ns": self.recorded_consumer_delay_ns,
                "copy_time_ns": round(self.recorded_copy_time / 1000, 3),
            },
            "consumer_delay_ns": self.consumer_delay_ns,
            "copy_time_ns": round(self.copy_time / 1000, 3),
            "predicted": [
                {
                    "stages": point.stages,
                    "per_tile_ns": round(point.per_tile / 1000, 3),
                    "p5_ns": round(point.p5 / 1000, 3),
                    "p95_ns": round(point.p95 / 1000, 3),
                    "fits": point.fits,
                }
                for point in self.points
            ],
            "knee": self.knee,
            "ring": self.ring or None,
            "notes": list(self.notes),
        }


def predict(
    facts: Facts,
    stages: Sequence[int] = range(1, MOST_STAGES + 1),
    *,
    consumer_delay_ns: int | None = None,
    copy_time_ns: float | None = None,
    ring: str | None = None,
) -> Prediction:
    """The prediction for each of `stages`; None leaves what was recorded. PredictError if the recording has too little.

    `ring` is the name of one of several rings, whose stages alone are other ones.

    The model knows only the recorded durations: another stage count may be compiled to other code, and consumers may
    then read faster or slower than recorded.
    """
    recorded = measure(facts, ring)
    model = recorded
    if consumer_delay_ns is not None:
        model = model.with_consumer_delay(consumer_delay_ns)
    if copy_time_ns is not None:
        model = model.with_copy_time(copy_time_ns)
    counts = sorted(set(stages))
    released = release_times(model, counts)
    per_tile = steady_per_tile(released).mean(axis=1)
    gaps = np.diff(released, axis=2)[:, :, released.shape[2] // 4 :].reshape(len(counts), -1)
    low, high = np.percentile(gaps, [5, 95], axis=1)
    parameters = recorded_parameters(facts.history.trace.meta.config)
    return Prediction(
        tuple(
            Predicted(count, float(per_tile[row]), float(low[row]), float(high[row]), _fits(parameters, count))
            for row, count in enumerate(counts)
        ),
        recorded.stages,
        measured_per_tile(facts, recorded.ring),
        model.consumer_delay_ns,
        recorded.consumer_delay_ns,
        model.copy_time,
        recorded.copy_time,
        (*recorded.notes, *_does_not_fit(parameters, counts), *limited_by_others(facts, recorded.ring, counts)),
        recorded.ring,
    )


def _fits(parameters: Mapping[str, Any] | None, stages: int) -> bool:
    """Whether the recorded run, if it is one of ours, could have so many stages."""
    return parameters is None or recorded_parameters({**parameters, "stages": stages}) is not None


def _does_not_fit(parameters: Mapping[str, Any] | None, counts: Sequence[int]) -> tuple[str, ...]:
    too_many = [count for count in counts if not _fits(parameters, count)]
    if not too_many:
        return ()
    return (tr("From {n} stages on, a CTA has not enough shared memory for tiles of this size.", n=too_many[0]),)
