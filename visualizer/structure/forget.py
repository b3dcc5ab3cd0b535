"""A recording with everything told of its structure removed, as if a stranger's kernel had been recorded.

What is left is what hardware knows: addresses, counts, and who did what on which barrier. Tests and a benchmark infer
the structure from it and compare with what was told.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.recording.tables import HARDWARE_ROLES, Barrier
from visualizer.recording.trace import ONE_RING, Trace
from visualizer.semantics.shared_storage import BARRIER_BYTES


def forget(trace: Trace) -> Trace:
    """The same events on barriers that have an address for a name, by agents that have no role unless hardware gives
    them one. `stage` is -1 and `ring` 0 in every event."""
    events = np.array(trace.events)
    events["stage"], events["ring"] = -1, 0
    config = {key: value for key, value in trace.meta.config.items() if key != "stages"}
    places = [0] * (1 + max((barrier.cta for barrier in trace.barriers), default=0))
    barriers: list[Barrier] = []
    names: set[str] = set()
    for barrier in trace.barriers:
        place = barrier.offset if barrier.offset >= 0 else places[barrier.cta] * BARRIER_BYTES
        places[barrier.cta] += 1
        prefix = f"CTA{barrier.cta}." if len(places) > 1 else ""
        name = f"{prefix}{place:#x}"
        name = f"{name}#{len(barriers)}" if name in names else name  # two at one address, which a file may say
        names.add(name)
        barriers.append(replace(barrier, name=name, kind="other", stage=-1, ring=""))
    agents = [
        replace(
            agent,
            role=agent.role if agent.role in HARDWARE_ROLES else "other",
            start=None,
            more_starts=(),
        )
        for agent in trace.agents
    ]
    return replace(
        trace,
        meta=replace(trace.meta, config=config),
        agents=agents,
        barriers=barriers,
        events=events,
        rings=ONE_RING,
    )
