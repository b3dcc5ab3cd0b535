"""Records on the GPU through a worker process, and turns whatever became of it into a Trace.

This side needs numpy alone and never creates a CUDA context. A kernel that hung or crashed is a recording with that
ending; only where no kernel ran is there a SourceError.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from visualizer import __version__
from visualizer.language import recorded, tr
from visualizer.language.endings import GAVE_UP, GAVE_UP_IN_CTAS, LAST_COPY, LOST_IN_DEVICE, LOST_RING
from visualizer.programs.kernel_source import KERNEL_FILE, find_sites, kernel_text
from visualizer.programs.lesson import NAME, agents_of, barriers_of
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.facts import Source
from visualizer.recording.schema import EVENT_DTYPE
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.build_trace import build_trace
from visualizer.sources.lesson.job import Job, Outcome, flight_file, log_layout, probe_file
from visualizer.sources.lesson.kernel_window import records_per_warp
from visualizer.sources.lesson.options import GpuOptions, bound_ms, level_of
from visualizer.sources.lesson.probing import chosen_barriers, runs_per_barrier
from visualizer.sources.lesson.raw_log import (
    BARRIER_EMPTY,
    BARRIER_FULL,
    CAPACITY_STEP,
    STATUS_TIMED_OUT,
    TILE_WORDS,
    LogLayout,
    RawLog,
)
from visualizer.sources.lesson.size import check_size
from visualizer.sources.lesson.tile_events import PipelineShape
from visualizer.sources.lesson.window_trace import build_window
from visualizer.sources.lesson.word_probe import RawProbe
from visualizer.sources.lesson.word_samples import probe_figures
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.runner.flight import FlightFile
from visualizer.sources.runner.process import Report, WorkerProcess
from visualizer.sources.runner.watch import FlightWatch

HOST_LOG_BYTES = 4 << 20
"""Logs up to this size go to host memory by default: the bus takes them without slowing the kernel noticeably."""
FLIGHT_DIRECTORY = Path("/dev/shm")
"""The driver maps files of a memory file system for the GPU, and refuses those of ext4 [measured on H200]."""
WORKER_MODULE = "visualizer.sources.lesson.worker"


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
    level = level_of(options, fault)
    wanted = records_per_warp(config, level, options.window)
    capacity = options.log_capacity or wanted
    if level in TILE_WORDS:
        capacity = -(-capacity // CAPACITY_STEP) * CAPACITY_STEP
    layout = log_layout(config, level, capacity)
    mapped = level != "off" and _in_host_memory(layout, options)
    with (
        tempfile.TemporaryDirectory(prefix="phasescope-") as directory,
        tempfile.TemporaryDirectory(prefix="phasescope-", dir=_flight_directory(layout, mapped)) as flights,
    ):
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
            flight=str(Path(flights) / "flight.log") if level != "off" else "",
            mapped=mapped,
            probe=options.probe,
            probe_barriers=chosen_barriers(config, options.probe_barriers),
            probe_capacity=runs_per_barrier(config),
        )
        flight = flight_file(config, job)
        silent = _is_silent(config, options, capacity < wanted)
        watch = FlightWatch(flight, options.hang_s, progress) if flight and not silent else None
        report = WorkerProcess(WORKER_MODULE, job.to_json()).wait(options.time_limit_s, progress, cancelled, watch)
        if report.answer is None:
            return _trace_without_answer(config, options, flight, report, hung=watch is not None and watch.hung)
        outcome = Outcome(**report.answer)
        if outcome.crash:
            return _trace_of_flight(config, options, flight, outcome, Ending("crash", outcome.crash))
        if progress:
            progress(0.8, tr("decoding the log"))
        probe = None if options.probe == "off" else RawProbe.load(probe_file(job))
        return trace_of_log(config, options, RawLog.load(output), outcome, probe=probe)


def _is_silent(config: LessonConfig, options: GpuOptions, overflows: bool) -> bool:
    """Whether the log may stand still however well the kernel runs, so that only the kernel or the time limit can tell
    a hang: outside a window, or once it is full."""
    if options.window.keep_last:
        return False
    return overflows or len(options.window.tiles(config.tiles)) < config.tiles


def _trace_without_answer(
    config: LessonConfig, options: GpuOptions, flight: FlightFile[RawLog] | None, report: Report, *, hung: bool
) -> Trace:
    """What is there of a run whose worker was ended or died. SourceError if the kernel had not begun."""
    if report.running is None:
        why = tr("the GPU worker ended before it ran the kernel: {why}", why=recorded(report.why))
        raise SourceError(why, "worker")
    outcome = Outcome(report.running.get("source", {"kind": "gpu"}), report.running.get("versions", {}))
    ending = Ending("timeout" if report.ended else "crash", report.why)
    return _trace_of_flight(config, options, flight, outcome, ending, hung=hung)


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
        trace.meta.check.update({"mode": options.check, "checked": outcome.checked, "errors": outcome.errors})
        return trace
    agents = agents_of(config)
    barriers = barriers_of(config)
    ending = ending or _ending(raw, agents, barriers, bound_ms(options, raw.level))
    completed = ending.kind == "completed"
    text = kernel_text()
    source: Source = {**outcome.source, "kernel_ns": _kernel_ns(raw)}
    if probe is not None:
        source["probe"] = probe_figures(options.probe, probe)
    meta = _meta(config, source, outcome.versions, ending)
    # Agents that gave up read nothing reliable, so nothing counts as checked.
    checked, errors = (outcome.checked, outcome.errors) if completed else (0, 0)
    meta.check.update({"mode": options.check, "checked": checked, "errors": errors})
    meta.cost.update(outcome.cost)
    shape, sites, texts = pipeline_shape(config), find_sites(text), {KERNEL_FILE: text}
    if options.window.is_everything:
        return build_trace(raw, agents, barriers, sites, meta, texts, shape, probe)
    return build_window(raw, options.window, agents, barriers, sites, meta, texts, shape)


def _in_host_memory(layout: LogLayout, options: GpuOptions) -> bool:
    if options.log_memory == "host" and not FLIGHT_DIRECTORY.is_dir():
        raise SourceError(
            tr(
                "--log-memory host needs {flight_directory}, a file system in memory: use --log-memory device",
                flight_directory=FLIGHT_DIRECTORY,
            )
        )
    is_small = layout.size <= HOST_LOG_BYTES and FLIGHT_DIRECTORY.is_dir()
    return options.log_memory == "host" or (options.log_memory == "auto" and is_small)


def _flight_directory(layout: LogLayout, mapped: bool) -> Path | None:
    """Where the flight recorder's file goes; None: where temporary files go, which does for one that is not mapped."""
    if mapped or (FLIGHT_DIRECTORY.is_dir() and shutil.disk_usage(FLIGHT_DIRECTORY).free > layout.size):
        return FLIGHT_DIRECTORY
    return None


