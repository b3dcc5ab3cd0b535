"""Lives of barriers: from mbarrier.init to the next one. Counting begins anew with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Barrier


@dataclass(frozen=True, eq=False)
class Lives:
    """Every life of every barrier, by barrier and time. A barrier without an INIT in the recording has one."""

    of_event: Ints  # (events,): the life that an event on a barrier belongs to; -1: on no barrier
    barrier: Ints  # (lives,): row of the barriers table
    count: Ints  # (lives,): arrivals that its first phase takes; 0: nobody told, so none of its phases is known
    first_phase: Ints  # (lives,): the phase it is in where the recording begins
    changes: NDArray[np.bool_]  # (lives,): an arrive_drop lowers its count
    raised: NDArray[np.bool_]  # (lives,): its pending count goes up in the middle of phases

    def __len__(self) -> int:
        return len(self.count)

    def on_barriers(self, chosen: NDArray[np.bool_]) -> Ints:
        """The rows of the `chosen` events, (events,), that are on a barrier."""
        rows = np.flatnonzero(chosen)
        return rows[self.of_event.take(rows) >= 0]


def find_lives(logged: Logged, barriers: Sequence[Barrier]) -> Lives:
    """The lives in `logged`. What an INIT says of its count outweighs the table."""
    kind = logged.kind
    barrier = logged.barrier
    inits = np.flatnonzero((kind == EventKind.INIT) & (barrier >= 0))
    inits = inits[order_by(barrier[inits], logged.time[inits])]
    lives = np.maximum(np.bincount(barrier[inits], minlength=len(barriers)), 1)
    first = np.cumsum(lives) - lives
    number = np.arange(len(inits)) - np.searchsorted(barrier[inits], barrier[inits])
    of_event = np.append(first, -1).take(barrier)
    if len(inits) and int(lives.max()) > 1:
        span = int(logged.time.max()) + 1
        begun = np.searchsorted(barrier[inits] * span + logged.time[inits], barrier * span + logged.time, side="right")
        begun -= np.searchsorted(barrier[inits], barrier)
        of_event += np.where(barrier >= 0, np.maximum(begun - 1, 0), 0)
        of_event[inits] = first[barrier[inits]] + number

    whose = np.repeat(np.arange(len(barriers)), lives)
    count = np.array([b.init_count for b in barriers], np.int64)[whose]
    count[first[barrier[inits]] + number] = logged.amount[inits]
    first_phase = np.zeros(len(whose), np.int64)
    first_phase[first] = [b.first_phase for b in barriers]
    changes = np.zeros(len(whose), bool)
    changes[of_event[kind == EventKind.ARRIVE_DROP]] = True
    raised = np.zeros(len(whose), bool)
    raised[of_event[kind == EventKind.CP_ASYNC_ARRIVE]] = True
    return Lives(of_event, whose, np.maximum(count, 0), first_phase, changes, raised)
