"""Predict: the time per tile for each stage count, with the knee, from the durations of one recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.measured import Floats, Measured, measure
from visualizer.diagnosis.predict.play import play
from visualizer.diagnosis.predict.recorded_waits import RecordedWaits, record_waits
from visualizer.diagnosis.predict.recurrence import release_times
from visualizer.diagnosis.predict.rerun import could_have
from visualizer.diagnosis.predict.rings import goes_by_tiles, row_of
from visualizer.diagnosis.predict.steady import measured_per_tile, per_tile
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.language import tr, trn
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES

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
    then read faster or slower than recorded. A stage count with which some wait would never end has no point.
    """
    row = row_of(facts, ring)
    recorded = _model(facts, row)
    model = recorded
    if consumer_delay_ns is not None:
        model = model.with_consumer_delay(consumer_delay_ns)
    if copy_time_ns is not None:
        model = model.with_copy_time(copy_time_ns)
    ring_name = facts.rings[row].name if row is not None and len(facts.rings) > 1 else ""
    meta = facts.history.trace.meta
    counts = sorted(set(stages))
    fits = {count: could_have(meta, ring_name, count) and _has_room(model, count) for count in counts}
    released = _released(model, counts)
    points = tuple(_point(count, times, fits[count]) for count, times in released.items())
    if not points:
        raise PredictError(tr("with none of the stage counts asked for the run would come to its end"))
    if min(point.per_tile for point in points) < 0:
        raise PredictError(tr("its times contradict one another: a tile would take less than no time"))
    return Prediction(
        points,
        recorded.stages,
        _recorded_per_tile(facts, recorded),
        model.consumer_delay_ns,
        recorded.consumer_delay_ns,
        model.copy_time,
        recorded.copy_time,
        (*recorded.notes, *_never_end(counts, released), *_does_not_fit({count: fits[count] for count in released})),
        ring_name,
    )


def recorded_per_tile(facts: Facts, ring: str | None = None) -> float | None:
    """The recording's own time per tile (ps), as a prediction counts it; None if no CTA finished two tiles.
    PredictError as of `predict`, and if there is no ring of this name."""
    names = [found.name for found in facts.rings]
    if ring is not None and ring not in names:
        raise PredictError(tr("no ring {name} was found in it, only {names}", name=ring, names=", ".join(names) or "-"))
    return _recorded_per_tile(facts, _model(facts, row_of(facts, ring)))


def _recorded_per_tile(facts: Facts, model: Measured | RecordedWaits) -> float | None:
    return per_tile(model.released_time) if isinstance(model, RecordedWaits) else measured_per_tile(facts)


def _model(facts: Facts, row: int | None) -> Measured | RecordedWaits:
    """Tile by tile where a tile is all there is to it; else everything that agents waited for."""
    if row is None or goes_by_tiles(facts):
        measured = measure(facts)
        if row is None or not measured.releases_late:
            return measured
    return record_waits(facts, row)


def _released(model: Measured | RecordedWaits, counts: Sequence[int]) -> dict[int, Floats]:
    """By stage count when each use of a stage is released, (CTAs, uses), ps; without those that never end."""
    if isinstance(model, Measured):
        return dict(zip(counts, release_times(model, counts), strict=True))
    played = {count: play(model, count) for count in counts}
    return {count: times for count, times in played.items() if times is not None and _is_enough(times)}


def _is_enough(released: Floats) -> bool:
    """Whether a CTA went round: of a run that hung, or lost records, an agent may come no further than recorded."""
    gaps = np.diff(released, axis=1)[:, released.shape[1] // 4 :]
    return bool(np.isfinite(gaps).any())


def _point(count: int, released: Floats, fits: bool) -> Predicted:
    gaps = np.diff(released, axis=1)[:, released.shape[1] // 4 :]
    low, high = np.percentile(gaps[np.isfinite(gaps)], [5, 95])
    return Predicted(count, per_tile(released), float(low), float(high), fits)


def _has_room(model: Measured | RecordedWaits, stages: int) -> bool:
    """Whether a CTA has shared memory for the buffers of its rings; what else it keeps there is not known."""
    if isinstance(model, Measured):
        return True
    return model.ring_bytes + (stages - model.stages) * model.stage_bytes <= MAX_DYNAMIC_BYTES


def _does_not_fit(fits: Mapping[int, bool]) -> tuple[str, ...]:
    too_many = [count for count, fit in fits.items() if not fit]
    if not too_many:
        return ()
    return (tr("From {n} stages on, a CTA has not enough shared memory for tiles of this size.", n=too_many[0]),)


def _never_end(counts: Sequence[int], released: Mapping[int, Floats]) -> tuple[str, ...]:
    stuck = [count for count in counts if count not in released]
    if not stuck:
        return ()
    return (
        trn("With {n} stage some waits would never end.", "With {n} stages some waits would never end.", stuck[-1]),
    )
