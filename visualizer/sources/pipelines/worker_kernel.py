"""Compiles and launches the kernels with CuPy, and times them. Runs in a process of its own: a kernel may hang."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from visualizer.programs.parameters import BOX_COLUMNS
from visualizer.resources import resource_dir
from visualizer.sources.pipelines.pipeline_kernel import Boxes, Launch
from visualizer.sources.runner.device import tensor_map

POLL_S = 0.001
ROUNDS = 5
LAUNCHES = 20
"""In a row; a launch's time is that of a round over these."""


class RunningKernel:
    """One of the kernels, compiled, with its data on the GPU."""

    def __init__(self, name: str, launch: Launch, fault: int = 0) -> None:
        module = cupy.RawModule(
            code=(resource_dir("kernels") / f"{name}.cu").read_text(encoding="utf-8"),
            options=(
                "-std=c++20",
                "-lineinfo",
                "-arch=sm_90a",  # beside CuPy's own sm_90; NVRTC of CUDA 13 takes the one that can do more
                f"-I{resource_dir('kernels')}",
                f"-DPHASESCOPE_FAULT={fault}",
                *launch.defines,
            ),
            backend="nvrtc",
        )
        self._launch = launch
        self._kernel = module.get_function(name)
        self._kernel.max_dynamic_shared_size_bytes = launch.shared_bytes
        self._arrays = {name: cupy.asarray(array) for name, array in launch.arrays.items()}
        self._arguments = tuple(map(self._argument, launch.arguments))

    def start(self) -> None:
        """Enqueue one launch."""
        self._kernel(self._launch.grid, (self._launch.threads,), self._arguments, shared_mem=self._launch.shared_bytes)

    def result(self) -> NDArray[Any]:
        host: NDArray[Any] = cupy.asnumpy(self._arrays[self._launch.result])
        return host

    def _argument(self, argument: Boxes | str | int) -> Any:
        if isinstance(argument, Boxes):
            return tensor_map(self._arrays[argument.array], (argument.rows, BOX_COLUMNS))
        return self._arrays[argument] if isinstance(argument, str) else np.uint32(argument)


def comes_back(start: Callable[[], None], limit_s: float) -> bool:
    """Whether the launch is over within the limit. CuPy's CUDARuntimeError if it failed."""
    done = cupy.cuda.Event(disable_timing=True)
    start()
    done.record()
    end = time.monotonic() + limit_s
    while driver.cuEventQuery(done.ptr)[0] == driver.CUresult.CUDA_ERROR_NOT_READY:
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    cupy.cuda.runtime.deviceSynchronize()
    return True


def timed_ms(start: Callable[[], None]) -> float:
    """Milliseconds of one launch: the median of some rounds, after one that is not counted."""
    return statistics.median([_round_ms(start) for _ in range(1 + ROUNDS)][1:])


def _round_ms(start: Callable[[], None]) -> float:
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(LAUNCHES):
        start()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end)) / LAUNCHES
