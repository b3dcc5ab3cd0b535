"""Verify: run the predicted stage counts, on the GPU if there is one, else in the simulator, and time them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import Prediction, recorded_per_tile
from visualizer.diagnosis.predict.rerun import Rerun, VerifySource, rerun_of
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.language import mark, tr
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.registry import built_in_program
from visualizer.recording.facts import Source as Facts
from visualizer.recording.schema import EventFlag
from visualizer.recording.tables import Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.registry import record
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate
from visualizer.sources.source import Request

_FOREIGN = mark(
    "Run in the simulator, whose durations are its own and not this recording's: the two show the same shape at best."
)


@dataclass(frozen=True, slots=True)
class Verification:
    """What was measured on a GPU, or simulated: ps per tile by stage count, where, and with how many tiles."""

    source: VerifySource
    machine: str  # "NVIDIA H200", or "simulator"
    tiles: int
    per_tile: Mapping[int, float]
    note: str = ""  # why it, or one of its runs, cannot be held against the prediction

    def as_json(self, prediction: Prediction) -> dict[str, Any]:
        rows = []
        for stages, measured in self.per_tile.items():
            point = prediction.at(stages)
            if point is not None:
                error = point.per_tile / measured - 1 if measured else None
                rows.append(
                    {
                        "stages": stages,
                        "measured_ns": round(measured / 1000, 3),
                        "predicted_ns": round(point.per_tile / 1000, 3),
                        "error": None if error is None else round(error, 5),
                    }
                )
        return {"source": self.source, "machine": self.machine, "tiles": self.tiles, "runs": rows, "note": self.note}


def choose_source() -> VerifySource:
    """ "gpu" if one answers here."""
    from visualizer.sources.runner.find_gpu import find_gpu

    try:
        find_gpu()
    except SourceError:
        return "simulator"
    return "gpu"


def check_verifiable(meta: Meta, prediction: Prediction) -> Rerun:
    """How to run it again. PredictError says why there is nothing that could be run."""
    rerun = rerun_of(meta, prediction.ring, prediction.consumer_delay_ns)
    if prediction.copy_time != prediction.recorded_copy_time:
        raise PredictError(tr("another copy time cannot be verified: no source can be told how long copies take"))
    return rerun


def verify(
    trace: Trace,
    prediction: Prediction,
    source: VerifySource | None = None,
    *,
    stages: Sequence[int] | None = None,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Verification:
    """Run each stage count of the prediction that fits (or `stages`) once. None chooses the source.

    As `trace` was recorded: the simulator uses its seed and latencies if it was simulated, the GPU its way of checking,
    and its log with tokens if it has them. Raises PredictError, Cancelled, and what the source raises.
    """
    meta = trace.meta
    rerun = check_verifiable(meta, prediction)
    progress = progress or (lambda fraction, what: None)
    cancelled = cancelled or (lambda: False)
    progress(0.0, tr("looking for a GPU"))
    chosen = source or _choose(rerun)
    if chosen not in rerun.sources:
        raise PredictError(
            tr(
                "{program} as recorded can be run with other stages by --source {sources} only",
                program=meta.program,
                sources=", ".join(rerun.sources),
            )
        )
    fitting = [point.stages for point in prediction.points if point.fits]
    counts = [count for count in fitting if stages is None or count in stages]
    per_tile: dict[int, float] = {}
    notes: list[str] = []
    machine = "simulator"
    for done, count in enumerate(counts):
        if cancelled():
            raise Cancelled
        progress(done / len(counts), tr("running {n} of {all} stage counts", n=done + 1, all=len(counts)))
        run = _run(chosen, trace, rerun.with_stages(count), cancelled)
        ending = run.meta.ending.kind
        if ending != "completed":
            raise PredictError(tr("the run with {n} stages ended with {ending}", n=count, ending=ending))
        machine = str(run.meta.source.get("gpu", machine))
        try:
            measured = recorded_per_tile(find_facts(History(run)), prediction.ring or None)
        except PredictError as problem:  # a ring of one stage may not be recognised in what a GPU ran
            notes.append(
                tr("stages {n}: it ran, but the time per tile is not known: {problem}.", n=count, problem=problem)
            )
            continue
        if measured is not None:
            per_tile[count] = measured
    if chosen == "simulator" and meta.source.get("kind") != "simulator":
        notes.insert(0, tr(_FOREIGN))
    tiles = int(trace.events["tile"].max(initial=-1)) + 1 if rerun.tiles is None else rerun.tiles
    return Verification(chosen, machine, tiles, per_tile, " ".join(notes))


def _choose(rerun: Rerun) -> VerifySource:
    return choose_source() if rerun.sources == ("gpu", "simulator") else rerun.sources[0]


def _run(source: VerifySource, recording: Trace, request: Request, cancelled: CancelCheck) -> Trace:
    meta = recording.meta
    if source == "gpu":
        if meta.program == LESSON:
            has_tokens = bool(((recording.events["flags"] & EventFlag.HAS_TOKEN) != 0).any())
            options = {"level": "words"} if has_tokens else {}
            if "mode" in meta.check:
                options["check"] = meta.check["mode"]
            request = replace(request, options=options)
        return record(source, request, cancelled=cancelled)
    recorded = meta.source if meta.source.get("kind") == "simulator" else Facts()
    try:
        latencies = Latencies(**recorded.get("latencies", {}))
    except (TypeError, ValueError) as error:
        raise PredictError(tr("the recording's latencies are not the simulator's: {error}", error=error)) from None
    return simulate(
        built_in_program(meta.program, request.parameters),
        seed=recorded.get("seed", 0),
        latencies=latencies,
        cancelled=cancelled,
    )