def _trace_of_flight(
    config: LessonConfig,
    options: GpuOptions,
    flight: FlightFile[RawLog] | None,
    outcome: Outcome,
    ending: Ending,
    *,
    hung: bool = False,
) -> Trace:
    """What a kernel that never came back had logged; no events, and why, if that cannot be told.

    `hung`: it had long stopped to log, so that a copy of its log is whole.
    """
    raw = flight.read() if flight else None
    why = "{why}"
    if raw is not None and raw.level in TILE_WORDS and options.window.keep_last:
        why, raw = LOST_RING, None
    elif flight is not None and flight.copied and not hung:
        why = LOST_IN_DEVICE if raw is None else LAST_COPY
    ending = replace(ending, detail=why.format(why=ending.detail))
    if raw is None:
        return _empty_trace(config, outcome.source, outcome.versions, ending)
    return trace_of_log(config, options, raw, outcome, ending)


def _kernel_ns(raw: RawLog) -> int:
    """Nanoseconds from the first CTA's start to the last one's end."""
    ticks = raw.anchors["globaltimer"]
    ticks = ticks[ticks > 0]
    return int(np.ptp(ticks)) if len(ticks) else 0


def _ending(raw: RawLog, agents: tuple[Agent, ...], barriers: tuple[Barrier, ...], watchdog_ms: int) -> Ending:
    stuck = np.flatnonzero(raw.status & STATUS_TIMED_OUT)
    if not len(stuck):
        return Ending("completed")
    # The CTA that left first gave up first.
    cta = int(stuck[np.argmin(raw.anchors["globaltimer"][stuck, 1])])
    status = int(raw.status[cta])
    agent = next((row.name for row in agents if row.cta == cta and row.warp == status >> 16 & 0x7FFF), None)
    where = ({BARRIER_FULL: "full", BARRIER_EMPTY: "empty"}.get(status >> 8 & 0xFF), status & 0xFF)
    barrier = next((row.name for row in barriers if row.cta == cta and (row.kind, row.stage) == where), None)
    if agent is None or barrier is None:
        raise TraceError(
            tr(
                "the log is damaged: CTA {cta} says {status} of its end, which no wait of this program is, as if"
                " something had been written over it",
                cta=cta,
                status=f"{status:#x}",
            )
        )
    facts = {"agent": agent, "ms": watchdog_ms, "barrier": barrier}
    if raw.ctas == 1:
        return Ending("timeout", GAVE_UP.format(**facts))
    return Ending("timeout", GAVE_UP_IN_CTAS.format(n=len(stuck), ctas=raw.ctas, **facts))


def _empty_trace(config: LessonConfig, source: Source, versions: dict[str, str], ending: Ending) -> Trace:
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


def _meta(config: LessonConfig, source: Source, versions: dict[str, str], ending: Ending) -> Meta:
    return Meta(
        program=NAME,
        config=config.as_dict(),
        source=source,
        ending=ending,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"phasescope": __version__, **versions},
    )
