"""A stranger's recording: barriers known by address, 12 warps a CTA of which 11 do the same, a ring of 2 stages and one
of 3; nothing is told of what they are for. And any simulated recording as a stranger's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from legal_programs import stranger_log
from numpy.typing import NDArray

from benchmarks.stranger import stranger_records
from visualizer.reconstruction.assemble import assemble_events
from visualizer.reconstruction.discover import NO_ADDRESS, RECORD_DTYPE, discover
from visualizer.recording.schema import NO_SAMPLES
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace


def stranger(tiles: int = 8, ctas: int = 1) -> Trace:
    found = discover(stranger_records(tiles, ctas))
    meta = Meta("stranger", {}, {}, Ending("completed"))
    return assemble_events(found.parts, found.agents, found.barriers, (), meta, {}, NO_SAMPLES)


def records_of(trace: Trace, events: NDArray[np.void], seed: int = 0) -> NDArray[np.void]:
    """The events as records of addresses, warps in any order."""
    records = np.zeros(len(events), RECORD_DTYPE)
    for column in ("time", "token", "amount", "site", "kind", "parity", "flags"):
        records[column] = events[column]
    address = np.array([b.address for b in trace.barriers] + [NO_ADDRESS], np.int64)
    records["address"] = address[events["barrier"]]
    records["cta"] = trace.agent_cta[events["agent"]]
    records["warp"] = np.array([agent.warp for agent in trace.agents], np.int64)[events["agent"]]
    warps = np.random.default_rng(seed).permutation(len(trace.agents))[events["agent"]]
    return records[np.argsort(warps, kind="stable")]


def by_address(trace: Trace, seed: int = 0) -> Trace:
    """What attaching would record of a simulated `trace` whose barriers are known by address."""
    found = discover(records_of(trace, stranger_log(trace, seed), seed), cluster=trace.ctas)
    meta = replace(trace.meta)
    return assemble_events(found.parts, found.agents, found.barriers, trace.sites, meta, {}, NO_SAMPLES)
