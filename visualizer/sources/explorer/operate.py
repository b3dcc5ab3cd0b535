"""What one operation makes of a barrier, asked of semantics.Mbarrier."""

from __future__ import annotations

from visualizer.semantics.mbarrier import Mbarrier, UndefinedBehaviour
from visualizer.sources.explorer.steps import Code


def ask(
    code: int, amount: int, pending: int, expected: int, tx: int, valid: bool
) -> tuple[int, int, int, int, bool] | str:
    """What Mbarrier does: phases completed and the state after, or the rule that was broken.

    Lanes arrive one by one, so a warp's arrivals may complete a phase and go on into the next one.
    """
    barrier = Mbarrier(valid, 0, expected, pending, tx)
    left = amount
    try:
        while True:
            lanes = min(left, max(barrier.pending, 1)) if code == Code.ARRIVE else left
            operate(barrier, code, lanes)
            left -= lanes
            if left <= 0:
                break
    except UndefinedBehaviour as error:
        return error.rule
    return barrier.phase, barrier.pending, barrier.expected, barrier.tx, barrier.valid


def operate(barrier: Mbarrier, code: int, amount: int) -> None:
    """Perform one operation; raises what Mbarrier raises."""
    if code == Code.INIT:
        barrier.init(amount)
    elif code == Code.INVAL:
        barrier.inval()
    elif code == Code.ARRIVE:
        barrier.arrive(amount)
    elif code == Code.ARRIVE_NO_COMPLETE:
        barrier.arrive(amount, no_complete=True)
    elif code == Code.ARRIVE_DROP:
        barrier.arrive_drop(amount)
    elif code == Code.ARRIVE_EXPECT_TX:
        barrier.arrive_expect_tx(amount)
    elif code == Code.EXPECT_TX:
        barrier.expect_tx(amount)
    elif code == Code.COMPLETE_TX:
        barrier.complete_tx(amount)
    else:
        barrier.increase_pending(amount)
