"""The worker process: reads one job, runs the kernel, saves the raw log. Speaks the lines of protocol.py.

A process of its own, so that a hung or crashed kernel costs this process and not the window.
    python -m visualizer.sources.gpu.worker           one job from stdin
    python -m visualizer.sources.gpu.worker --probe   only say which GPU there is
    python -m visualizer.sources.gpu.worker --conformance   carry out sequences of mbarrier operations
    python -m visualizer.sources.gpu.worker --cp-async   run the pipeline without mbarriers
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from visualizer.language import mark, preferred, tr, use
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.gpu.cost import slowdown
from visualizer.sources.gpu.protocol import COMPARING, RUNNING, Job, Outcome, flight_file, log_layout, probe_file
from visualizer.sources.gpu.values import expected_sum, source_matrix
from visualizer.trace.probe import RUN_DTYPE
from visualizer.trace.raw import STATUS_COMPLETED
from visualizer.trace.window import Window

if TYPE_CHECKING:
    from visualizer.sources.gpu.worker_kernel import LessonKernel

SM90 = (9, 0)
INSTALL = mark(
    'install the extra that matches the driver: pip install "phasescope[gpu-cuda13]" or "phasescope[gpu-cuda12]"'
)


class Unable(Exception):
    """Nothing can run here; `kind` is for programs, the message for people."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def main(arguments: list[str]) -> int:
    use(preferred())
    try:
        if arguments == ["--probe"]:
            say(done=examine_gpu())
        elif arguments == ["--conformance"]:
            say(done=run_conformance(json.loads(sys.stdin.read())))
        elif arguments == ["--cp-async"]:
            say(done=run_cp_async(json.loads(sys.stdin.read())))
        else:
            say(done=run(Job.from_json(sys.stdin.read())).to_dict())
    except Unable as problem:
        say(failed=problem.kind, message=str(problem))
    return 0


def say(**line: Any) -> None:
    print(json.dumps(line), flush=True)


def examine_gpu() -> dict[str, Any]:
    """Which GPU, driver and packages there are. Raises Unable if the lesson cannot run on them."""
    try:
        import cupy
    except ImportError as problem:
        raise Unable(
            "no-cupy", tr("CuPy cannot be imported ({problem}): {install}", problem=problem, install=tr(INSTALL))
        ) from None
    try:
        from cuda.bindings import driver  # noqa: F401
    except ImportError as problem:
        raise Unable(
            "no-cuda-bindings",
            tr("cuda-bindings cannot be imported ({problem}): {install}", problem=problem, install=tr(INSTALL)),
        ) from None
    runtime = cupy.cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as problem:
        raise Unable(
            "no-driver",
            tr("no NVIDIA driver answers ({problem}): install one, or record with --source simulator", problem=problem),
        ) from None
    if count == 0:
        raise Unable("no-gpu", tr("this machine has no NVIDIA GPU: record with --source simulator"))
    properties = runtime.getDeviceProperties(0)
    name = properties["name"].decode()
    capability = (properties["major"], properties["minor"])
    if capability != SM90:
        raise Unable(
            "not-sm90",
            tr(
                "{name} has compute capability {capability}; the lesson's kernel needs Hopper (9.0): record with"
                " --source simulator",
                name=name,
                capability=".".join(map(str, capability)),
            ),
        )
    return {
        "gpu": name,
        "driver": _driver_version(),
        "cuda": _cuda_version(runtime.driverGetVersion()),
        "cupy": cupy.__version__,
        "sm_count": int(properties["multiProcessorCount"]),
    }


def run(job: Job) -> Outcome:
    say(progress=0.05, message=tr("looking for a GPU"))
    gpu = examine_gpu()
    import cupy

    from visualizer.sources.gpu.worker_kernel import LessonKernel
    from visualizer.sources.gpu.worker_probe import Probing

    config, window = LessonConfig.from_dict(job.config), Window.from_dict(job.window)
    _check_memory(config, job, cupy.cuda.runtime.memGetInfo()[0])
    say(progress=0.15, message=tr("compiling the kernel"))
    try:
        matrix = source_matrix(config)
        with _compiling():
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
    source = {"kind": "gpu", **gpu, "sm": 90, "log_level": job.level}
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
    cost: dict[str, Any] = {} if job.level == "off" else {"record_ns": kernel.record_cost_ns()}
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


def run_conformance(job: dict[str, str]) -> dict[str, Any]:
    """Carry out the Sequences in the file job["steps"]; saves one result a step to job["output"]."""
    source = examine_gpu()
    from visualizer.sources.conformance.steps import Sequences
    from visualizer.sources.gpu.worker_conformance import ConformanceKernel

    sequences = Sequences.load(Path(job["steps"]))
    with _compiling():
        kernel = ConformanceKernel(sequences.form)
    source["numpy"] = np.__version__
    say(progress=0.4, message=RUNNING, source=source)
    results, crash = kernel.run(sequences)
    np.save(job["output"], results)
    return {"source": source, "crash": crash}


def run_cp_async(job: dict[str, Any]) -> dict[str, Any]:
    """Run kernels/cp_async_pipeline.cu with job["config"]; saves the RawLog to job["output"]."""
    gpu = examine_gpu()
    from visualizer.sources.gpu.worker_cp_async import run_kernel

    say(progress=0.4, message=RUNNING)
    with _compiling():
        log, wrong = run_kernel(LessonConfig.from_dict(job["config"]))
    log.save(Path(job["output"]))
    versions = {"cuda-bindings": importlib.metadata.version("cuda-bindings"), "numpy": np.__version__}
    return {"source": {"kind": "gpu", **gpu, "sm": 90, "log_level": "words"}, "versions": versions, "errors": wrong}


@contextmanager
def _compiling() -> Iterator[None]:
    """A kernel that does not compile is the user's to know of, in the compiler's first line."""
    import cupy

    try:
        yield
    except cupy.cuda.compiler.CompileException as problem:
        raise Unable(
            "compile",
            tr("the kernel does not compile here: {problem}", problem=str(problem).strip().splitlines()[0]),
        ) from None


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


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _driver_version() -> str:
    """The driver's own version as the kernel module tells it; "" where it does not."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return ""
    words = text.split()
    return next((word for word in words if word[0].isdigit() and "." in word), "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
