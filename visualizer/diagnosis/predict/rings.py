"""Which of several rings a prediction is made of, and whether its tiles alone say all that the ring hangs on."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.language import tr


def row_of(facts: Facts, ring: str | None) -> int | None:
    """The row of Structure.names of the ring of this name, or of the only one that agents go round; None: there is
    none. PredictError if there are several and none is named, or if nobody goes round the named one."""
    times = facts.wait_times
    names = {
        found.name: row
        for row, found in enumerate(facts.rings)
        if found.stages and all((on & (times.ring == row)).any() for on in (times.on_full, times.on_empty))
    }
    if ring is not None and len(facts.rings) > 1:
        if ring not in names:
            raise PredictError(
                tr(
                    "ring {name}: there are no waits on full and empty barriers of it: a prediction needs both",
                    name=ring,
                )
            )
        return names[ring]
    if len(names) > 1:
        raise PredictError(
            tr(
                "this recording has several rings in a CTA ({names}): a prediction is made of one, say which (--ring)",
                names=", ".join(names),
            )
        )
    return next(iter(names.values()), None)


def goes_by_tiles(facts: Facts) -> bool:
    """Whether agents wait for one ring of their own CTA alone, and events say for which tile."""
    structure, times = facts.history.structure, facts.wait_times
    several = len(facts.rings) > 1 or bool(structure.turns)
    return not several and not _is_cluster(facts) and bool((facts.waits.tile[times.ring >= 0] >= 0).any())


def _is_cluster(facts: Facts) -> bool:
    """Whether any wait was released by a warp of another CTA."""
    waits, trace = facts.wait_times, facts.history.trace
    rows = np.flatnonzero(waits.cause_step >= 0)
    behind = trace.events["agent"][waits.cause_step[rows]]
    return bool((trace.agent_cta[behind] != waits.cta[rows]).any())
