"""The lesson's worker process: reads one job, runs the kernel, saves the raw log.

A process of its own, so that a hung or crashed kernel costs this process and not the window.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from visualizer.language import tr
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.facts import Cost, Source
from visualizer.sources.lesson.job import COMPARING, Job, Outcome, flight_file, log_layout, probe_file
from visualizer.sources.lesson.raw_log import STATUS_COMPLETED
from visualizer.sources.lesson.values import expected_sum, source_matrix
from visualizer.sources.lesson.window import Window
from visualizer.sources.lesson.word_probe import RUN_DTYPE
from visualizer.sources.runner.cost import slowdown
from visualizer.sources.runner.device import compiling, examine_gpu
from visualizer.sources.runner.protocol import RUNNING, Unable, say, serve

if TYPE_CHECKING:
    from visualizer.sources.lesson.worker_kernel import LessonKernel


def run(job: Job) -> Outcome:
    say(progress=0.05, message=tr("looking for a GPU"))
    gpu = examine_gpu()
    import cupy

    from visualizer.sources.lesson.worker_kernel import LessonKernel
    from visualizer.sources.lesson.worker_probe import Probing

    config, window = LessonConfig.from_dict(job.config), Window.from_dict(job.window)
    _check_memory(config, job, cupy.cuda.runtime.memGetInfo()[0])
    say(progress=0.15, message=tr("compiling the kernel"))
    try:
        matrix = source_matrix(config)
        with compiling():
            kernel = LessonKernel(
                config,
                matrix,
                job.check,
                level=job.level,
                fault=job.fault,
                window=window,
                probe=Probing(job.probe, job.probe_barriers, job.probe_capacity),
                watchdog_ms=job.watchdog_ms,
            )
    except MemoryError:
        raise Unable("memory", tr("the source matrix does not fit in memory: use fewer --source-tiles")) from None
    source = cast(Source, {"kind": "gpu", **gpu, "sm": 90, "log_level": job.level})
    versions = {"cuda-bindings": importlib.metadata.version("cuda-bindings"), "numpy": np.__version__}
    try:
        kernel.warm_up()
        flight = flight_file(config, job)
        say(progress=0.4, message=RUNNING, source=source, versions=versions)
        done = kernel.run(job.log_capacity, flight=flight)
    except MemoryError:
        raise Unable(
            "memory", tr("the log does not fit in memory: use fewer --tiles or --ctas, or a smaller --log-capacity")
        ) from None
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as problem:
        return Outcome(source, versions, crash=str(problem))
    say(progress=0.7, message=tr("saving the log"))
    done.log.save(Path(job.output))
    if done.probe is not None:
        done.probe.save(probe_file(job))
    if job.check == "exact":
        checked = config.ctas * config.tiles * config.tile_rows * config.tile_columns
        errors = int(done.results.sum())
    elif job.check == "checksum":
        sums = done.results.astype(np.uint64).sum(axis=1) % 2**32
        checked, errors = config.ctas, int((sums != expected_sum(config, matrix)).sum())
    else:
        checked = errors = 0
    cost: Cost = {} if job.level == "off" else {"record_ns": kernel.record_cost_ns()}
    if job.ab_pairs and job.level != "off" and (done.log.status == STATUS_COMPLETED).all():
        say(progress=0.75, message=COMPARING)
        without = LessonKernel(config, matrix, job.check, level="off", fault=job.fault)
        cost.update(slowdown(*_time_pairs(kernel, without, job)))
    return Outcome(source, versions, checked=checked, errors=errors, cost=cost)


def _time_pairs(logging: LessonKernel, without: LessonKernel, job: Job) -> tuple[list[float], list[float]]:
    """Times (ns) of the kernel without and with its log, in turn; who goes first alternates, and one pair warms up."""
    memory = logging.memory(job.log_capacity)
    on, off = (kernel.prepare(memory, job.log_capacity) for kernel in (logging, without))
    times: tuple[list[float], list[float]] = ([], [])
    for pair in range(1 + job.ab_pairs):
        for which in (0, 1) if pair % 2 else (1, 0):
            time = (off, on)[which].timed_ns()
            if pair:
                times[which].append(time)
    return times


def _check_memory(config: LessonConfig, job: Job, free: int) -> None:
    """Refuse up front what cannot fit, with its size."""
    log = log_layout(config, job.level, job.log_capacity).size
    if job.probe != "off":
        log += config.ctas * 2 * config.stages * job.probe_capacity * RUN_DTYPE.itemsize
    matrix = config.tile_rows * config.source_tiles * config.tile_columns * 2
    if log + matrix > free * 0.9:
        raise Unable(
            "memory",
            tr(
                "the log needs {log:.1f} GB, the source {matrix:.1f} GB, and the GPU has {free:.1f} GB:"
                " use fewer --tiles, --ctas or --source-tiles, or a smaller --log-capacity",
                log=log / 1e9,
                matrix=matrix / 1e9,
                free=free / 1e9,
            ),
        )


if __name__ == "__main__":
    sys.exit(serve(lambda job: run(Job.from_json(job)).to_dict()))
