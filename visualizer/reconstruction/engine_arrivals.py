"""Arrivals that no warp makes: what a tcgen05.commit promised comes once the tensor core is done.

Nobody logs when that is. The arrival is put 1 ps behind its commit, flagged as an estimate; reconciling moves it to
where the waits that it released, and those that were still refused, say that it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.arrays.ordering import order_by
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent


def with_engine_arrivals(logged: Logged, agents: Sequence[Agent]) -> Logged:
    """`logged` with an ARRIVE by the CTA's tensor core for each TENSOR_COMMIT.

    `agents` are those of the span. A CTA without a tensor core in the table gets none.
    """
    cores = {agent.cta: row for row, agent in enumerate(agents) if agent.role == "tensor_core"}
    commits = np.flatnonzero(logged.kind == EventKind.TENSOR_COMMIT) if cores else np.zeros(0, np.int64)
    core_of = np.array([cores.get(agent.cta, -1) for agent in agents], np.int32)
    core = core_of[logged.agent[commits]]
    commits, core = commits[core >= 0], core[core >= 0]
    if not len(commits):
        return logged
    # A core's arrivals come in the order of their times, which is as good as any: they are estimates.
    order = order_by(core, logged.time[commits])
    whole = np.concatenate([np.arange(len(logged)), commits[order]])
    engine = np.concatenate([np.full(len(logged), -1, np.int32), core[order]])
    by_agent = order_by(np.concatenate([logged.agent, core[order]]))
    whole, engine = whole[by_agent], engine[by_agent]
    return Logged(logged.log, logged.rows(whole), logged.span, engine)
