"""Counts where a Trace contradicts itself: an independent check of what deriving and reconciling promise.

It knows barriers and their rules, not how the recording came about, so it judges simulated and measured runs alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.semantics.word import decode

RULES = (
    "program_order",  # an agent's logged event measured before its previous one
    "before_init",  # something on a barrier before its init
    "phase_number",  # completions of a barrier that do not count up from its first phase or have the wrong parity
    "phase_arrivals",  # a phase that completed with more or fewer arrivals than expected, or got too many
    "phase_bytes",  # a phase that completed while bytes were outstanding
    "missed_completion",  # a phase with nothing outstanding that is not followed by its completion
    "completion_apart",  # a completion that does not directly follow an event of the same agent on its barrier
    "wait_not_due",  # a wait that passed, or a test that failed, although the phase's parity says that it could not
    "blocked_unreleased",  # a blocked wait that ended with no completion since it began
    "copy_before_issue",  # bytes landed that had not been issued
    "token_order",  # arrivals of a phase not in the order of their tokens, or tokens of another phase
)


def violations(trace: Trace) -> dict[str, int]:
    """How often each rule is broken, by the names in RULES; all 0 in a sound recording.

    What a phase takes is the count of the barrier's INIT, or without one the table's, less what was dropped in earlier
    phases. Where neither tells a count, no phase is known, and none is held against it.
    """
    events = trace.events
    found = dict.fromkeys(RULES, 0)
    if not len(events):
        return found
    found["program_order"] = _program_order(events)
    found["completion_apart"] = _completion_apart(events)
    on_barrier = np.flatnonzero(events["barrier"] >= 0)
    steps = on_barrier[np.argsort(events["barrier"][on_barrier], kind="stable")]
    if len(steps):
        _check_barriers(trace, steps, found)
    return found


def _program_order(events: NDArray[np.void]) -> int:
    logged = np.flatnonzero((events["flags"] & EventFlag.DERIVED) == 0)
    logged = logged[np.argsort(events["agent"][logged], kind="stable")]
    rows = events[logged]
    same = rows["agent"][1:] == rows["agent"][:-1]
    return int((same & (rows["measured"][1:] < rows["measured"][:-1])).sum())


def _completion_apart(events: NDArray[np.void]) -> int:
    flip = np.flatnonzero(events["kind"] == EventKind.PHASE_COMPLETE)
    cause = events[np.maximum(flip - 1, 0)]
    rows = events[flip]
    near = (cause["agent"] == rows["agent"]) & (cause["barrier"] == rows["barrier"]) & (flip > 0)
    return int((~near).sum())


def _check_barriers(trace: Trace, steps: NDArray[np.int64], found: dict[str, int]) -> None:
    """The rules about one barrier at a time; `steps` sorted by barrier, then in order."""
    rows = trace.events[steps]
    kind, barrier = rows["kind"], rows["barrier"].astype(np.int64)
    amount = rows["amount"].astype(np.int64)
    is_flip, is_init = kind == EventKind.PHASE_COMPLETE, kind == EventKind.INIT
    begins = np.diff(barrier, prepend=-1) != 0
    of_life, of_barrier = _Groups(begins | is_init), _Groups(begins)

    both = kind == EventKind.ARRIVE_EXPECT_TX
    drops = kind == EventKind.ARRIVE_DROP
    arrives = (kind == EventKind.ARRIVE) | both | drops
    raises = kind == EventKind.CP_ASYNC_ARRIVE
    arrived = of_life.total(np.where(both, 1, np.where(arrives, amount, np.where(raises, -amount, 0))))
    expected = of_life.total(np.where(both | (kind == EventKind.EXPECT_TX), amount, 0))
    landed = of_life.total(np.where(kind == EventKind.COMPLETE_TX, amount, 0))
    flips = of_life.total(is_flip.astype(np.int64))
    # The phase that a row belongs to began with the flip before it; a flip is the end of its own.
    began = np.where(is_flip, of_life.latest(is_flip, before=True), of_life.latest(is_flip))
    lowered = of_life.total(np.where(drops, amount, 0))
    dropped = np.where(began >= 0, lowered[began], 0)
    table = np.array([b.init_count for b in trace.barriers], np.int64)[barrier]
    given = np.where(is_init[of_life.start], amount[of_life.start], table)
    count = given - dropped
    inside = arrived - np.where(began >= 0, arrived[began], 0)
    told = given > 0

    inits = of_barrier.total(is_init.astype(np.int64))
    has_init = np.bincount(barrier, is_init, len(trace.barriers))[barrier] > 0
    found["before_init"] = int((has_init & (inits == 0)).sum())
    first_phase = np.array([b.first_phase for b in trace.barriers], np.int64)[barrier]
    phase = flips + np.where(inits > 1, 0, first_phase)
    wrong = is_flip & ((amount != phase - 1) | (rows["parity"] != (amount & 1)))
    found["phase_number"] = int(wrong.sum())
    found["phase_arrivals"] = int((told & is_flip & (inside != count)).sum())
    found["phase_arrivals"] += int((told & arrives & (inside > count)).sum())
    found["phase_bytes"] = int((is_flip & (expected != landed)).sum())
    changes = arrives | (kind == EventKind.COMPLETE_TX) | (kind == EventKind.EXPECT_TX)
    due = np.flatnonzero(told & changes & (inside == count) & (expected == landed))
    following = np.minimum(due + 1, len(rows) - 1)
    flipped = is_flip[following] & (barrier[following] == barrier[due]) & (following > due)
    found["missed_completion"] = int((~flipped).sum())

    passed = kind == EventKind.WAIT_END
    failed = kind == EventKind.TEST_FAILED
    found["wait_not_due"] = int((told & passed & ((phase & 1) == rows["parity"])).sum())
    found["wait_not_due"] += int((told & failed & ((phase & 1) != rows["parity"])).sum())
    found["blocked_unreleased"] = _blocked_unreleased(rows[told], of_barrier.total(is_flip.astype(np.int64))[told])
    counted = (rows["flags"] & EventFlag.BY_ARRIVAL) == 0
    issued = of_barrier.total(np.where(counted & (kind == EventKind.COPY_ISSUE), amount, 0))
    by_engine = np.array([agent.role == "copy_engine" for agent in trace.agents])[rows["agent"]]
    brought = of_barrier.total(np.where((kind == EventKind.COMPLETE_TX) & by_engine, amount, 0))
    done = of_barrier.total(np.where(counted & (kind == EventKind.COPY_DONE), amount, 0))
    found["copy_before_issue"] = int(((brought > issued) & (kind == EventKind.COMPLETE_TX)).sum())
    found["copy_before_issue"] += int(((done > brought) & (kind == EventKind.COPY_DONE)).sum())
    found["token_order"] = _token_order(rows[arrives], phase[arrives])


class _Groups:
    """Rows that belong together: each group begins at a row where `begins` is true, the first row among them."""

    def __init__(self, begins: NDArray[np.bool_]) -> None:
        self.start = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))

    def total(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum of the values of the group up to and with each row."""
        sums = np.cumsum(values)
        return sums - (sums - values)[self.start]

    def latest(self, which: NDArray[np.bool_], *, before: bool = False) -> NDArray[np.int64]:
        """The latest such row of the group up to each row, or before it; -1: none."""
        rows = np.maximum.accumulate(np.where(which, np.arange(len(which)), -1))
        if before:
            rows = np.concatenate([[-1], rows[:-1]])
        return np.where(rows >= self.start, rows, -1)


