"""What may be asked of attach, said once: the command line makes its options of it, the window its fields.

Names are those of AttachOptions, and the default is its own: what it says where nothing is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from visualizer.language import mark, tr
from visualizer.sources.attach.options import LEVELS, LOG_MEMORY, ON_HANG, AttachOptions
from visualizer.sources.option import Choice, Field, Group, Option, Whole

_USUAL = AttachOptions()
_HOW = Group(mark("what is recorded, and how"))


@dataclass(frozen=True, slots=True)
class Launches:
    """The first and the last launch of a kernel, both included."""

    def parse(self, text: str) -> tuple[int, int]:
        match = re.fullmatch(r"(\d{1,15})(?::(\d{1,15}))?", text)
        if match is None or (match[2] and int(match[2]) < int(match[1])):
            raise ValueError(
                tr("{text!r} is not N or N:M, launches counted from 0 with N <= M, such as 3 or 3:5", text=text)
            )
        return int(match[1]), int(match[2] or match[1])

    def text(self, value: tuple[int, int]) -> str:
        first, last = value
        return str(first) if first == last else f"{first}:{last}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of something, each once, ascending."""

    def parse(self, text: str) -> tuple[int, ...]:
        if not re.fullmatch(r"\d{1,9}(,\d{1,9})*", text):
            raise ValueError(tr("{text!r} is not a list of numbers, such as 0,1,131", text=text))
        return tuple(sorted({int(number) for number in text.split(",")}))

    def text(self, value: tuple[int, ...]) -> str:
        return ",".join(map(str, value))


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds; 0 stands for never."""

    def parse(self, text: str) -> float:
        if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", text):
            raise ValueError(tr("{text!r} is not a number of seconds, such as 2 or 0.5", text=text))
        return float(text)

    def text(self, value: float) -> str:
        return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression; whether it is one, the check of the whole request says."""

    def parse(self, text: str) -> str:
        return text

    def text(self, value: str) -> str:
        return value


KERNEL = Option(
    "kernel",
    "--kernel",
    Pattern(),
    mark("kernels whose name it is found in (default: any)"),
    _HOW,
    "REGEX",
    _USUAL.kernel,
    mark("Kernel"),
    (Field(mark("kernels in whose name this regular expression is found; empty: all that use mbarriers (--kernel)")),),
)
LAUNCHES = Option(
    "launches",
    "--launch",
    Launches(),
    mark("which launch of a kernel, counted from 0, or which ones (default: 0)"),
    _HOW,
    "N[:M]",
    _USUAL.launches,
    mark("Launch"),
    (Field(mark("which launch of a kernel, counted from 0, or which ones, such as 3:5 (--launch)")),),
)
CTAS = Option(
    "ctas",
    "--ctas",
    Numbers(),
    mark("CTAs to record, such as 0,1"),
    _HOW,
    "LIST",
    _USUAL.ctas,
    mark("Which CTAs"),
    (Field(mark("CTAs to record, with the others of their clusters, such as 0,1; empty: all (--ctas)")),),
)
LEVEL = Option(
    "level",
    "--level",
    Choice(LEVELS),
    mark(
        "waits alone; every operation on barriers and the copies (the default); or also bar.sync, cluster barriers,"
        " wgmma and store groups, setmaxnreg, and fences"
    ),
    _HOW,
    default=_USUAL.level,
    title=mark("Level"),
    fields=(
        Field(
            mark("how much is recorded; more costs more (--level)"),
            titles={
                "waits": mark("waits alone"),
                "barriers": mark("barriers and copies"),
                "all": mark("also bar.sync, groups and fences"),
            },
        ),
    ),
)
KEEP_FIRST = Option(
    "keep_first",
    "--keep-first",
    Whole(1),
    mark("keep a warp's first N records"),
    _HOW,
    "N",
    _USUAL.keep_first,
    mark("Keep first"),
    (Field(mark("records of each warp, the first ones; empty: as many as have room (--keep-first)")),),
)
KEEP_LAST = Option(
    "keep_last",
    "--keep-last",
    Whole(1),
    mark("keep a warp's last N records"),
    _HOW,
    "N",
    _USUAL.keep_last,
    mark("Keep last"),
    (Field(mark("records of each warp, the last ones; empty: the first ones are kept (--keep-last)")),),
)
STALL = Option(
    "stall_s",
    "--stall",
    Duration(),
    mark("a launch without a record for so long hangs (default: 5; 0: never)"),
    _HOW,
    "SECONDS",
    _USUAL.stall_s,
    mark("Hangs after"),
    (Field(mark("seconds; a launch without a record for so long hangs; 0: never (--stall)")),),
)
ON_HANG_OPTION = Option(
    "on_hang",
    "--on-hang",
    Choice(ON_HANG),
    mark("end the program when a launch hangs, or leave it"),
    _HOW,
    default=_USUAL.on_hang,
    title=mark("When it hangs"),
    fields=(
        Field(
            mark("what to do with the program when a launch hangs (--on-hang)"),
            titles={"end": mark("end the program"), "leave": mark("leave it running")},
        ),
    ),
)
LOG_PLACE = Option(
    "log_memory",
    "--log-memory",
    Choice(LOG_MEMORY),
    mark(
        "where the log is while the kernel runs: the host's memory outlives a crash, the GPU's is faster and is"
        " copied while the kernel hangs (default: auto, host if the log is small)"
    ),
    _HOW,
    default=_USUAL.log_memory,
)
RANKS = Option("ranks", "--rank", Numbers(), mark("ranks of a job to record"), _HOW, "LIST", _USUAL.ranks)
ROUNDS = Option(
    "rounds",
    "--time",
    Whole(1),
    mark(
        "repeat a recorded launch N times, original and recorded in turn, and store what recording costs; what the"
        " kernel wrote is not restored in between, so ask for it only where a launch can be repeated"
    ),
    _HOW,
    "N",
    _USUAL.rounds,
)

OPTIONS = (
    KERNEL, LAUNCHES, CTAS, LEVEL, KEEP_FIRST, KEEP_LAST, STALL, ON_HANG_OPTION, LOG_PLACE, RANKS, ROUNDS,
)  # fmt: skip
"""In the order in which they are explained."""
