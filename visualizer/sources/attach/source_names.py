"""The names that a kernel's own source gives (kernels/phasescope.cuh): out of the records, into the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.reconstruction.discover import RANK_SHIFT
from visualizer.recording.tables import Agent, Barrier
from visualizer.recording.trace import ONE_RING
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.imports.names import as_told, barrier_of, role_of


@dataclass
class Names:
    """What is named, by where it is. The first name of a place counts."""

    barriers: dict[tuple[int, int], str] = field(default_factory=dict)  # CTA and offset -> "full[0]"
    roles: dict[tuple[int, int], str] = field(default_factory=dict)  # CTA and warp -> "producer"


def take_names(records: NDArray[np.void], sites: Sequence[Site], cluster: int) -> tuple[NDArray[np.void], Names]:
    """The records without those that only name something, which have no kind, and what all of them say.

    A barrier is called by the array of the mbarrier.init that made it, and counted by its address.
    """
    names = Names()
    marks = records["kind"] == 0
    for record in records[marks]:
        warp = int(record["cta"]), int(record["warp"])
        names.roles.setdefault(warp, sites[int(record["site"])].title)
    named = np.array([bool(site.array) for site in sites] + [False])
    offsets: dict[tuple[int, str], set[int]] = defaultdict(set)
    for record in records[named[records["site"]]] if named.any() else ():
        home = int(record["cta"]) // cluster * cluster + (int(record["address"]) >> RANK_SHIFT)
        offset = int(record["address"]) & (1 << RANK_SHIFT) - 1
        offsets[home, sites[int(record["site"])].array].add(offset)
    for (home, array), found in offsets.items():
        for place, offset in enumerate(sorted(found)):
            names.barriers.setdefault((home, offset), f"{array}[{place}]")
    return records[~marks] if marks.any() else records, names


def with_names(
    agents: Sequence[Agent], barriers: Sequence[Barrier], names: Names
) -> tuple[tuple[Agent, ...], tuple[Barrier, ...], tuple[str, ...]]:
    """The tables with these names, and the rings that they tell of. A name that is taken stays with the first."""
    called = tuple(_agent(agent, names) for agent in agents)
    taken = {agent.name for agent in called}
    found = []
    for barrier in barriers:
        name = names.barriers.get((barrier.cta, barrier.offset))
        if name is not None:
            prefix = barrier.name.partition(".")[0] + "." if barrier.name.startswith("CTA") else ""
            told = barrier_of(name)
            if prefix + name not in taken:
                barrier = replace(barrier, name=prefix + name, kind=told.kind, stage=told.stage, ring=told.ring)
        taken.add(barrier.name)
        found.append(barrier)
    told_barriers, rings = as_told(called, found)
    return called, told_barriers, rings or ONE_RING


def _agent(agent: Agent, names: Names) -> Agent:
    word = names.roles.get((agent.cta, agent.warp)) if agent.warp >= 0 else None
    if word is None:
        return agent
    prefix = agent.name.partition(".")[0] + "." if agent.name.startswith("CTA") else ""
    return replace(agent, name=f"{prefix}{word}.w{agent.warp}", role=role_of(word))
