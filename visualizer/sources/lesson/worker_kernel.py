"""Compiles and launches the lesson's kernel with CuPy: the only file, with worker.py, that touches CUDA.

Runs in the worker process, never in the one with the window.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from visualizer.programs.parameters import BOX_COLUMNS, LessonConfig
from visualizer.resources import resource_dir
from visualizer.semantics.warp import WARP_THREADS
from visualizer.sources.lesson.job import CheckMode
from visualizer.sources.lesson.kernel_window import log_window, ring_mask
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, LOG_LEVELS, LogLayout, LogLevel, RawLog
from visualizer.sources.lesson.window import EVERYTHING, Window
from visualizer.sources.lesson.word_probe import PROBES, RawProbe
from visualizer.sources.lesson.worker_memory import DeviceMemory, LiveReader, LogMemory, MappedMemory
from visualizer.sources.lesson.worker_probe import NO_PROBE, ProbeMemory, Probing
from visualizer.sources.runner.device import tensor_map
from visualizer.sources.runner.flight import FlightFile
from visualizer.sources.runner.mirror import Mirror

CONTROL_BYTES = 16  # struct Control, behind the stage buffers
POLL_S = 0.001  # how often a kernel whose log is copied meanwhile is asked whether it is done
WARM_UP_NS = 50_000_000  # an idle GPU takes some 10 ms to raise its clocks [measured on H200]
TURN_CYCLES = 28  # of the loop in work_for, kernels/tile.cuh [measured on H200]
CALIBRATION_RECORDS = 4096
CALIBRATION_RUNS = 8
CALIBRATION_NS = 2_000_000  # a span over which 10 ns of anchor error are 5 parts in a million

PARAMS_DTYPE = np.dtype(
    [
        *((name, "<u8") for name in ("records", "attempted", "spans", "anchors", "status", "results", "expected")),
        ("watchdog_ns", "<u8"),
        *((name, "<u4") for name in ("producer_delay", "consumer_delay")),
        *((name, "<u4") for name in ("capacity", "tiles", "tile_rows", "tile_columns", "source_tiles", "data_offset")),
        *((name, "<u4") for name in ("transaction_bytes", "full_init", "empty_init")),
        *((name, "<u4") for name in ("producer_phase", "consumer_phase", "arrive_per_warp")),
        ("window", [(name, "<u4") for name in ("first", "tiles", "ring_mask", "every_cta", "roles")]),
        ("padding", "<u4"),
    ]
)
"""struct LessonParams of kernels/lesson_params.cuh, field by field."""


@dataclass(frozen=True, eq=False)
class Run:
    """One launch that came back. `results` has shape (ctas, consumer_warps); its meaning depends on the check."""

    log: RawLog
    results: NDArray[np.uint32]
    probe: RawProbe | None = None


@dataclass(frozen=True, eq=False)
class Launch:
    """A launch that is ready: `start` enqueues it. `results` (on the GPU) as in Run."""

    start: Callable[[], None]
    results: Any
    params: Any  # PARAMS_DTYPE
    probe: ProbeMemory | None  # what the kernel's probe writes
    keeps: tuple[Any, ...]  # memory that must outlive the launch

    def timed_ns(self) -> float:
        """Launch, wait, and say how long the GPU took."""
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        self.start()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(begin, end)) * 1e6


class LessonKernel:
    """The kernel compiled for one configuration and log level, with its source matrix on the GPU.

    A wait longer than `watchdog_ms` gives up; with 0 waits are CUTLASS's plain ones, which cost less and never do.
    `code` and `defines` are for benchmarks that compile the kernel with a log of their own.
    """

    def __init__(
        self,
        config: LessonConfig,
        matrix: NDArray[np.float16],
        check: CheckMode,
        *,
        level: LogLevel,
        fault: int = 0,
        window: Window = EVERYTHING,
        watchdog_ms: int = 0,
        probe: Probing = NO_PROBE,
        code: str = "",
        defines: tuple[str, ...] = (),
    ) -> None:
        self.config = config
        self._level = level
        self._window = window
        self._watchdog_ms = watchdog_ms
        self._source = cupy.asarray(matrix)
        self._probe = probe
        self._module = module = cupy.RawModule(
            code=code or (resource_dir("kernels") / "async_pipeline.cu").read_text(encoding="utf-8"),
            options=(
                "-std=c++20",
                f"-I{resource_dir('kernels')}",
                f"-DPHASESCOPE_STAGES={config.stages}",
                f"-DPHASESCOPE_CONSUMER_WARPS={config.consumer_warps}",
                f"-DPHASESCOPE_TILE_BYTES={config.tile_bytes}",
                f"-DPHASESCOPE_LOG={LOG_LEVELS.index(level)}",
                f"-DPHASESCOPE_EXACT={int(check == 'exact')}",
                f"-DPHASESCOPE_RING={int(window.keep_last > 0)}",
                f"-DPHASESCOPE_FAULT={fault}",
                f"-DPHASESCOPE_BOUND={int(watchdog_ms > 0)}",
                f"-DPHASESCOPE_PROBE={PROBES.index(probe.mode)}",
                *defines,
            ),
            backend="nvrtc",
        )
        self._pipeline = module.get_function("async_pipeline")
        self._calibrate = module.get_function("calibrate_clock")
        self._calibrate_record = module.get_function("calibrate_record")
        self._shared_bytes = config.storage.total_bytes + CONTROL_BYTES
        self._pipeline.max_dynamic_shared_size_bytes = self._shared_bytes
        self._tensor_map = tensor_map(self._source, (config.tile_rows, BOX_COLUMNS))

    def run(
        self,
        capacity: int,
        expected: NDArray[np.float16] | None = None,
        flight: FlightFile[RawLog] | None = None,
    ) -> Run:
        """Launch once. `capacity` is in records per warp; `expected` is what the tiles should hold, if not the source.

        With `flight` the log lies in that file from the start, or is copied there when the kernel takes long.
        Raises cupy's CUDARuntimeError if the launch fails; the context is dead then. Does not return from a kernel that
        hangs: whoever started this process ends it.
        """
        memory: LogMemory
        reader: LiveReader | None = None
        if flight and not flight.copied:
            memory = MappedMemory(flight)
        else:
            memory = device = self.memory(capacity)
            reader = LiveReader(device, flight.layout) if flight else None
        launch = self.prepare(memory, capacity, expected)
        logging = self._level != "off"
        before = self._take_anchors() if logging else _no_anchors()
        if flight:
            flight.save_calibration(before)
        mirror = Mirror(flight, reader) if flight and reader else None
        _run(launch, mirror)
        after = self._take_anchors() if logging else _no_anchors()
        log = memory.log(np.concatenate([before, after]))
        return Run(log, cupy.asnumpy(launch.results), launch.probe.read() if launch.probe else None)

    def memory(self, capacity: int) -> DeviceMemory:
        """Room on the GPU for the log of one launch; `capacity` is in records per warp."""
        return DeviceMemory(LogLayout(self._level, self.config.ctas, self._warps, capacity))

    def prepare(self, memory: LogMemory, capacity: int, expected: NDArray[np.float16] | None = None) -> Launch:
        """Everything a launch needs, so that starting it is all that is left to do and can be timed."""
        config = self.config
        results = cupy.zeros((config.ctas, config.consumer_warps), dtype=cupy.uint32)
        wanted = self._source if expected is None else cupy.asarray(expected)
        params = np.zeros((), dtype=PARAMS_DTYPE)
        pointers = {**memory.pointers(), "results": results.data.ptr, "expected": wanted.data.ptr}
        for name, pointer in pointers.items():
            params[name] = pointer
        cycles_per_ns = cupy.cuda.Device().attributes["ClockRate"] / 1e6
        for name in ("producer_delay", "consumer_delay"):
            params[name] = round(getattr(config, name) * cycles_per_ns / TURN_CYCLES)
        params["watchdog_ns"] = self._watchdog_ms * 1_000_000
        params["capacity"] = capacity
        params["data_offset"] = config.storage.data_offset
        params["transaction_bytes"] = config.expected_bytes
        for name in ("tiles", "tile_rows", "tile_columns", "source_tiles", "full_init", "empty_init"):
            params[name] = getattr(config, name)
        for name in ("producer_phase", "consumer_phase", "arrive_per_warp"):
            params[name] = getattr(config, name)
        for name, value in log_window(config, self._window).items():
            params["window"][name] = value
        params["window"]["ring_mask"] = ring_mask(self._window, capacity)

        probe = None
        if self._probe.on:
            probe = ProbeMemory(self._module, config.ctas, 2 * config.stages, self._probe)

        def start() -> None:
            self._pipeline(
                (config.ctas,),
                ((self._warps + self._probe.on) * WARP_THREADS,),
                (self._tensor_map, params.view(f"V{PARAMS_DTYPE.itemsize}")[()]),
                shared_mem=self._shared_bytes,
            )

        return Launch(start, results, params[()].copy(), probe, (memory, wanted))

    def record_cost_ns(self) -> float:
        """What one record costs the warp that writes it, in a loop that does nothing else."""
        memory = self.memory(CALIBRATION_RECORDS)
        cycles = cupy.zeros(1, dtype=cupy.uint64)
        params = self.prepare(memory, CALIBRATION_RECORDS).params
        for name, value in log_window(self.config, EVERYTHING).items():
            params["window"][name] = value
        packed = params.view(f"V{PARAMS_DTYPE.itemsize}")
        threads = (2 + self._probe.on) * WARP_THREADS
        best = np.inf
        for _ in range(CALIBRATION_RUNS):  # the first fetches the kernel's instructions; none is faster than it can be
            self._calibrate_record((1,), (threads,), (packed, np.uint32(CALIBRATION_RECORDS), cycles))
            best = min(best, int(cycles[0]))
        cycles_per_ns = cupy.cuda.Device().attributes["ClockRate"] / 1e6
        return float(best / CALIBRATION_RECORDS / cycles_per_ns)

    @property
    def _warps(self) -> int:
        return 1 + self.config.consumer_warps

    def warm_up(self) -> None:
        """Run long enough for the GPU to raise its clocks, so that the recording is made at one rate."""
        self._take_anchors(WARM_UP_NS)

    def _take_anchors(self, span_ns: int = CALIBRATION_NS) -> NDArray[np.void]:
        blocks = cupy.cuda.Device().attributes["MultiProcessorCount"]
        anchors = cupy.zeros(blocks * 2 * ANCHOR_DTYPE.itemsize, dtype=cupy.uint8)
        self._calibrate((blocks,), (1,), (anchors, np.uint64(span_ns)))
        return _anchors(anchors)


def _run(launch: Launch, meanwhile: Callable[[], None] | None) -> None:
    """Start the kernel, and wait until it has come back. `meanwhile` is called again and again."""
    done = cupy.cuda.Event(disable_timing=True)
    launch.start()
    done.record()
    # Not `done.done`: after an error that stays False.
    while meanwhile and driver.cuEventQuery(done.ptr)[0] == driver.CUresult.CUDA_ERROR_NOT_READY:
        meanwhile()
        time.sleep(POLL_S)
    cupy.cuda.runtime.deviceSynchronize()


def _anchors(on_device: Any) -> NDArray[np.void]:
    host: NDArray[np.void] = cupy.asnumpy(on_device).view(ANCHOR_DTYPE).reshape(-1, 2)
    return host


def _no_anchors() -> NDArray[np.void]:
    return np.zeros((0, 2), dtype=ANCHOR_DTYPE)
