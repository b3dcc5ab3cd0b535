"""Arrivals that no warp makes: what tcgen05.commit or cp.async.mbarrier.arrive promised comes once that work is done.

Nobody logs when that is. The arrival is put right behind its promise, flagged as an estimate; reconciling moves it to
where the waits that it released, and those that were still refused, say that it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.reconstruction.logged import Logged, Promises
from visualizer.reconstruction.spans import Span
from visualizer.recording.schema import CP_ASYNC_ARRIVALS, EventFlag, EventKind
from visualizer.recording.tables import Agent, AgentRole

KEPT_BY: dict[EventKind, AgentRole] = {
    EventKind.TENSOR_COMMIT: "tensor_core",
    **dict.fromkeys(CP_ASYNC_ARRIVALS, "copy_engine"),
}
"""Events that promise an arrival, and whose arrival it is."""
_IS_PROMISE = np.zeros(256, bool)
_IS_PROMISE[list(KEPT_BY)] = True


def with_engine_arrivals(events: NDArray[np.void], agents: Sequence[Agent], span: Span) -> Logged:
    """`events` (EVENT_DTYPE, grouped by agent) with an ARRIVE by an engine of the CTA for each promise of one.

    `agents` are those of the span. Where the CTA has no such engine in the table, none comes.
    """
    logged = Logged(events, span)
    promises = np.flatnonzero(_IS_PROMISE.take(logged.kind))
    if not len(promises):
        return logged
    engine = _engines(logged, promises, agents)
    promises, engine = promises[engine >= 0], engine[engine >= 0]
    arrivals = events[promises].copy()
    arrivals["agent"] = engine + span.agents.start
    arrivals["kind"] = EventKind.ARRIVE
    arrivals["flags"] = EventFlag.DERIVED | EventFlag.ESTIMATED
    arrivals["time"] += 1
    arrivals["measured"] = arrivals["time"]
    # An engine's arrivals come in the order of their times, which is as good as any: they are estimates.
    order = order_by(arrivals["agent"], arrivals["time"])
    whole = np.concatenate([events, arrivals[order]])
    by_agent = order_by(whole["agent"])
    place = np.empty(len(whole), np.int64)
    place[by_agent] = np.arange(len(whole))
    kept = Promises(place[promises[order]], place[len(events) :])
    return Logged(whole[by_agent], span, tuple(np.unique(engine).tolist()), kept)


def _engines(logged: Logged, promises: Ints, agents: Sequence[Agent]) -> Ints:
    """For each promise the agent that keeps it, from the span's first; -1: the table has none."""
    engine = np.full(len(promises), -1, np.int64)
    for role in dict.fromkeys(KEPT_BY.values()):
        rows = {agent.cta: row for row, agent in enumerate(agents) if agent.role == role}
        of_agent = np.array([rows.get(agent.cta, -1) for agent in agents], np.int64)
        kinds = [kind for kind, keeper in KEPT_BY.items() if keeper == role]
        chosen = np.isin(logged.kind[promises], kinds)
        engine[chosen] = of_agent[logged.agent[promises[chosen]]]
    return engine
