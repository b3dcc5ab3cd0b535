"""What a recording says of itself in the objects that its maker fills as it likes, as far as phasescope reads them.

Each class lists keys of one object and their types; docs/trace-format.md says what they mean. A file in which one of
them has another type is refused, so that nobody meets it later. Whatever else such an object holds is kept unread.
"""

from __future__ import annotations

from typing import Annotated, TypedDict

MOST = 2**53 - 1
"""The largest number that every reader of JSON has exactly."""

Count = Annotated[int, (0, MOST)]
Whole = Annotated[int, (-(2**63), 2**64 - 1)]
"""A number that is a name, such as a seed: nobody reckons with it."""
Ns = Annotated[float, (-MOST, MOST)]
Percent = Annotated[float, (-MOST, MOST)]


class Config(TypedDict, total=False):
    """Of any program's parameters; the lesson's others are checked where it is laid out again."""

    stages: Annotated[int, (1, 2**15)]
    consumer_delay: Count
    cluster: Count  # CTAs of a cluster; 0 or none: all
    fault: str | None


class Probe(TypedDict, total=False):
    """What looked at live words, and how much of it there was no room for."""

    mode: str
    experimental: bool
    barriers: Count
    samples: Count
    runs_lost: Count


class Dropped(TypedDict, total=False):
    """An instruction of a kernel that does not record although the level asks for it."""

    op: str
    line: Count
    reason: str


class Symbol(TypedDict, total=False):
    """A pipeline that a program gave a name."""

    name: str
    stages: Count
    type: str


class Source(TypedDict, total=False):
    """Who recorded."""

    kind: str
    seed: Whole
    latencies: dict[str, Ns]
    guessed_reads: Count  # reads for which the program tells no time
    exhaustive: bool
    outcome: str
    step: Count | None
    gpu: str
    driver: str
    cuda: str
    cupy: str
    sm: Count
    sm_count: Count
    log_level: str
    kernel_ns: Count
    probe: Probe
    # A kernel of another program.
    kernel: str
    launch: Count
    grid: list[Count]
    block: list[Count]
    cluster: list[Count]
    level: str
    registers: list[Count]
    local_bytes: list[Count]
    sites: Count
    dropped: list[Dropped]
    notes: list[str]
    process: Count
    job: str
    symbols: list[Symbol]
    rank: Count | None
    elapsed_ms: Ns | None
    log_bytes: Count
    log_memory: str
    records_without_room: Count
    copies_by_expectation: Count
    clock_mhz_assumed: Count
    # Another tool's file.
    format: str
    file: str
    tries_taken_as_passed: Count


class Clock(TypedDict, total=False):
    """The fit of SM cycles to nanoseconds."""

    ps_per_cycle: Ns
    residual_ns: Ns
    residual_max_ns: Ns
    method: str
    sms: Count
    missed_laps: Count


class Reconcile(TypedDict, total=False):
    """How far events were moved."""

    moved: Count
    median_ns: Ns
    max_ns: Ns
    unresolved: Count
    copies_observed: Count
    copies_estimated: Count
    copies_probed: Count


class Check(TypedDict, total=False):
    """Whether the tiles arrived intact."""

    mode: str
    checked: Count
    errors: Count


class Window(TypedDict, total=False):
    """What of the run was not recorded; empty if all of it was."""

    tiles: Count
    ctas: Count
    first: Count
    last: Count
    tiles_before: Count
    tiles_after: Count
    keep_last: Count
    every_cta: Count
    ctas_left_out: Count
    roles_left_out: list[str]
    cut_short: list[
        Count
    ]  # CTAs that went on when their records, or those of CTAs they share barriers with, had no room
    unplaced: Count  # barriers of which nothing tells in which phase a recording finds them that begins in the middle


class Cost(TypedDict, total=False):
    """What recording did to the run's time."""

    slowdown_percent: Percent
    spread_percent: Percent
    pairs: Count
    off_ns: Ns
    on_ns: Ns
    record_ns: Ns


OBJECTS: dict[str, type] = {
    "config": Config,
    "source": Source,
    "clock": Clock,
    "reconcile": Reconcile,
    "check": Check,
    "window": Window,
    "cost": Cost,
}
"""By their key in `meta`."""
