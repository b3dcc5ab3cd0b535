"""Arrivals that no warp makes: what a tcgen05.commit promised comes once the tensor core is done.

Nobody logs when that is. The arrival is put right behind its commit, flagged as an estimate; reconciling moves it to
where the waits that it released, and those that were still refused, say that it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by
from visualizer.reconstruction.logged import Logged
from visualizer.reconstruction.spans import Span
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Agent


def with_engine_arrivals(events: NDArray[np.void], agents: Sequence[Agent], span: Span) -> Logged:
    """`events` (EVENT_DTYPE, grouped by agent) with an ARRIVE by the CTA's tensor core for each TENSOR_COMMIT.

    `agents` are those of the span. A CTA without a tensor core in the table gets none.
    """
    cores = {agent.cta: row for row, agent in enumerate(agents) if agent.role == "tensor_core"}
    commits = np.flatnonzero(events["kind"] == EventKind.TENSOR_COMMIT) if cores else np.zeros(0, np.int64)
    if not len(commits):
        return Logged(events, span)
    first = span.agents.start
    of_agent = np.array([first + cores[agent.cta] if agent.cta in cores else -1 for agent in agents], np.int32)
    core = of_agent[events["agent"][commits] - first]
    arrivals = events[commits[core >= 0]].copy()
    arrivals["agent"] = core[core >= 0]
    arrivals["kind"] = EventKind.ARRIVE
    arrivals["flags"] = EventFlag.DERIVED | EventFlag.ESTIMATED
    arrivals["time"] += 1
    arrivals["measured"] = arrivals["time"]
    # A core's arrivals come in the order of their times, which is as good as any: they are estimates.
    arrivals = arrivals[order_by(arrivals["agent"], arrivals["time"])]
    whole = np.concatenate([events, arrivals])
    return Logged(whole[order_by(whole["agent"])], span, tuple(cores.values()))
