"""How to record kernels of a program: which launches, how much of them, and what to do about one that hangs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["waits", "barriers", "all"]
"""What is recorded: who waits where; every mbarrier operation and copy besides; barriers, groups and fences besides."""
LEVELS: tuple[Level, ...] = ("waits", "barriers", "all")
OnHang = Literal["end", "leave"]
ON_HANG: tuple[OnHang, ...] = ("end", "leave")


LogMemory = Literal["auto", "host", "device"]
"""Where a log is while its kernel runs: the host's memory outlives a crash, the GPU's costs less.

auto: the host's if the log is small."""
LOG_MEMORY: tuple[LogMemory, ...] = ("auto", "host", "device")
HOST_LOG_BYTES = 4 << 20
"""Logs up to this size are in the host's memory unless asked otherwise: the bus takes them without slowing a kernel."""


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """What is recorded of a program. As it stands: the first launch of every kernel that uses mbarriers."""

    kernel: str = ""  # a regular expression that is searched in a kernel's name; "": any that uses mbarriers
    launches: tuple[int, int] = (0, 0)  # the first and the last of a kernel in a process, both included
    ctas: tuple[int, ...] = ()  # by their number in the grid; (): all
    level: Level = "barriers"
    keep_first: int = 0  # records of a warp; 0: as many as have room
    keep_last: int = 0  # records of a warp, the last ones; 0: the first ones are kept
    stall_s: float = 5.0  # without a record for so long, a launch counts as hung
    on_hang: OnHang = "end"
    log_memory: LogMemory = "auto"
    ranks: tuple[int, ...] = ()  # of a job of many processes; (): every process
    rounds: int = 0  # a recorded launch is repeated so often, original and recorded in turn, to time both; 0: it is not
    output: Path | None = None  # None: named after the kernel, in the current folder
    list_only: bool = False  # count launches, record none
