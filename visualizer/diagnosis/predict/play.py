"""Plays the waits of a recording again, with another number of stages in one ring.

Each agent does what it did, in its own order and with its own durations; a wait ends when the completion that it is for
has come. A wait for a free stage is for the release of the use S uses before: that alone hangs on the number S of
stages. With the recorded number every time comes out as it was recorded.
"""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.predict.completions import NOTHING
from visualizer.diagnosis.predict.measured import Floats
from visualizer.diagnosis.predict.recorded_waits import NEVER, WAIT, RecordedWaits
from visualizer.diagnosis.statistics.facts import Ints


def play(recorded: RecordedWaits, stages: int) -> Floats | None:
    """When each use of the ring's stages is released (ps), as `recorded.released`; None: some wait never ends, while
    in the recording it did.

    One step of Python for each item: a step is too little, and hangs on too much before it, for numpy.
    """
    kind, delta, fill = recorded.kind.tolist(), recorded.delta.tolist(), recorded.fill.tolist()
    passing, waking, fills = recorded.passing.tolist(), recorded.waking.tolist(), recorded.fills.tolist()
    completion = _rebound(recorded, stages).tolist()
    missing, lag, pace = recorded.needed.tolist(), recorded.lag.tolist(), recorded.pace.tolist()
    first_of = recorded.first_of.tolist()
    latest, done = [0.0] * len(missing), [-1.0] * len(missing)
    waiting: dict[int, list[int]] = {}
    filled = [0.0] * (len(recorded.released) + 1)  # when a CTA's stage of the ring was full last; at -1 no CTA's
    at, clock = first_of[:-1], [0.0] * (len(first_of) - 1)
    ready = list(range(len(at) - 1, -1, -1))
    while ready:
        agent = ready.pop()
        now, item, end = clock[agent], at[agent], first_of[agent + 1]
        while item < end:
            on, then = completion[item], now + delta[item]
            if kind[item] == WAIT:
                if on == NEVER:
                    break
                if on != NOTHING and missing[on]:
                    waiting.setdefault(on, []).append(agent)
                    break
                due = done[on] if on != NOTHING else -1.0
                now = due + waking[item] if due > then else then + passing[item]
            else:
                now = then
                if on != NOTHING:
                    latest[on] = max(latest[on], then + fill[item])
                    missing[on] -= 1
                    if not missing[on]:
                        done[on] = max(latest[on] + lag[on], filled[fills[on]] + pace[on])
                        filled[fills[on]] = done[on]
                        ready += waiting.pop(on, ())
            item += 1
        clock[agent], at[agent] = now, item
    if waiting:
        return None
    times = np.append(np.where(np.array(missing) == 0, done, np.nan), np.nan)
    played: Floats = times[recorded.released]
    return played


def _rebound(recorded: RecordedWaits, stages: int) -> Ints:
    """The completion of each item, where waits for a free stage are for the release `stages` uses before theirs."""
    completion = recorded.completion.copy()
    rows = np.flatnonzero((recorded.use >= 0) & (completion != NEVER))
    before = recorded.use[rows] - stages
    known = (before >= 0) & (before < recorded.released.shape[1])
    completion[rows] = NOTHING
    completion[rows[known]] = recorded.released[recorded.place[rows[known]], before[known]]
    return completion
