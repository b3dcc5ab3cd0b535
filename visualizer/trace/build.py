"""From a kernel's raw log to a Trace: decode, cut where records were lost, derive, reconcile, lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.decode import decode
from visualizer.trace.derive import derive
from visualizer.trace.expand import expand
from visualizer.trace.raw import RawLog
from visualizer.trace.reconcile import reconcile
from visualizer.trace.tables import Agent, Barrier, Meta, Site
from visualizer.trace.trace import Trace
from visualizer.trace.unfold import PipelineShape


def build_trace(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    shape: PipelineShape | None = None,
) -> Trace:
    """The Trace of `raw`; decode says when it needs `shape`. `meta` gets the clock fit, what was lost and left out, and
    how far events were moved."""
    decoded = decode(raw, agents, barriers, sites, shape)
    clock = {**decoded.clock.as_dict(), "missed_laps": decoded.missed_laps}
    meta = replace(meta, records_lost=int(decoded.lost.sum()), clock=clock)
    return assemble(decoded.events, decoded.lost, agents, barriers, sites, meta, source_files)


def assemble(
    events: NDArray[np.void],
    lost: NDArray[np.int64],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
) -> Trace:
    """The Trace of decoded agents' events (see Decoded); `meta` gets events_dropped and reconcile."""
    kept = cut(events, lost)
    derived = derive(kept, agents, barriers)
    time, moves = reconcile(derived, agents)
    figures = {
        **moves.as_dict(),
        "copies_observed": derived.copies_observed,
        "copies_estimated": derived.copies_estimated,
    }
    meta = replace(meta, events_dropped=len(events) - len(kept), reconcile=figures)
    return Trace(meta, agents, barriers, sites, expand(derived, time), source_files)


def cut(events: NDArray[np.void], lost: NDArray[np.int64]) -> NDArray[np.void]:
    """The events until the first agent ran out of room: later ones would show agents that seem to have stopped."""
    losing = np.flatnonzero(lost > 0)
    if not len(losing):
        return events
    agent = events["agent"]  # ascending: events are grouped by agent
    ends = np.searchsorted(agent, losing, side="right")
    begins = np.searchsorted(agent, losing)
    if (ends == begins).any():
        return events[:0]
    kept: NDArray[np.void] = events[events["time"] <= events["time"][ends - 1].min()]
    return kept
