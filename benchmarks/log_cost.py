"""What logging costs on this GPU: whole-kernel time at every level, and with other ways to log, over the time without.

    PYTHONPATH=. python benchmarks/log_cost.py --json FILE [--rounds 20] [--attempts]

The lesson's kernel, 132 CTAs, 3 stages, 16 KiB tiles, 1024 each, 3 consumer warps. Every round runs every variant once,
so that drifting clocks touch all alike; a ratio is of medians. Each way to log is built several times with its loops at
different places in memory, because the place alone is worth some percent: a ratio is the median over the places, with
the lowest and the highest beside it. Takes a minute, most of it to compile. `--attempts` adds the ways to log that were
tried and dropped; they are in log_attempts.cu.
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
from visualizer.sources.lesson.options import WATCHDOG_MS
from visualizer.sources.lesson.raw_log import CAPACITY_STEP, LogLayout, LogLevel
from visualizer.sources.lesson.values import expected_sum, source_matrix
from visualizer.sources.lesson.worker_kernel import Launch, LessonKernel
from visualizer.sources.lesson.worker_memory import DeviceMemory
from visualizer.sources.runner.device import examine_gpu

CONFIG = LessonConfig(ctas=132, tiles=1024, stages=3, consumer_warps=3)
WORKLOADS = {
    "tiles read at full speed": CONFIG,
    "and 140 ns of work on each": CONFIG.changed(consumer_delay=140),
    "and 280 ns of work on each": CONFIG.changed(consumer_delay=280),
    "and 420 ns of work on each": CONFIG.changed(consumer_delay=420),
}


@dataclass(frozen=True)
class Way:
    """A way to log: a level, or a class of log_attempts.cu in its place; and whether its waits give up."""

    level: LogLevel
    log: str = ""
    bound: bool = False


WAYS = {
    "off": Way("off"),
    "off, again": Way("off"),
    "phases": Way("phases"),
    "standard": Way("standard"),
    "full": Way("full"),
    "full, waits bounded": Way("full", bound=True),
    "words": Way("words"),
    "words, waits bounded": Way("words", bound=True),
    "FlashInfer-style: global timer, 64-bit store, block fence": Way("full", "TimerAndFence<false>"),
    "printf of a clock": Way("full", "Printing"),
}
ATTEMPTS = {
    "waits that tell whether they blocked, no log": Way("full", "WaitsOnly"),
    "only the producer stores, as at full": Way("full", "ProducerOnly"),
    "only the consumers store": Way("full", "ConsumersOnly"),
    "two clocks, no store": Way("full", "ClocksOnly"),
    "full, and one function of the kernel is called": Way("full", "Calling"),
    "8 bytes, stored as the next wait begins": Way("full", "StoreAtWait"),
    "8 bytes, clocks with memory clobbers, a branch around the store": Way("full", "Clobbering"),
    "8 bytes, lane i keeps tile i, 32 stored together": Way("full", "InRegisters"),
    "FlashInfer-style with a GPU-wide fence": Way("full", "TimerAndFence<true>"),
}
SLOW = {"printf of a clock"}  # run once, at full speed alone


PLACES = 4
"""In how many places of the instruction memory each way is measured."""


@dataclass(frozen=True, eq=False)
class Variant:
    name: str
    place: int
    launch: Launch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the raw numbers there")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--attempts", action="store_true", help="also what was tried and dropped")
    args = parser.parse_args()
    ways = {**WAYS, **(ATTEMPTS if args.attempts else {})}
    matrix = source_matrix(CONFIG)
    # One source for all: where it lies decides how fast the L2 cache delivers it, by up to 10 % [H200].
    shared = cupy.asarray(matrix)
    wanted = expected_sum(CONFIG, matrix)
    found = {name: measure(config, ways, shared, wanted, args.rounds) for name, config in WORKLOADS.items()}
    print(table(found))
    if args.json:
        args.json.write_text(json.dumps({**versions(), "rounds": args.rounds, "us": found}) + "\n")


def measure(
    config: LessonConfig, ways: dict[str, Way], matrix: Any, wanted: int, rounds: int
) -> dict[str, list[list[float]]]:
    """Microseconds of each way's kernel, [place][round]."""
    variants = [
        variant(config, matrix, name, way, place)
        for name, way in ways.items()
        if config == CONFIG or name not in SLOW
        for place in range(1 if name in SLOW else PLACES)
    ]
    times: dict[str, list[list[float]]] = {name: [] for name in ways}
    for one in variants:
        times[one.name].append([])
    for turn in range(-2, rounds):
        for one in variants:
            if one.name in SLOW and turn:
                continue
            with silence() if one.name in SLOW else nullcontext():
                nanoseconds = one.launch.timed_ns()
            if turn >= 0:
                times[one.name][one.place].append(nanoseconds / 1000)
    for one in variants:
        sums = cupy.asnumpy(one.launch.results).astype(np.uint64).sum(axis=1) % 2**32
        assert (sums == wanted).all(), f"{one.name}: wrong sums"
    return {name: places for name, places in times.items() if places}


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


def variant(config: LessonConfig, matrix: Any, name: str, way: Way, place: int) -> Variant:
    code = (Path(__file__).parent / "log_attempts.cu").read_text()
    log = way.log or "LogOf<kLevel>::Type"
    defines = (f"-I{resource_dir('kernels')}", f"-DATTEMPT={log}", f"-DPLACE={place}")
    kernel = LessonKernel(
        config,
        matrix,
        "checksum",
        level=way.level,
        watchdog_ms=WATCHDOG_MS if way.bound else 0,
        code=code,
        defines=defines,
    )
    tiles = -(-(config.tiles + config.stages) // CAPACITY_STEP) * CAPACITY_STEP
    capacity = records(config) if way.level == "words" else tiles
    # An attempt writes no more than the largest level.
    layout = LogLayout(way.level, config.ctas, 1 + config.consumer_warps, 2 * capacity if way.log else capacity)
    return Variant(name, place, kernel.prepare(DeviceMemory(layout), capacity))


def records(config: LessonConfig) -> int:
    """Records of events that the busiest warp makes."""
    return 8 * config.tiles + 64


def table(found: dict[str, dict[str, list[list[float]]]]) -> str:
    """Each way's time over that of `off`, a column a workload, as Markdown: median of places (lowest-highest)."""
    off = {workload: statistics.median(medians(times["off"])) for workload, times in found.items()}
    titles = [f"{workload}, {time / CONFIG.tiles * 1000:.0f} ns a tile" for workload, time in off.items()]
    lines = ["| log | " + " | ".join(titles) + " |", "|---" * (1 + len(off)) + "|"]
    for name in next(iter(found.values())):
        cells = []
        for workload, times in found.items():
            ratios = [time / off[workload] for time in medians(times.get(name, []))]
            several = f" ({min(ratios):.3f}-{max(ratios):.3f})" if len(ratios) > 1 else ""
            cells.append(f"{statistics.median(ratios):.3f}{several}" if ratios else "")
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines)


def medians(places: list[list[float]]) -> list[float]:
    return [statistics.median(times) for times in places]


def versions() -> dict[str, Any]:
    return {**examine_gpu(), "python": platform.python_version(), "numpy": np.__version__, "config": CONFIG.as_dict()}


if __name__ == "__main__":
    main()
