"""Which rows of the agents and barriers tables belong together: CTAs that share no barrier can be worked on apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from visualizer.recording.tables import Agent, Barrier

NEVER = np.iinfo(np.int64).max // 2
"""A time (ps) beyond any recording."""

FROM_THE_START = -1
"""A time (ps) before any recording."""

SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Span:
    """Rows of the agents and of the barriers table that belong together."""

    agents: slice
    barriers: slice


def spans_of(agents: Sequence[Agent], barriers: Sequence[Barrier]) -> list[Span]:
    """The span of each CTA that has agents, in order; one span of everything if a table is not in order of CTAs."""
    agent_cta = np.array([agent.cta for agent in agents], np.int64)
    barrier_cta = np.array([barrier.cta for barrier in barriers], np.int64)
    if (np.diff(agent_cta) < 0).any() or (np.diff(barrier_cta) < 0).any():
        return [everything(agents, barriers)]
    ctas = np.unique(agent_cta)
    first_agent, last_agent = (np.searchsorted(agent_cta, ctas, side).tolist() for side in SIDES)
    first_barrier, last_barrier = (np.searchsorted(barrier_cta, ctas, side).tolist() for side in SIDES)
    return [
        Span(slice(first_agent[row], last_agent[row]), slice(first_barrier[row], last_barrier[row]))
        for row in range(len(ctas))
    ]


def everything(agents: Sequence[Agent], barriers: Sequence[Barrier]) -> Span:
    return Span(slice(0, len(agents)), slice(0, len(barriers)))