def _blocked_unreleased(rows: NDArray[np.void], flips: NDArray[np.int64]) -> int:
    """Waits that were blocked and saw no completion between their begin and their end."""
    waits = np.flatnonzero((rows["kind"] == EventKind.WAIT_BEGIN) | (rows["kind"] == EventKind.WAIT_END))
    waits = waits[np.lexsort((waits, rows["agent"][waits], rows["barrier"][waits]))]
    end = np.flatnonzero(rows["flags"][waits] & EventFlag.BLOCKED)
    end = end[end > 0]
    return int((flips[waits[end]] <= flips[waits[end - 1]]).sum())


def _token_order(rows: NDArray[np.void], phase: NDArray[np.int64]) -> int:
    """Arrivals with tokens whose parity is not their phase's, or that see no fewer pending than the one before."""
    known = (rows["flags"] & EventFlag.HAS_TOKEN) != 0
    rows, phase = rows[known], phase[known]
    parity, pending, _ = decode(rows["token"])
    same = (rows["barrier"][1:] == rows["barrier"][:-1]) & (phase[1:] == phase[:-1])
    agree = parity == (phase & 1)
    disorder = same & agree[1:] & agree[:-1] & (pending[1:] >= pending[:-1])
    return int((~agree).sum() + disorder.sum())
