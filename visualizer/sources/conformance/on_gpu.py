"""Runs encoded sequences of mbarrier operations on the GPU, in a worker process that may die of them."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.language import recorded, tr
from visualizer.sources.conformance.steps import UNWRITTEN, Sequences
from visualizer.sources.errors import SourceError
from visualizer.sources.runner.process import WorkerProcess

WORKER_MODULE = "visualizer.sources.conformance.worker"
TIME_LIMIT_S = 120.0


@dataclass(frozen=True, eq=False)
class Executed:
    """What became of the sequences. `results` has one entry a step, UNWRITTEN where it was never carried out."""

    results: NDArray[np.uint64]
    crash: str  # the CUDA error, or why the worker ended; "" if the kernel came back
    source: dict[str, Any]  # GPU, driver and package versions; empty if the worker never said


def execute(sequences: Sequences, time_limit_s: float = TIME_LIMIT_S) -> Executed:
    """Carry `sequences` out on GPU 0. Raises SourceError if no kernel ran."""
    with tempfile.TemporaryDirectory(prefix="phasescope-") as directory:
        steps, output = Path(directory) / "steps.npz", Path(directory) / "results.npy"
        sequences.save(steps)
        job = json.dumps({"steps": str(steps), "output": str(output)})
        report = WorkerProcess(WORKER_MODULE, job).wait(time_limit_s)
        if report.answer is None:
            if report.running is None:
                raise SourceError(
                    tr("the GPU worker ended before it ran the kernel: {why}", why=recorded(report.why)), "worker"
                )
            nothing = np.full(len(sequences.steps), UNWRITTEN)
            return Executed(nothing, report.why, report.running["source"])
        return Executed(np.load(output), report.answer["crash"], report.answer["source"])
