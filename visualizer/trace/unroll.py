"""From the log of a window or a ring to the agents' events of the part that was asked for.

A ring writes over its oldest records, so a warp's log begins wherever the ring was; the part begins with the first tile
that every warp of the CTA still has in full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.build import assemble
from visualizer.trace.decode import decode
from visualizer.trace.raw import RawLog
from visualizer.trace.tables import Agent, Barrier, Meta, Site
from visualizer.trace.trace import Trace
from visualizer.trace.window import Window, begin, bounds, in_part, with_left_out


def build_window(
    raw: RawLog,
    window: Window,
    tiles: int,
    ctas: int,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
) -> Trace:
    """The Trace of a log that was recorded through `window` in a run of `tiles` tiles on `ctas` CTAs.

    Tables and log hold the recorded CTAs alone. `meta` gets what build_trace gives it, and window.
    """
    decoded = decode(unrolled(raw) if window.keep_last else raw, agents, barriers, sites)
    events = decoded.events
    first, last = bounds(events, agents, window, tiles)
    events = events[in_part(events, agents, barriers, first, last, tiles)]
    agents, barriers = begin(agents, barriers, first)
    lost = decoded.lost
    meta = replace(
        meta,
        records_lost=int(lost.sum()),
        clock=decoded.clock.as_dict(),
        window=window.as_dict(int(first.min()), last, tiles, ctas),
    )
    events = with_left_out(events, agents, barriers, window.roles)
    return assemble(events, lost, agents, barriers, sites, meta, source_files)


def unrolled(raw: RawLog) -> RawLog:
    """A ring's log with each warp's records in the order it wrote them. What it wrote over was to go: it is not lost.

    The oldest record of a full ring is the one with the earliest clock: a warp that never left did not say how many
    it wrote.
    """
    kept = raw.stored
    full = kept == raw.capacity
    begins = np.zeros(len(kept), np.int64)
    if raw.capacity:
        begins[full] = raw.records["clock"][full].argmin(axis=1)
    index: NDArray[np.int64] = (begins[:, None] + np.arange(raw.capacity)) % max(raw.capacity, 1)
    records = np.take_along_axis(raw.records, index, axis=1)
    return replace(raw, records=records, attempted=kept.astype(np.uint32))
