"""Compiles and launches kernels/conformance.cu with CuPy. Runs in the worker process."""

from __future__ import annotations

import cupy
import numpy as np
from numpy.typing import NDArray

from visualizer.resources import resource_dir
from visualizer.sources.conformance.steps import UNWRITTEN, Form, Sequences

SOURCE_BYTES = 16384  # the largest copy


class ConformanceKernel:
    """The interpreter, compiled for one form."""

    def __init__(self, form: Form) -> None:
        module = cupy.RawModule(
            code=(resource_dir("kernels") / "conformance.cu").read_text(encoding="utf-8"),
            options=("-std=c++20", f"-I{resource_dir('kernels')}"),
            backend="nvrtc",
        )
        self._kernel = module.get_function(str(form))

    def run(self, sequences: Sequences) -> tuple[NDArray[np.uint64], str]:
        """One result a step, and the CUDA error's words, or "" if the kernel came back.

        Results lie in host memory, so that those before a launch failure outlive it.
        """
        count = len(sequences.steps)
        memory = cupy.cuda.alloc_pinned_memory(max(count, 1) * UNWRITTEN.nbytes)
        results = np.frombuffer(memory, dtype=np.uint64, count=count)
        results[:] = UNWRITTEN
        steps = cupy.asarray(sequences.steps.view(np.uint64))
        begins = cupy.asarray(sequences.begins)
        source = cupy.zeros(SOURCE_BYTES, dtype=cupy.uint8)
        crash = ""
        try:
            self._kernel(
                (len(sequences) * sequences.form.ctas,),
                (sequences.form.threads,),
                (steps, begins, np.uint64(memory.ptr), source),
            )
            cupy.cuda.runtime.deviceSynchronize()
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as problem:
            crash = str(problem)
        return results.copy(), crash
