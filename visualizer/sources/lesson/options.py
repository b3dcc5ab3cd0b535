"""What a user may ask of a recording on the GPU, checked where it is asked; and what follows where nothing was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from visualizer.language import tr
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.job import CheckMode
from visualizer.sources.lesson.raw_log import LOG_LEVELS, LogLevel
from visualizer.sources.lesson.window import EVERYTHING, Window
from visualizer.sources.lesson.word_probe import PROBES, ProbeMode
from visualizer.sources.runner.cost import LEAST_PAIRS, MOST_PAIRS

DEFAULT_LEVEL: LogLevel = "full"
"""Every wait with its begin and end, but not the tokens that `words` has. docs/hardware.md says what levels cost."""
PROBED_LEVELS: tuple[LogLevel | None, ...] = (None, "full", "words")
"""With these a log has the time of every arrival, so that what a probe saw can be held against it."""
LogPlace = Literal["auto", "host", "device"]
LOG_PLACES: tuple[LogPlace, ...] = ("auto", "host", "device")
CHECK_MODES: tuple[CheckMode, ...] = ("exact", "checksum", "off")
WATCHDOG_MS = 1000
"""After how long a wait gives up where the kernel bounds its waits, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class GpuOptions:
    """How to record, beside what. SourceError if a value is outside what its line says."""

    level: LogLevel | None = None  # what to log; None: full, or words with a mistake in the program or a probe
    log_capacity: int = 0  # records per warp; 0: as many as the program makes
    check: CheckMode = "exact"  # compare every value, compare sums (fast), or only read
    watchdog_ms: int | None = None  # 0..60000: a wait longer than this ends the run; 0: none does; None: see bound_ms
    time_limit_s: float = 120.0  # the worker is ended after this long
    log_memory: LogPlace = "auto"  # "host" outlives a crash, "device" a hang only but is faster; "auto": host if small
    hang_s: float = 5.0  # the worker is ended after this long without an event
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


def level_of(options: GpuOptions, fault: int) -> LogLevel:
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
    """After how long a wait gives up, or 0: plain waits, which cost the kernel less than ones with a bound. A hang is
    then noticed from outside, wherever the log lies. Unless told otherwise only records of events come with a bound:
    beside them it costs little, and each agent that gives up says so."""
    if options.watchdog_ms is not None:
        return options.watchdog_ms
    return WATCHDOG_MS if level == "words" else 0
