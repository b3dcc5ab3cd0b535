"""From a kernel's raw log to a Trace: decode, cut where records were lost, derive, reconcile, lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.decode import decode
from visualizer.trace.derive import derive
from visualizer.trace.expand import expand
from visualizer.trace.probe import RawProbe
from visualizer.trace.raw import RawLog
from visualizer.trace.reconcile import reconcile
from visualizer.trace.samples import decode_samples, find_flips
from visualizer.trace.schema import SAMPLE_DTYPE, EventFlag
from visualizer.trace.tables import Agent, Barrier, Meta, Site
from visualizer.trace.trace import Trace


def build_trace(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    probe: RawProbe | None = None,
) -> Trace:
    """The Trace of `raw`. `meta` gets the clock fit, what was lost and left out, and how far events were moved.

    `probe` is what a probe saw in the same run.
    """
    decoded = decode(raw, agents, barriers, sites)
    meta = replace(meta, records_lost=int(decoded.lost.sum()), clock=decoded.clock.as_dict())
    samples = np.zeros(0, SAMPLE_DTYPE)
    if probe is not None:
        samples = decode_samples(probe, decoded.clock, raw.anchors["smid"][:, 0], barriers, decoded.origin)
    return assemble(decoded.events, decoded.lost, agents, barriers, sites, meta, source_files, samples)


def assemble(
    events: NDArray[np.void],
    lost: NDArray[np.int64],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    samples: NDArray[np.void] | None = None,
) -> Trace:
    """The Trace of decoded agents' events (see Decoded); `meta` gets events_dropped and reconcile.

    `samples` (SAMPLE_DTYPE) count time as `events` do.
    """
    kept = cut(events, lost)
    samples = np.zeros(0, SAMPLE_DTYPE) if samples is None else samples.copy()
    derived = derive(kept, agents, barriers, find_flips(samples))
    time, moves = reconcile(derived, agents)
    figures = {
        **moves.as_dict(),
        "copies_observed": derived.copies_observed,
        "copies_estimated": derived.copies_estimated,
    }
    if len(samples):
        figures["copies_probed"] = derived.copies_probed
    meta = replace(meta, events_dropped=len(events) - len(kept), reconcile=figures)
    laid_out = expand(derived, time)
    if len(samples) and len(laid_out):
        # Laying out counts time from the first event after reconciling, and decoding from the first before it.
        logged = laid_out["measured"][(laid_out["flags"] & EventFlag.DERIVED) == 0]
        shift = int(logged.min()) - int(kept["time"].min())
        samples["begin"] += shift
        samples["end"] += shift
    return Trace(meta, agents, barriers, sites, laid_out, source_files, samples)


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
