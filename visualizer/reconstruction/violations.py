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
    "wait_not_due",  # a wait that passed although the phase's parity says that it could not
    "blocked_unreleased",  # a blocked wait that ended with no completion since it began
    "copy_before_issue",  # bytes landed that had not been issued
    "token_order",  # arrivals of a phase not in the order of their tokens, or tokens of another phase
)


def violations(trace: Trace) -> dict[str, int]:
    """How often each rule is broken, by the names in RULES; all 0 in a sound recording.

    Recordings with ARRIVE_DROP, INVAL or a second INIT of a barrier are beyond it: it takes expected counts as fixed.
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
    starts = np.flatnonzero(np.diff(barrier, prepend=-1) != 0)
    lengths = np.diff(starts, append=len(rows))

    def total(values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum of values within the barrier up to and with each row."""
        sums = np.cumsum(values)
        return sums - np.repeat(sums[starts] - values[starts], lengths)

    is_flip = kind == EventKind.PHASE_COMPLETE
    is_init = kind == EventKind.INIT
    both = kind == EventKind.ARRIVE_EXPECT_TX
    arrives = (kind == EventKind.ARRIVE) | both
    arrived = total(np.where(both, 1, np.where(arrives, amount, 0)))
    expected = total(np.where(both | (kind == EventKind.EXPECT_TX), amount, 0))
    landed = total(np.where(kind == EventKind.COMPLETE_TX, amount, 0))
    flips = total(is_flip.astype(np.int64))
    phase = flips + np.array([b.first_phase for b in trace.barriers], np.int64)[barrier]
    count = np.array([b.init_count for b in trace.barriers], np.int64)[barrier]

    inits = total(is_init.astype(np.int64))
    has_init = np.repeat(np.add.reduceat(is_init.astype(np.int64), starts) > 0, lengths)
    found["before_init"] = int((has_init & (inits == 0)).sum())
    wrong = is_flip & ((amount != phase - 1) | (rows["parity"] != (amount & 1)))
    found["phase_number"] = int(wrong.sum())
    found["phase_arrivals"] = int((is_flip & (arrived != flips * count)).sum())
    found["phase_arrivals"] += int((arrives & (arrived > (flips + 1) * count)).sum())
    found["phase_bytes"] = int((is_flip & (expected != landed)).sum())
    changes = arrives | (kind == EventKind.COMPLETE_TX) | (kind == EventKind.EXPECT_TX)
    due = np.flatnonzero(changes & (arrived == (flips + 1) * count) & (expected == landed))
    following = np.minimum(due + 1, len(rows) - 1)
    told = is_flip[following] & (barrier[following] == barrier[due]) & (following > due)
    found["missed_completion"] = int((~told).sum())

    passed = kind == EventKind.WAIT_END
    found["wait_not_due"] = int((passed & ((phase & 1) == rows["parity"])).sum())
    found["blocked_unreleased"] = _blocked_unreleased(rows, flips)
    issued = total(np.where(kind == EventKind.COPY_ISSUE, amount, 0))
    done = total(np.where(kind == EventKind.COPY_DONE, amount, 0))
    found["copy_before_issue"] = int(((landed > issued) & (kind == EventKind.COMPLETE_TX)).sum())
    found["copy_before_issue"] += int(((done > landed) & (kind == EventKind.COPY_DONE)).sum())
    found["token_order"] = _token_order(rows[arrives], phase[arrives])


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
