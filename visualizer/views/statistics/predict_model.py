"""What the Predict pane shows: points of a chart and lines of text, of a Prediction and a Verification. Pure, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.diagnosis.predict.predict import Prediction
from visualizer.diagnosis.predict.verify import Verification
from visualizer.diagnosis.wording import duration
from visualizer.language import mark, tr, trn
from visualizer.replay.history import History


def ring_choices(history: History | None) -> list[str]:
    """The rings to choose from; none where there is one only."""
    names = list(dict.fromkeys(ring.name for ring in history.structure.rings)) if history is not None else []
    return names if len(names) > 1 else []


@dataclass(frozen=True, slots=True)
class Point:
    """One stage count; times in ps. `measured` is None where nothing was."""

    stages: int
    predicted: float
    low: float  # 5 % of the single tiles
    high: float  # 95 %
    measured: float | None
    is_knee: bool
    is_recorded: bool
    fits: bool
    simulated: bool = False  # what `measured` says comes from the simulator

    @property
    def text(self) -> str:
        """The point in words: its tooltip and its twin for screen readers."""
        parts = [
            trn(
                "{n} stage: {time} per tile predicted",
                "{n} stages: {time} per tile predicted",
                self.stages,
                time=duration(self.predicted),
            )
        ]
        if self.measured is not None:
            error = f"{self.predicted / self.measured - 1:+.1%}" if self.measured else ""
            said = mark("{time} simulated ({error})") if self.simulated else mark("{time} measured ({error})")
            parts.append(tr(said, time=duration(self.measured), error=error))
        parts += [tr("knee")] if self.is_knee else []
        parts += [tr("recorded")] if self.is_recorded else []
        parts += [] if self.fits else [tr("not enough shared memory")]
        return ", ".join(parts)


def points(prediction: Prediction, verification: Verification | None) -> list[Point]:
    measured = {} if verification is None else verification.per_tile
    return [
        Point(
            point.stages,
            point.per_tile,
            point.p5,
            point.p95,
            measured.get(point.stages),
            point.stages == prediction.knee,
            point.stages == prediction.recorded_stages and prediction.is_of_the_recorded_run,
            point.fits,
            verification is not None and verification.source == "simulator",
        )
        for point in prediction.points
    ]


def summary(prediction: Prediction) -> str:
    """One sentence: where the knee is and what it gives."""
    knee = prediction.at(prediction.knee)
    assert knee is not None
    best = trn(
        "{n} stage is enough: {time} per tile predicted",
        "{n} stages are enough: {time} per tile predicted",
        knee.stages,
        time=duration(knee.per_tile),
    )
    if prediction.recorded_per_tile is None:
        return best + "."
    recorded = trn(
        "recorded with {n} stage: {time}",
        "recorded with {n} stages: {time}",
        prediction.recorded_stages,
        time=duration(prediction.recorded_per_tile),
    )
    return f"{best}; {recorded}."


def remarks(prediction: Prediction, verification: Verification | None) -> list[str]:
    """What the prediction rests on, and where it was measured."""
    said = list(prediction.notes)
    if verification is not None:
        said.insert(
            0,
            tr("Simulated: {tiles} tiles, one run for each stage count.", tiles=verification.tiles)
            if verification.source == "simulator"
            else tr(
                "Measured: {machine}, {tiles} tiles, one run for each stage count, with logging as recorded.",
                machine=verification.machine,
                tiles=verification.tiles,
            ),
        )
        said += [verification.note] if verification.note else []
    return said
