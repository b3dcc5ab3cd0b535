"""One recording of the lesson's kernel as its launcher orders it and its worker carries it out."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from visualizer.language import mark
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.facts import Cost, Source
from visualizer.sources.lesson.raw_log import LogLevel, RawLog
from visualizer.sources.lesson.unfinished_log import FlightLayout
from visualizer.sources.lesson.word_probe import ProbeMode
from visualizer.sources.runner.flight import FlightFile

CheckMode = Literal["exact", "checksum", "off"]
COMPARING = mark("comparing runs with logging off and on")
"""The message that tells that the recording is made and its cost is being measured: the log has no more to say."""


@dataclass(frozen=True, slots=True)
class Job:
    """One recording to make. `output` is where the worker saves the RawLog."""

    config: dict[str, Any]  # LessonConfig.as_dict()
    check: CheckMode
    level: LogLevel  # what the kernel logs; not "off"
    log_capacity: int  # records per warp: of events, or of tiles at the levels of clocks
    watchdog_ms: int  # 0: the kernel's waits are plain and never give up
    output: str
    window: dict[str, Any]  # trace.window.Window's fields
    ab_pairs: int  # pairs of runs, logging off and on, to time after the recording
    fault: int  # the mistake compiled into the kernel, kernels/faults.cuh; 0: none
    flight: str  # the file that holds the log while the kernel runs; "": there is none
    mapped: bool  # the GPU writes that file itself; else the log is in device memory, and the worker copies it there
    probe: ProbeMode = "off"
    probe_barriers: int = 0  # bit i: look at barrier i of each CTA, full[0], full[1], ..., empty[0], ...
    probe_capacity: int = 0  # runs of equal samples each barrier has room for

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        return cls(**json.loads(text))


def probe_file(job: Job) -> Path:
    """Where the worker saves what the probe saw."""
    return Path(job.output).with_suffix(".probe.npz")


def flight_file(config: LessonConfig, job: Job) -> FlightFile[RawLog] | None:
    """The file that holds the log of this job while the kernel runs, if there is one."""
    if not job.flight:
        return None
    return FlightFile(Path(job.flight), log_layout(config, job.level, job.log_capacity), copied=not job.mapped)


def log_layout(config: LessonConfig, level: LogLevel, capacity: int) -> FlightLayout:
    """How large the log of this program is."""
    return FlightLayout(level, config.ctas, 1 + config.consumer_warps, capacity)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a kernel that ran came to."""

    source: Source  # goes into Trace.meta.source
    versions: dict[str, str]
    crash: str = ""  # the CUDA error's name; then there is no log
    checked: int = 0  # values compared (exact) or CTAs summed (checksum)
    errors: int = 0  # of these, wrong ones
    cost: Cost = field(default_factory=Cost)  # what logging costs; goes into Trace.meta.cost

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
