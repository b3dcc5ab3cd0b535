"""Arrivals that no warp makes: what tcgen05.commit or cp.async.mbarrier.arrive promised comes once that work is done.

Nobody logs when that is. The arrival is put 1 ps behind its promise, flagged as an estimate; reconciling moves it to
where the waits that it released, and those that were still refused, say that it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.reconstruction.logged import Logged, Promises
from visualizer.recording.schema import CP_ASYNC_ARRIVALS, EventKind
from visualizer.recording.tables import Agent, AgentRole

KEPT_BY: dict[EventKind, AgentRole] = {
    EventKind.TENSOR_COMMIT: "tensor_core",
    **dict.fromkeys(CP_ASYNC_ARRIVALS, "copy_engine"),
}
"""Events that promise an arrival, and whose arrival it is."""


def with_engine_arrivals(logged: Logged, agents: Sequence[Agent]) -> Logged:
    """`logged` with an ARRIVE by an engine of the CTA for each promise of one.

    `agents` are those of the span. Where the CTA has no such engine in the table, none comes.
    """
    kind = logged.kind
    is_promise = np.zeros(len(logged), bool)
    for promises in KEPT_BY:
        is_promise |= kind == promises
    promise = np.flatnonzero(is_promise)
    engine = _engines(logged, promise, agents)
    promise, engine = promise[engine >= 0], engine[engine >= 0]
    if not len(promise):
        return logged
    # An engine's arrivals come in the order of their times, which is as good as any: they are estimates.
    order = order_by(engine, logged.time[promise])
    promise, engine = promise[order], engine[order]
    size = len(logged)
    by_agent = order_by(np.concatenate([logged.agent, engine]))
    place = np.empty(len(by_agent), np.int64)
    place[by_agent] = np.arange(len(by_agent))
    whole = np.concatenate([np.arange(size), promise])[by_agent]
    of_engine = np.concatenate([np.full(size, -1, np.int32), engine])[by_agent]
    return Logged(logged.log, logged.rows(whole), logged.span, of_engine, Promises(place[promise], place[size:]))


def _engines(logged: Logged, promise: Ints, agents: Sequence[Agent]) -> NDArray[np.int32]:
    """For each promise the agent that keeps it, from the span's first; -1: the table has none."""
    engine = np.full(len(promise), -1, np.int32)
    if not len(promise):
        return engine
    kind, agent = logged.kind[promise], logged.agent[promise]
    for role in dict.fromkeys(KEPT_BY.values()):
        rows = {agent.cta: row for row, agent in enumerate(agents) if agent.role == role}
        of_agent = np.array([rows.get(agent.cta, -1) for agent in agents], np.int32)
        own = np.isin(kind, [promises for promises, keeper in KEPT_BY.items() if keeper == role])
        engine[own] = of_agent[agent[own]]
    return engine
