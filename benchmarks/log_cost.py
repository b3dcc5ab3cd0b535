"""What logging costs on this GPU: whole-kernel time at every level, and with other ways to log, over the time without.

    PYTHONPATH=. python benchmarks/log_cost.py --json FILE [--rounds 20]

The lesson's kernel, 132 CTAs, 3 stages, 16 KiB tiles, 1024 each, 3 consumer warps. Every round runs every variant once,
so that drifting clocks touch all alike; a ratio is of medians. The attempts are in log_attempts.cu.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from visualizer.programs.parameters import LessonConfig
from visualizer.resources import resource_dir
from visualizer.sources.gpu.values import expected_sum, source_matrix
from visualizer.sources.gpu.worker import examine_gpu
from visualizer.sources.gpu.worker_kernel import Launch, LessonKernel
from visualizer.sources.gpu.worker_memory import DeviceMemory
from visualizer.trace.raw import CAPACITY_STEP, LOG_LEVELS, LogLayout, LogLevel

CONFIG = LessonConfig(ctas=132, tiles=1024, stages=3, consumer_warps=3)
WORKLOADS = {
    "tiles read at full speed": CONFIG,
    "and 100 ns of work on each": CONFIG.changed(consumer_delay=100),
    "and 200 ns of work on each": CONFIG.changed(consumer_delay=200),
}
ATTEMPTS = {
    "off, again": "NoLog",
    "bounded waits that tell whether they blocked, no log": "WaitsOnly",
    "only the producer logs, as at full": "ProducerOnly",
    "two clocks, no store": "ClocksOnly",
    "8 bytes, stored as the tile is done": "StoreAtOnce",
    "8 bytes, clocks with memory clobbers, a branch around the store": "Clobbering",
    "8 bytes, lane i keeps tile i, 32 stored together": "InRegisters",
    "FlashInfer-style: global timer, 64-bit store, block fence": "TimerAndFence<false>",
    "the same with a GPU-wide fence": "TimerAndFence<true>",
    "printf of a clock": "Printing",
}
SLOW = {"printf of a clock"}
SLOW_ROUNDS = 1


@dataclass(frozen=True, eq=False)
class Variant:
    name: str
    launch: Launch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the raw numbers there")
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    found: dict[str, dict[str, list[float]]] = {}
    for workload, config in WORKLOADS.items():
        times = measure(config, args.rounds)
        found[workload] = times
        print(f"\n{workload}: {statistics.median(times['off']) / config.tiles * 1000:.0f} ns a tile without a log")
        for name, ratio in ratios(times).items():
            print(f"  {ratio:7.3f}  {statistics.median(times[name]):9.1f} us  {name}", flush=True)
    if args.json:
        args.json.write_text(json.dumps({**versions(), "rounds": args.rounds, "us": found}, indent=1) + "\n")


def measure(config: LessonConfig, rounds: int) -> dict[str, list[float]]:
    """Microseconds of each variant's kernel in every round."""
    matrix = source_matrix(config)
    wanted = expected_sum(config, matrix)
    # One source for all: where it lies decides how fast the L2 cache delivers it, by up to 10 % [H200].
    matrix = cupy.asarray(matrix)
    levels = [variant(config, matrix, level) for level in LOG_LEVELS]
    variants = levels + [variant(config, matrix, "full", name, log) for name, log in ATTEMPTS.items()]
    times: dict[str, list[float]] = {one.name: [] for one in variants}
    for turn in range(-2, rounds):
        for one in variants:
            if one.name in SLOW and (config != CONFIG or not 0 <= turn < SLOW_ROUNDS):
                continue
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            with silence() if one.name in SLOW else nullcontext():
                begin.record()
                one.launch.start()
                end.record()
                cupy.cuda.runtime.deviceSynchronize()
            if turn >= 0:
                times[one.name].append(cupy.cuda.get_elapsed_time(begin, end) * 1000)
    times = {name: values for name, values in times.items() if values}
    for one in variants:
        if one.name not in times:
            continue
        sums = cupy.asnumpy(one.launch.results).astype(np.uint64).sum(axis=1) % 2**32
        assert (sums == wanted).all(), f"{one.name}: wrong sums"
    return times


@contextmanager
def silence() -> Iterator[None]:
    """Throw away what the GPU prints."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def variant(config: LessonConfig, matrix: Any, level: LogLevel, name: str = "", log: str = "") -> Variant:
    code = (Path(__file__).parent / "log_attempts.cu").read_text() if log else ""
    defines = (f"-I{resource_dir('kernels')}", f"-DPHASESCOPE_LOG_TYPE={log}") if log else ()
    kernel = LessonKernel(config, matrix, "checksum", level=level, code=code, defines=defines)
    capacity = (
        records(config) if level == "words" else -(-(config.tiles + config.stages) // CAPACITY_STEP) * CAPACITY_STEP
    )
    # An attempt writes no more than the largest level.
    layout = LogLayout(level, config.ctas, 1 + config.consumer_warps, 2 * capacity if log else capacity)
    launch = kernel.prepare(DeviceMemory(layout), capacity, 1000)
    return Variant(name or level, launch)


def records(config: LessonConfig) -> int:
    """Records of events that the busiest warp makes."""
    return 8 * config.tiles + 64


def ratios(times: dict[str, list[float]]) -> dict[str, float]:
    """Each variant's median over that of `off`."""
    off = statistics.median(times["off"])
    return {name: statistics.median(values) / off for name, values in times.items()}


def versions() -> dict[str, Any]:
    return {**examine_gpu(), "python": platform.python_version(), "numpy": np.__version__, "config": CONFIG.as_dict()}


if __name__ == "__main__":
    main()
