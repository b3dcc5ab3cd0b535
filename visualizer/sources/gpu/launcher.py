"""Records on the GPU through a worker process, and turns whatever became of it into a Trace.

This side needs numpy alone and never creates a CUDA context. A kernel that hung or crashed is a recording with that
ending; only where no kernel ran is there a SourceError.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from visualizer import __version__
from visualizer.language import recorded, tr
from visualizer.language.endings import GAVE_UP, GAVE_UP_IN_CTAS, LOST_IN_DEVICE, LOST_RING
from visualizer.programs.kernel_source import KERNEL_FILE, find_sites, kernel_text
from visualizer.programs.lesson import NAME, agents_of, barriers_of
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.errors import SourceError
from visualizer.sources.gpu.cost import LEAST_PAIRS, MOST_PAIRS
from visualizer.sources.gpu.flight import FlightFile
from visualizer.sources.gpu.log_window import records_per_warp
from visualizer.sources.gpu.probing import chosen_barriers, runs_per_barrier
from visualizer.sources.gpu.process import WorkerProcess
from visualizer.sources.gpu.protocol import CheckMode, Job, Outcome, flight_file, log_layout, probe_file
from visualizer.sources.gpu.size import check_size
from visualizer.sources.gpu.watch import FlightWatch
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.trace.build import build_trace
from visualizer.trace.probe import PROBES, ProbeMode, RawProbe
from visualizer.trace.raw import (
    BARRIER_EMPTY,
    BARRIER_FULL,
    CAPACITY_STEP,
    LOG_LEVELS,
    STATUS_TIMED_OUT,
    TILE_WORDS,
    LogLevel,
    RawLog,
)
from visualizer.trace.samples import probe_figures
from visualizer.trace.schema import EVENT_DTYPE
from visualizer.trace.tables import Agent, Barrier, Ending, Meta
from visualizer.trace.trace import Trace
from visualizer.trace.unfold import PipelineShape
from visualizer.trace.unroll import build_window
from visualizer.trace.window import EVERYTHING, Window

DEFAULT_LEVEL: LogLevel = "full"
"""Every wait with its begin and end, and the kernel hardly notices. What it lacks is `words` alone: the tokens."""
PROBED_LEVELS: tuple[LogLevel | None, ...] = (None, "full", "words")
"""With these a log has the time of every arrival, so that what a probe saw can be held against it."""
LogPlace = Literal["auto", "host", "device"]
LOG_PLACES: tuple[LogPlace, ...] = ("auto", "host", "device")
HOST_LOG_BYTES = 4 << 20
"""Logs up to this size go to host memory by default: the bus takes them without slowing the kernel noticeably."""
FLIGHT_DIRECTORY = Path("/dev/shm")
"""The driver maps files of a memory file system for the GPU, and refuses those of ext4 [measured on H200]."""
CHECK_MODES: tuple[CheckMode, ...] = ("exact", "checksum", "off")
PROBE_TIME_LIMIT_S = 60.0
WATCHDOG_MS = 1000
"""After how long a wait gives up where the kernel bounds its waits, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class GpuOptions:
    """How to record, beside what. SourceError if a value is outside what its line says."""

    level: LogLevel | None = None  # what to log; None: full, or words with a mistake in the program or a probe
    log_capacity: int = 0  # records per warp; 0: as many as the program makes
    check: CheckMode = "exact"  # compare every value, compare sums (fast), or only read
    watchdog_ms: int | None = None  # 0..60000: a wait longer than this ends the run; 0: none does; None: 1000
    time_limit_s: float = 120.0  # the worker is ended after this long
    log_memory: LogPlace = "auto"  # "host" outlives a crash; "device" is faster; "auto": host if it is small
    hang_s: float = 5.0  # with the log in host memory, the worker is ended after this long without an event
    window: Window = EVERYTHING  # what of the run is recorded
    ab_pairs: int = 0  # pairs of further runs, logging off and on, that tell what recording costs; 0: none
    probe: ProbeMode = "off"  # experimental: a spare warp looks at live barriers, see docs/hardware.md
    probe_barriers: tuple[str, ...] = ()  # names such as "full[0]"; none: all of them

    def __post_init__(self) -> None:
        if self.level is not None and self.level not in LOG_LEVELS:
            raise SourceError(
                tr("--level is {level!r}; it must be one of {names}", level=self.level, names=", ".join(LOG_LEVELS))
            )
        if self.check not in CHECK_MODES:
            raise SourceError(
                tr("--check is {check!r}; it must be one of {names}", check=self.check, names=", ".join(CHECK_MODES))
            )
        if not 0 <= self.log_capacity < 2**32:
            raise SourceError(
                tr(
                    "--log-capacity is {log_capacity}; it must be 0..{value} records per warp",
                    log_capacity=self.log_capacity,
                    value=2**32 - 1,
                )
            )
        if self.watchdog_ms is not None and not 0 <= self.watchdog_ms <= 60_000:
            raise SourceError(tr("--watchdog-ms is {watchdog_ms}; it must be 0..60000", watchdog_ms=self.watchdog_ms))
        if self.log_memory not in LOG_PLACES:
            raise SourceError(
                tr(
                    "--log-memory is {log_memory!r}; it must be one of {names}",
                    log_memory=self.log_memory,
                    names=", ".join(LOG_PLACES),
                )
            )
        if self.probe not in PROBES:
            raise SourceError(
                tr("--probe is {probe!r}; it must be one of {names}", probe=self.probe, names=", ".join(PROBES))
            )
        if self.probe_barriers and self.probe == "off":
            raise SourceError(tr("--probe-barriers says where a probe looks; it needs --probe words or --probe flips"))
        if self.probe != "off" and not self.window.is_everything:
            raise SourceError(
                tr(
                    "--probe {probe} looks at a whole run: leave out --window, --keep-last, --every-cta and --roles",
                    probe=self.probe,
                )
            )
        if self.probe != "off" and self.level not in PROBED_LEVELS:
            raise SourceError(
                tr(
                    "--probe {probe} is held against the time of every arrival, and --level {level} leaves"
                    " some to estimates: use --level full or --level words",
                    probe=self.probe,
                    level=self.level,
                )
            )
        if not self.hang_s > 0:
            raise SourceError(tr("--hang is {hang_s}; it must be more than 0 seconds", hang_s=self.hang_s))
        if self.ab_pairs and not LEAST_PAIRS <= self.ab_pairs <= MOST_PAIRS:
            raise SourceError(
                tr(
                    "--ab is {ab_pairs}; it must be {least_pairs}..{most_pairs} pairs of runs, or 0",
                    ab_pairs=self.ab_pairs,
                    least_pairs=LEAST_PAIRS,
                    most_pairs=MOST_PAIRS,
                )
            )
        if not self.time_limit_s > 0:
            raise SourceError(
                tr("--time-limit is {time_limit_s}; it must be more than 0 seconds", time_limit_s=self.time_limit_s)
            )


