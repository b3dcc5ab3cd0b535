"""Which GPU a recording would use, asked of a worker: this process never creates a CUDA context."""

from __future__ import annotations

from typing import Any

from visualizer.language import recorded, tr
from visualizer.sources.errors import SourceError
from visualizer.sources.runner.process import WorkerProcess

WORKER_MODULE = "visualizer.sources.runner.device"
TIME_LIMIT_S = 60.0


def find_gpu() -> dict[str, Any]:
    """Which GPU, driver and packages a recording would use. Raises SourceError if it would not work."""
    report = WorkerProcess(WORKER_MODULE, "").wait(TIME_LIMIT_S)
    if report.answer is None:
        raise SourceError(tr("the GPU worker did not answer: {why}", why=recorded(report.why)), "worker")
    return report.answer
