"""The cp.async pipeline's worker process: runs the kernel and saves its log."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.runner.device import compiling, examine_gpu
from visualizer.sources.runner.protocol import RUNNING, say, serve


def run(text: str) -> dict[str, Any]:
    """Run kernels/cp_async_pipeline.cu with job["config"]; saves the RawLog to job["output"]."""
    job = json.loads(text)
    gpu = examine_gpu()
    from visualizer.sources.cp_async.worker_kernel import run_kernel

    say(progress=0.4, message=RUNNING)
    with compiling():
        log, wrong = run_kernel(LessonConfig.from_dict(job["config"]))
    log.save(Path(job["output"]))
    versions = {"cuda-bindings": importlib.metadata.version("cuda-bindings"), "numpy": np.__version__}
    return {"source": {"kind": "gpu", **gpu, "sm": 90, "log_level": "words"}, "versions": versions, "errors": wrong}


if __name__ == "__main__":
    sys.exit(serve(run))
