"""Compiles and launches kernels/cp_async_pipeline.cu with CuPy. Runs in the worker process."""

from __future__ import annotations

import cupy
import numpy as np

from visualizer.programs.cp_async import WARPS
from visualizer.programs.parameters import LessonConfig
from visualizer.resources import resource_dir
from visualizer.semantics.warp import WARP_THREADS
from visualizer.sources.lesson.kernel_window import log_window
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, LogLayout, RawLog
from visualizer.sources.lesson.values import source_matrix
from visualizer.sources.lesson.window import EVERYTHING
from visualizer.sources.lesson.worker_memory import DeviceMemory

RECORDS_PER_TILE = 5  # copy issue, wait begin and end, read begin and end
OTHER_RECORDS = 1  # exit

PARAMS_DTYPE = np.dtype(
    [
        *((name, "<u8") for name in ("records", "attempted", "spans")),
        ("capacity", "<u4"),
        ("window", [(name, "<u4") for name in ("first", "tiles", "ring_mask", "every_cta", "roles")]),
        *((name, "<u8") for name in ("anchors", "results", "source")),
        *((name, "<u4") for name in ("tiles", "tile_bytes")),
    ]
)
"""struct CpAsyncParams of kernels/cp_async_pipeline.cu, field by field."""


def run_kernel(config: LessonConfig) -> tuple[RawLog, int]:
    """The log, and how many 16-byte chunks were read wrong."""
    module = cupy.RawModule(
        code=(resource_dir("kernels") / "cp_async_pipeline.cu").read_text(encoding="utf-8"),
        options=(
            "-std=c++20",
            f"-I{resource_dir('kernels')}",
            "-DPHASESCOPE_LOG=4",
            f"-DPHASESCOPE_STAGES={config.stages}",
        ),
        backend="nvrtc",
    )
    kernel = module.get_function("cp_async_pipeline")
    shared = config.stages * config.tile_bytes
    kernel.max_dynamic_shared_size_bytes = shared
    source = cupy.asarray(np.ascontiguousarray(source_matrix(config)[:, : config.tile_columns]))
    results = cupy.zeros(WARPS, dtype=cupy.uint32)
    capacity = config.tiles * RECORDS_PER_TILE + OTHER_RECORDS
    memory = DeviceMemory(LogLayout("words", 1, WARPS, capacity))
    pointers = memory.pointers()

    params = np.zeros((), dtype=PARAMS_DTYPE)
    for name in ("records", "attempted", "spans", "anchors"):
        params[name] = pointers[name]
    params["results"], params["source"] = results.data.ptr, source.data.ptr
    params["capacity"] = capacity
    for name, value in log_window(config, EVERYTHING).items():
        params["window"][name] = value
    params["window"]["ring_mask"] = 0xFFFFFFFF
    params["tiles"], params["tile_bytes"] = config.tiles, config.tile_bytes

    kernel((1,), (WARPS * WARP_THREADS,), (params.view(f"V{PARAMS_DTYPE.itemsize}")[()],), shared_mem=shared)
    cupy.cuda.runtime.deviceSynchronize()
    # One CTA on one SM: its own two anchors give the rate, and there is nothing to align.
    return memory.log(np.zeros((0, 2), dtype=ANCHOR_DTYPE)), int(results.sum())
