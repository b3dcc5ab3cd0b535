"""Trace: one recording, immutable once built. Everything right of it is a pure function of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.language import tr
from visualizer.recording.invariants import MOST_PS, check_size, check_tables
from visualizer.recording.invariants import TraceError as TraceError
from visualizer.recording.schema import EVENT_DTYPE, NO_SAMPLES, SAMPLE_DTYPE, EventKind
from visualizer.recording.tables import Agent, Barrier, Meta, Site

MAX_STAGES_WITHOUT_BARRIERS = 1024
"""A file that says so little of its stages may not make others build tables for millions of them."""
ONE_RING = ("",)
_CHECKED_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Trace:
    """A recording: events in time order, the tables their ids point into, and meta.

    `events` has dtype EVENT_DTYPE, shape (n,), is read-only and may be a memory map.
    `samples` has dtype SAMPLE_DTYPE, shape (m,), by barrier and begin: what a probe saw of live words.
    `rings` names the rings that stages count in, every CTA's alike; one without a name is all there is unless told.
    `source_files` maps the names in `sites` to the text that was compiled, so an old recording keeps its lines.
    """

    meta: Meta
    agents: Sequence[Agent]
    barriers: Sequence[Barrier]
    sites: Sequence[Site]
    events: NDArray[np.void]
    source_files: Mapping[str, str] = field(default_factory=dict)
    samples: NDArray[np.void] = field(default_factory=lambda: NO_SAMPLES)
    rings: Sequence[str] = ONE_RING
    _stages_of_events: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(self.agents))
        object.__setattr__(self, "barriers", tuple(self.barriers))
        object.__setattr__(self, "sites", tuple(self.sites))
        object.__setattr__(self, "rings", tuple(self.rings))
        self._check()
        self._check_samples()
        for rows in (self.events, self.samples):
            if rows.flags.writeable:
                rows.flags.writeable = False

    def __len__(self) -> int:
        return len(self.events)

    @cached_property
    def stages(self) -> int:
        """Stage buffers per CTA: one more than the highest stage any barrier belongs to.

        Where no barrier belongs to one the events name them; and where there is no barrier, as in a cp.async pipeline,
        so does the program's configuration. Where a kernel's barriers belong is not told by what it was run with.
        """
        if self._stages_of_barriers or not len(self.events):
            return self._stages_of_barriers
        named = None if self.barriers else self.meta.config.get("stages")
        stages = max(self._stages_of_events, named if isinstance(named, int) else 0)
        return min(stages, MAX_STAGES_WITHOUT_BARRIERS)

    @property
    def _stages_of_barriers(self) -> int:
        return 1 + max((barrier.stage for barrier in self.barriers), default=-1)

    @cached_property
    def ctas(self) -> int:
        """One more than the highest number of a CTA that has agents or barriers."""
        return max((row.cta for table in (self.agents, self.barriers) for row in table), default=-1) + 1

    @cached_property
    def recorded_ctas(self) -> tuple[int, ...]:
        """The CTAs that have agents or barriers, ascending: of a large grid only some may have been recorded."""
        return tuple(sorted({row.cta for table in (self.agents, self.barriers) for row in table}))

    @cached_property
    def agent_cta(self) -> NDArray[np.int32]:
        """The CTA of every agent, by row."""
        return np.array([agent.cta for agent in self.agents], np.int32)

    @cached_property
    def barrier_cta(self) -> NDArray[np.int32]:
        """The CTA of every barrier, by row."""
        return np.array([barrier.cta for barrier in self.barriers], np.int32)

    @cached_property
    def agent_index(self) -> dict[str, int]:
        return {agent.name: row for row, agent in enumerate(self.agents)}

    @cached_property
    def barrier_index(self) -> dict[str, int]:
        return {barrier.name: row for row, barrier in enumerate(self.barriers)}

    @property
    def duration_ps(self) -> int:
        return int(self.events["time"][-1]) if len(self.events) else 0

    def op_of(self, site: int) -> str:
        """The operation at a row of the sites table, "" for -1; of a range it is the name."""
        return self.sites[site].op if site >= 0 else ""

    def part(self, steps: NDArray[np.int64]) -> Trace:
        """The events at `steps`, which ascend from 0, with the same tables and samples: what was checked of the whole
        holds of its parts, and is not checked again."""
        made = copy(self)
        events = self.events[steps]
        events.flags.writeable = False
        object.__setattr__(made, "events", events)
        return made

    def with_meta(self, meta: Meta, source_files: Mapping[str, str] | None = None) -> Trace:
        """The same with another meta, and other source files: what was checked of the events is not checked again."""
        made = copy(self)
        made.__dict__.pop("stages", None)  # the configuration may name them
        object.__setattr__(made, "meta", meta)
        if source_files is not None:
            object.__setattr__(made, "source_files", source_files)
        check_size(made.agents, made.barriers, made.rings, made.stages)
        return made

    def _check(self) -> None:
        """Refuse what later code could not trust. Vectorised: a few passes over the columns."""
        events = self.events
        if events.dtype != EVENT_DTYPE or events.ndim != 1:
            raise TraceError(
                tr("events must be one-dimensional with the schema's dtype, not {dtype}", dtype=events.dtype)
            )
        check_tables(self.agents, self.barriers, self.rings)
        if len(events):
            object.__setattr__(self, "_stages_of_events", 1 + self._check_events())
        check_size(self.agents, self.barriers, self.rings, self.stages)

    def _check_events(self) -> int:
        """Check what there is of events; the highest stage that they name, unless barriers do."""
        events = self.events
        if events["time"][0] != 0:
            raise TraceError(
                tr(
                    "event 0 is at {time} ps: times count from the first event, so it must be 0",
                    time=int(events["time"][0]),
                )
            )
        if self.duration_ps > MOST_PS:
            raise TraceError(tr("the last event is at {time} ps, beyond {most}", time=self.duration_ps, most=MOST_PS))
        ranges = {
            "measured": (-MOST_PS, MOST_PS + 1),
            "tile": (-1, 2**31),
            "agent": (0, len(self.agents)),
            "barrier": (-1, len(self.barriers)),
            "site": (-1, len(self.sites)),
            "kind": (int(min(EventKind)), int(max(EventKind)) + 1),
            "parity": (-1, 2),
            "stage": (-1, self._stages_of_barriers or MAX_STAGES_WITHOUT_BARRIERS),
            "ring": (0, len(self.rings)),
        }
        # Where a column's type holds nothing beyond, only its least value is looked at.
        open_ended = {name for name, (_, high) in ranges.items() if high > np.iinfo(events.dtype[name]).max}
        # A piece at a time, so that all columns of it are looked at while it is in the processor's cache.
        begins = range(0, len(events), _CHECKED_AT_ONCE)
        return max(each(lambda first: _check_piece(events, first, ranges, open_ended), begins))

    def _check_samples(self) -> None:
        samples = self.samples
        if samples.dtype != SAMPLE_DTYPE or samples.ndim != 1:
            raise TraceError(
                tr("samples must be one-dimensional with the schema's dtype, not {dtype}", dtype=samples.dtype)
            )
        if not len(samples):
            return
        barrier, begin, end = samples["barrier"], samples["begin"], samples["end"]
        unknown = np.flatnonzero((barrier < 0) | (barrier >= len(self.barriers)))
        if len(unknown):
            row = int(unknown[0])
            raise TraceError(
                tr(
                    "sample {row} is of barrier {barrier}, outside 0..{barriers}",
                    row=row,
                    barrier=int(barrier[row]),
                    barriers=len(self.barriers) - 1,
                )
            )
        beyond = np.flatnonzero((begin < -MOST_PS) | (begin > MOST_PS) | (end < -MOST_PS) | (end > MOST_PS))
        if len(beyond):
            raise TraceError(tr("sample {row} is at a time beyond ±{most} ps", row=int(beyond[0]), most=MOST_PS))
        step_back = np.flatnonzero(
            (barrier[1:] < barrier[:-1]) | ((barrier[1:] == barrier[:-1]) & (begin[1:] < begin[:-1]))
        )
        if len(step_back):
            raise TraceError(
                tr(
                    "sample {step_back} is out of order: samples must be sorted by barrier and time",
                    step_back=int(step_back[0]) + 1,
                )
            )


def _check_piece(
    events: NDArray[np.void], first: int, ranges: Mapping[str, tuple[int, int]], open_ended: Collection[str]
) -> int:
    """Check the events from `first` on, and that the first of the next piece is not earlier than this one's last. Their
    highest stage."""
    piece = events[first : first + _CHECKED_AT_ONCE]
    greatest: dict[str, int] = {}
    for column, (low, high) in ranges.items():
        values = np.ascontiguousarray(piece[column])  # numpy finds the extremes of such faster
        if column not in open_ended:
            greatest[column] = int(values.max())
        if int(values.min()) < low or greatest.get(column, low) >= high:
            row = int(np.flatnonzero((values < low) | (values >= high))[0])
            raise TraceError(
                tr(
                    "event {step} has {column} {value}, outside {low}..{high}",
                    step=first + row,
                    column=column,
                    value=int(values[row]),
                    low=low,
                    high=high - 1,
                )
            )
    time = np.ascontiguousarray(events["time"][first : first + _CHECKED_AT_ONCE + 1])
    late = np.flatnonzero(time[1:] < time[:-1])
    if len(late):
        step = first + int(late[0]) + 1
        raise TraceError(
            tr(
                "event {step} at {time} ps is earlier than event {before} at {time_before} ps: events must be in time"
                " order",
                step=step,
                time=int(events["time"][step]),
                before=step - 1,
                time_before=int(events["time"][step - 1]),
            )
        )
    return greatest.get("stage", -1)
