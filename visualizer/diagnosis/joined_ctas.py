"""Which CTAs have to do with each other: those whose agents use a barrier of the other, directly or by others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.replay.history import History


def joined_ctas(history: History) -> NDArray[np.int64]:
    """Of each CTA the first of those it is joined with, itself if with none, (ctas,). Clocks of those who never meet
    need not know of each other, and what is wrong in one has no effect in the other."""
    trace = history.trace
    agent_cta = trace.agent_cta[trace.events["agent"]]
    barrier_cta = np.append(trace.barrier_cta, -1)[trace.events["barrier"]]
    crossing = (barrier_cta >= 0) & (barrier_cta != agent_cta)
    first: dict[int, int] = {}  # of those that meet another; a grid may have a million that do not

    def find(cta: int) -> int:
        while (above := first.setdefault(cta, cta)) != cta:
            first[cta] = cta = first[above]
        return cta

    for a, b in np.unique(np.stack((agent_cta[crossing], barrier_cta[crossing])), axis=1).T.tolist():
        a, b = sorted((find(a), find(b)))
        first[b] = a
    joined = np.arange(trace.ctas)
    joined[list(first)] = [find(cta) for cta in list(first)]
    return joined
