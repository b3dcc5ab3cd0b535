"""Verify: run the predicted stage counts, on the GPU if there is one, else in the simulator, and time them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import Prediction
from visualizer.diagnosis.predict.steady import measured_per_tile
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.language import mark, tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.lesson_facts import complete_parameters
from visualizer.programs.registry import PROGRAMS, built_in_program
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

VerifySource = Literal["gpu", "simulator"]

LEAST_TILES = 64
"""A shorter recording is verified with so many tiles: a ring of eight stages must get into its stride."""

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
    note: str = ""  # why it cannot be held against the prediction

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


def check_verifiable(meta: Meta, prediction: Prediction) -> dict[str, Any]:
    """The parameters to run. PredictError says why there is nothing that could be run."""
    if meta.program not in PROGRAMS or meta.config.get("fault"):
        raise PredictError(
            tr(
                "only recordings of the lesson without a fault can be verified; this one is of {program}",
                program=meta.program,
            )
        )
    own = {parameter.name for parameter in PROGRAMS[meta.program].parameters}
    if "stages" not in own or meta.source.get("kind") == "attach":
        raise PredictError(
            tr("{program} cannot be run with other stages: how many there are is fixed in it", program=meta.program)
        )
    try:
        parameters = complete_parameters(meta.config)
    except ProgramError as problem:
        raise PredictError(tr("the recording's parameters cannot be run again: {problem}", problem=problem)) from None
    if prediction.copy_time != prediction.recorded_copy_time:
        raise PredictError(tr("another copy time cannot be verified: no source can be told how long copies take"))
    tiles = max(parameters["tiles"], LEAST_TILES)
    wanted = {**parameters, "consumer_delay": prediction.consumer_delay_ns, "tiles": tiles}
    if "consumer_delay" not in own and prediction.consumer_delay_ns:
        raise PredictError(tr("{program} has no consumer delay to be run with", program=meta.program))
    return {name: value for name, value in complete_parameters(wanted).items() if name in own}


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
    parameters = check_verifiable(meta, prediction)
    progress = progress or (lambda fraction, what: None)
    cancelled = cancelled or (lambda: False)
    progress(0.0, tr("looking for a GPU"))
    # Other programs' stages can be chosen in the simulator alone.
    chosen = source or (choose_source() if meta.program == LESSON else "simulator")
    fitting = [point.stages for point in prediction.points if point.fits]
    counts = [count for count in fitting if stages is None or count in stages]
    per_tile: dict[int, float] = {}
    machine = "simulator"
    for done, count in enumerate(counts):
        if cancelled():
            raise Cancelled
        progress(done / len(counts), tr("running {n} of {all} stage counts", n=done + 1, all=len(counts)))
        run = _run(chosen, trace, {**parameters, "stages": count}, cancelled)
        ending = run.meta.ending.kind
        if ending != "completed":
            raise PredictError(tr("the run with {n} stages ended with {ending}", n=count, ending=ending))
        machine = str(run.meta.source.get("gpu", machine))
        measured = measured_per_tile(find_facts(History(run)), prediction.ring)
        if measured is not None:
            per_tile[count] = measured
    foreign = chosen == "simulator" and meta.source.get("kind") != "simulator"
    return Verification(chosen, machine, parameters["tiles"], per_tile, tr(_FOREIGN) if foreign else "")


def _run(source: VerifySource, recording: Trace, parameters: Mapping[str, Any], cancelled: CancelCheck) -> Trace:
    meta = recording.meta
    if source == "gpu":
        has_tokens = bool(((recording.events["flags"] & EventFlag.HAS_TOKEN) != 0).any())
        options = {"level": "words"} if has_tokens else {}
        if "mode" in meta.check:
            options["check"] = meta.check["mode"]
        return record(source, Request(meta.program, parameters, options=options), cancelled=cancelled)
    recorded = meta.source if meta.source.get("kind") == "simulator" else Facts()
    try:
        latencies = Latencies(**recorded.get("latencies", {}))
    except (TypeError, ValueError) as error:
        raise PredictError(tr("the recording's latencies are not the simulator's: {error}", error=error)) from None
    return simulate(
        built_in_program(meta.program, parameters),
        seed=recorded.get("seed", 0),
        latencies=latencies,
        cancelled=cancelled,
    )
