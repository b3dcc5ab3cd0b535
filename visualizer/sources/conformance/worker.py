"""The conformance worker process: carries out sequences of mbarrier operations on the GPU."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from visualizer.sources.conformance.steps import Sequences
from visualizer.sources.runner.device import compiling, examine_gpu
from visualizer.sources.runner.protocol import RUNNING, say, serve


def run(text: str) -> dict[str, Any]:
    """Carry out the Sequences in the file job["steps"]; saves one result a step to job["output"]."""
    job = json.loads(text)
    source = examine_gpu()
    from visualizer.sources.conformance.worker_kernel import ConformanceKernel

    sequences = Sequences.load(Path(job["steps"]))
    with compiling():
        kernel = ConformanceKernel(sequences.form)
    source["numpy"] = np.__version__
    say(progress=0.4, message=RUNNING, source=source)
    results, crash = kernel.run(sequences)
    np.save(job["output"], results)
    return {"source": source, "crash": crash}


if __name__ == "__main__":
    sys.exit(serve(run))
