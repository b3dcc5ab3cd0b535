"""Which of several rings a prediction is made of, whether the model holds for it, and what limits it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.language import tr

MOST_ELSEWHERE = 0.05
"""Of the time of a ring's agents: as much may be blocked at other rings, so that they count as work."""


def row_of(facts: Facts, ring: str | None) -> int | None:
    """The row of Structure.names whose ring is meant; None: there is one."""
    names = {found.name: row for row, found in enumerate(facts.rings) if found.stages}
    if len(names) < 2:
        return None
    if ring is None:
        raise PredictError(
            tr(
                "this recording has several rings in a CTA ({names}): a prediction is made of one, say which (--ring)",
                names=", ".join(names),
            )
        )
    row = names[ring]
    elsewhere = _blocked_elsewhere(facts, row)
    if elsewhere > MOST_ELSEWHERE:
        raise PredictError(
            tr(
                "ring {name}: its agents are blocked at other rings for {share:.0%} of their time, which other stages"
                " of this one would change; a prediction needs a ring that they hardly wait beside",
                name=ring,
                share=elsewhere,
            )
        )
    return row


def _blocked_elsewhere(facts: Facts, row: int) -> float:
    """Of the time that the agents of a ring are there, the share that they are blocked at waits outside it."""
    waits, times, lives = facts.waits, facts.wait_times, facts.lives
    agents = np.unique(waits.agent[times.ring == row])
    there = float(np.maximum(lives.end - lives.begin, 0)[agents].sum())
    outside = np.isin(waits.agent, agents) & (times.ring >= 0) & (times.ring != row) & times.blocked
    return float((times.due - times.begin)[outside].sum()) / max(there, 1.0)


def limited_by_others(facts: Facts, name: str, counts: Sequence[int]) -> tuple[str, ...]:
    """What the ring with the fewest stages does to the agents of ring `name` once that one has more; "": one ring."""
    row = next((row for row, found in enumerate(facts.rings) if name and found.name == name), None)
    if row is None:
        return ()
    waits, times = facts.waits, facts.wait_times
    agents = np.unique(waits.agent[times.ring == row])
    beside = np.unique(times.ring[np.isin(waits.agent, agents) & times.on_empty])
    others = [facts.rings[other] for other in beside.tolist() if other not in (-1, row)]
    least = min(others, key=lambda other: other.stages, default=None)
    if least is None or max(counts) <= least.stages:
        return ()
    return (
        tr(
            "Ring {name} keeps its {n} stages: with more than those in this one it may hold the agents up, which the"
            " prediction does not know.",
            n=least.stages,
            name=least.name,
        ),
    )