def record_gpu(
    config: LessonConfig,
    options: GpuOptions | None = None,
    *,
    fault: int = 0,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Trace:
    """Run the lesson's kernel with logging on GPU 0, with `fault` of kernels/faults.cuh compiled in (0: none).

    Raises SourceError if no kernel ran, Cancelled if told to stop.
    """
    options = options or GpuOptions()
    check_size(config, options.window)
    level = _level(options, fault)
    capacity = options.log_capacity or records_per_warp(config, level, options.window)
    if level in TILE_WORDS:
        capacity = -(-capacity // CAPACITY_STEP) * CAPACITY_STEP
    place = FLIGHT_DIRECTORY if level != "off" and _in_host_memory(config, level, capacity, options) else None
    with tempfile.TemporaryDirectory(prefix="phasescope-", dir=place) as directory:
        output = Path(directory) / "raw.npz"
        job = Job(
            config=config.as_dict(),
            check=options.check,
            level=level,
            log_capacity=capacity,
            watchdog_ms=bound_ms(options, level),
            output=str(output),
            fault=fault,
            window=asdict(options.window),
            ab_pairs=options.ab_pairs,
            flight=str(Path(directory) / "flight.log") if place else "",
            probe=options.probe,
            probe_barriers=chosen_barriers(config, options.probe_barriers),
            probe_capacity=runs_per_barrier(config),
        )
        flight = flight_file(config, job)
        # Outside a window the log is silent, however well the kernel runs: only the kernel or the time limit can tell.
        silent = len(options.window.tiles(config.tiles)) < config.tiles and not options.window.keep_last
        watch = FlightWatch(flight, options.hang_s, progress) if flight and not silent else None
        report = WorkerProcess([], job.to_json()).wait(options.time_limit_s, progress, cancelled, watch)
        if report.answer is None:
            if report.running is None:
                raise SourceError(
                    tr("the GPU worker ended before it ran the kernel: {why}", why=recorded(report.why)), "worker"
                )
            outcome = Outcome(report.running.get("source", {"kind": "gpu"}), report.running.get("versions", {}))
            ending = Ending("timeout" if report.ended else "crash", report.why)
            return _trace_of_flight(config, options, level, flight, outcome, ending)
        outcome = Outcome(**report.answer)
        if outcome.crash:
            return _trace_of_flight(config, options, level, flight, outcome, Ending("crash", outcome.crash))
        if progress:
            progress(0.8, tr("decoding the log"))
        probe = None if options.probe == "off" else RawProbe.load(probe_file(job))
        return trace_of_log(config, options, RawLog.load(output), outcome, probe=probe)


def probe_gpu() -> dict[str, Any]:
    """Which GPU, driver and packages a recording would use. Raises SourceError if it would not work."""
    report = WorkerProcess(["--probe"], "").wait(PROBE_TIME_LIMIT_S)
    if report.answer is None:
        raise SourceError(tr("the GPU worker did not answer: {why}", why=recorded(report.why)), "worker")
    return report.answer


def _level(options: GpuOptions, fault: int) -> LogLevel:
    """A program with a mistake in it does not do what its tiles say, so only records of events tell what it does.

    What a probe saw is held against the log, and records of events are the closer ones.
    """
    if fault and options.level not in (None, "words"):
        raise SourceError(
            tr("--level {level} cannot show a fault in the kernel: use --level words, or none", level=options.level)
        )
    if fault:
        return "words"
    return options.level or (DEFAULT_LEVEL if options.probe == "off" else "words")


def bound_ms(options: GpuOptions, level: LogLevel) -> int:
    """After how long a wait gives up, or 0: plain waits. The bound costs nothing that was measured beside a log
    (docs/hardware.md), and a kernel that ends by itself keeps its log wherever that lies."""
    if options.watchdog_ms is not None:
        return options.watchdog_ms
    return 0 if level == "off" else WATCHDOG_MS


def pipeline_shape(config: LessonConfig) -> PipelineShape:
    """What a log of clocks leaves out."""
    copies = config.copies_per_tile
    return PipelineShape(
        tiles=config.tiles,
        copies=copies,
        copy_bytes=config.tile_bytes // copies,
        expected_bytes=config.expected_bytes,
        arrivals=config.arrivals_per_warp,
        producer_delay_ps=config.producer_delay * 1000,
    )


def trace_of_log(
    config: LessonConfig,
    options: GpuOptions,
    raw: RawLog,
    outcome: Outcome,
    ending: Ending | None = None,
    probe: RawProbe | None = None,
) -> Trace:
    """The Trace of a kernel that came back, or of what it had logged until the given ending.

    `probe` is what the probe saw; a crash takes it along, since it lies in device memory.
    """
    if raw.level == "off":
        trace = _empty_trace(config, outcome.source, outcome.versions, ending or Ending("completed"))
        trace.meta.check.update(mode=options.check, checked=outcome.checked, errors=outcome.errors)
        return trace
    agents = agents_of(config)
    barriers = barriers_of(config)
    ending = ending or _ending(raw, agents, barriers, bound_ms(options, raw.level))
    completed = ending.kind == "completed"
    text = kernel_text()
    source = {**outcome.source, "kernel_ns": _kernel_ns(raw)}
    if probe is not None:
        source["probe"] = probe_figures(options.probe, probe)
    meta = _meta(config, source, outcome.versions, ending)
    meta.check.update(
        mode=options.check,
        # Agents that gave up read nothing reliable, so nothing counts as checked.
        checked=outcome.checked if completed else 0,
        errors=outcome.errors if completed else 0,
    )
    meta.cost.update(outcome.cost)
    shape, sites, texts = pipeline_shape(config), find_sites(text), {KERNEL_FILE: text}
    if options.window.is_everything:
        return build_trace(raw, agents, barriers, sites, meta, texts, shape, probe)
    return build_window(raw, options.window, agents, barriers, sites, meta, texts, shape)


def _in_host_memory(config: LessonConfig, level: LogLevel, capacity: int, options: GpuOptions) -> bool:
    if options.log_memory == "host" and not FLIGHT_DIRECTORY.is_dir():
        raise SourceError(
            tr(
                "--log-memory host needs {flight_directory}, a file system in memory: use --log-memory device",
                flight_directory=FLIGHT_DIRECTORY,
            )
        )
    is_small = log_layout(config, level, capacity).size <= HOST_LOG_BYTES and FLIGHT_DIRECTORY.is_dir()
    return options.log_memory == "host" or (options.log_memory == "auto" and is_small)


def _trace_of_flight(
    config: LessonConfig,
    options: GpuOptions,
    level: LogLevel,
    flight: FlightFile | None,
    outcome: Outcome,
    ending: Ending,
) -> Trace:
    """What a kernel that never came back had logged; no events, and why, if that cannot be told."""
    raw = flight.read() if flight else None
    why = "{why}"
    if flight is None and ending.kind == "timeout" and level != "off":
        why = LOST_IN_DEVICE
    elif raw is not None and raw.level in TILE_WORDS and options.window.keep_last:
        why, raw = LOST_RING, None
    if raw is None:
        return _empty_trace(
            config, outcome.source, outcome.versions, replace(ending, detail=why.format(why=ending.detail))
        )
    return trace_of_log(config, options, raw, outcome, ending)


def _kernel_ns(raw: RawLog) -> int:
    """Nanoseconds from the first CTA's start to the last one's end."""
    ticks = raw.anchors["globaltimer"]
    return int(ticks.max()) - int(ticks[ticks > 0].min())


def _ending(raw: RawLog, agents: tuple[Agent, ...], barriers: tuple[Barrier, ...], watchdog_ms: int) -> Ending:
    stuck = np.flatnonzero(raw.status & STATUS_TIMED_OUT)
    if not len(stuck):
        return Ending("completed")
    # The CTA that left first gave up first.
    cta = int(stuck[np.argmin(raw.anchors["globaltimer"][stuck, 1])])
    status = int(raw.status[cta])
    agent = next(row.name for row in agents if row.cta == cta and row.warp == status >> 16 & 0x7FFF)
    where = ({BARRIER_FULL: "full", BARRIER_EMPTY: "empty"}[status >> 8 & 0xFF], status & 0xFF)
    barrier = next(row.name for row in barriers if row.cta == cta and (row.kind, row.stage) == where)
    facts = {"agent": agent, "ms": watchdog_ms, "barrier": barrier}
    if raw.ctas == 1:
        return Ending("timeout", GAVE_UP.format(**facts))
    return Ending("timeout", GAVE_UP_IN_CTAS.format(n=len(stuck), ctas=raw.ctas, **facts))


def _empty_trace(config: LessonConfig, source: dict[str, Any], versions: dict[str, str], ending: Ending) -> Trace:
    """A run whose log was lost with its context: device memory cannot be read after a launch failure."""
    text = kernel_text()
    return Trace(
        meta=_meta(config, source, versions, ending),
        agents=agents_of(config),
        barriers=barriers_of(config),
        sites=find_sites(text),
        events=np.zeros(0, dtype=EVENT_DTYPE),
        source_files={KERNEL_FILE: text},
    )


def _meta(config: LessonConfig, source: dict[str, Any], versions: dict[str, str], ending: Ending) -> Meta:
    return Meta(
        program=NAME,
        config=config.as_dict(),
        source=source,
        ending=ending,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"phasescope": __version__, **versions},
    )
