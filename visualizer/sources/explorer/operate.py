"""What one operation makes of a barrier, asked of semantics.Mbarrier."""

from __future__ import annotations

from collections.abc import Iterable

from visualizer.semantics.mbarrier import Mbarrier, UndefinedBehaviour, lane_by_lane
from visualizer.sources.explorer.steps import Code


def ask(
    code: int, amount: int, pending: int, expected: int, tx: int, valid: bool
) -> tuple[int, int, int, int, bool] | str:
    """What Mbarrier does: phases completed and the state after, or the rule that was broken."""
    barrier = Mbarrier(valid, 0, expected, pending, tx)
    try:
        for part in parts(barrier, code, amount):
            operate(barrier, code, part)
    except UndefinedBehaviour as error:
        return error.rule
    return barrier.phase, barrier.pending, barrier.expected, barrier.tx, barrier.valid


def parts(barrier: Mbarrier, code: int, amount: int) -> Iterable[int]:
    """The amounts in which an operation is performed, each asked for once that before it is: a warp's arrivals go lane
    by lane."""
    return lane_by_lane(barrier, amount) if code == Code.ARRIVE else (amount,)


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
