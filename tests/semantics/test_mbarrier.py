"""Mbarrier against an independent model that only adds up what happened in the phase, and each undefined case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.semantics.mbarrier import MAX_COUNT, Mbarrier, Token, UndefinedBehaviour, lane_by_lane


def fresh(count: int = 1) -> Mbarrier:
    barrier = Mbarrier()
    barrier.init(count)
    return barrier


class Ledger:
    """The specification in other words: lists of what arrived in this phase; a phase ends when both sums are due."""

    def __init__(self, count: int) -> None:
        self.due = count  # arrivals this phase waits for
        self.due_next = count
        self.arrivals: list[int] = []
        self.bytes: list[int] = []
        self.completed: list[int] = []

    def enter(self, arrivals: int, bytes_: int, dropped: int = 0) -> None:
        self.arrivals.append(arrivals)
        self.bytes.append(bytes_)
        self.due_next -= dropped
        if sum(self.arrivals) == self.due and sum(self.bytes) == 0:
            self.completed.append(self.due)
            self.due = self.due_next
            self.arrivals, self.bytes = [], []


OPERATIONS = ("arrive", "arrive_expect_tx", "expect_tx", "complete_tx", "drain", "arrive_drop", "rest", "no_complete")


def perform(barrier: Mbarrier, ledger: Ledger, name: str, number: int) -> Token | None:
    """Do `name` with a legal amount derived from `number`, on both; the token. Does nothing where none is legal."""
    if name == "expect_tx":
        barrier.expect_tx(number)
        ledger.enter(0, number)
    elif name in ("complete_tx", "drain"):
        amount = barrier.tx if name == "drain" and barrier.tx > 0 else number
        barrier.complete_tx(amount)
        ledger.enter(0, -amount)
    elif barrier.pending == 0:
        return None
    elif name == "arrive_expect_tx":
        token = barrier.arrive_expect_tx(number)
        ledger.enter(1, number)
        return token
    elif name == "arrive_drop":
        count = 1 + number % barrier.pending
        if barrier.expected - count < 1:
            return None
        token = barrier.arrive_drop(count)
        ledger.enter(count, 0, dropped=count)
        return token
    elif name == "no_complete":
        count = 1 + number % barrier.pending
        if count == barrier.pending and barrier.tx == 0:
            return None
        token = barrier.arrive(count, no_complete=True)
        ledger.enter(count, 0)
        return token
    else:
        count = barrier.pending if name == "rest" else 1 + number % barrier.pending
        token = barrier.arrive(count)
        ledger.enter(count, 0)
        return token
    return None


@settings(max_examples=100, deadline=None)
@given(
    count=st.integers(1, 100),
    operations=st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 20_000)), max_size=40),
)
def test_any_legal_sequence_agrees_with_the_ledger(count: int, operations: list[tuple[str, int]]) -> None:
    barrier, ledger = fresh(count), Ledger(count)
    for name, number in operations:
        before = replace(barrier)
        token = perform(barrier, ledger, name, number)
        assert barrier.phase == len(ledger.completed)
        assert barrier.expected == ledger.due_next
        assert barrier.pending == ledger.due - sum(ledger.arrivals)
        assert barrier.tx == sum(ledger.bytes)
        assert 0 <= barrier.pending <= barrier.expected
        assert barrier.phase - before.phase in (0, 1)
        assert (barrier.pending, barrier.tx) != (0, 0), "a phase that is due stayed open"
        if token is not None:
            assert token == Token(before.phase % 2, before.pending, before.tx)
            # True once this phase has completed, and again false when the next one has: one bit is all there is.
            assert barrier.test_wait(token) == (barrier.phase != before.phase)
        for parity in (0, 1):
            assert barrier.test_wait_parity(parity) == (barrier.phase % 2 != parity)


def test_a_fresh_barrier_blocks_parity_0_and_passes_parity_1() -> None:
    barrier = fresh(96)
    assert not barrier.test_wait_parity(0)
    assert barrier.test_wait_parity(1)
    assert (barrier.phase, barrier.expected, barrier.pending, barrier.tx) == (0, 96, 96, 0)


@pytest.mark.parametrize("parity", [2, 3, -1, -2, 8, 9])
def test_only_bit_0_of_the_parity_counts(parity: int) -> None:
    barrier = fresh()
    assert barrier.test_wait_parity(parity) == barrier.test_wait_parity(parity % 2)
    assert barrier.try_wait_parity(parity) == barrier.try_wait_parity(parity % 2)


def test_a_tile_of_the_lesson() -> None:
    full, empty = fresh(1), fresh(96)
    full.arrive_expect_tx(16384)
    assert (full.phase, full.pending, full.tx) == (0, 0, 16384), "bytes outstanding keep the phase open"
    for landed in (4096, 6144, 4096):
        full.complete_tx(landed)
        assert full.phase == 0
    full.complete_tx(2048)
    assert (full.phase, full.pending, full.tx) == (1, 1, 0)
    for warp in range(3):
        assert (empty.phase, empty.pending) == (0, 96 - 32 * warp)
        empty.arrive(32)
    assert (empty.phase, empty.pending) == (1, 96)


def test_bytes_may_land_before_they_are_expected() -> None:
    barrier = fresh()
    barrier.complete_tx(4096)
    assert (barrier.phase, barrier.tx) == (0, -4096)
    barrier.arrive_expect_tx(4096)
    assert (barrier.phase, barrier.pending, barrier.tx) == (1, 1, 0)


def test_a_negative_transaction_count_does_not_complete_a_phase() -> None:
    barrier = fresh()
    barrier.complete_tx(64)
    barrier.arrive()
    assert (barrier.phase, barrier.pending, barrier.tx) == (0, 0, -64)


def test_expect_tx_alone_can_complete_a_phase() -> None:
    barrier = fresh()
    barrier.complete_tx(64)
    barrier.arrive()
    barrier.expect_tx(64)
    assert (barrier.phase, barrier.pending, barrier.tx) == (1, 1, 0)


def test_arrive_expect_tx_of_nothing_is_a_plain_arrive() -> None:
    barrier = fresh()
    barrier.arrive_expect_tx(0)
    assert barrier.phase == 1


def test_arrive_drop_counts_now_and_lowers_later_phases_only() -> None:
    barrier = fresh(5)
    barrier.arrive_drop(2)
    assert (barrier.phase, barrier.pending) == (0, 3)
    barrier.arrive(3)
    assert (barrier.phase, barrier.expected, barrier.pending) == (1, 3, 3)


def test_an_arrive_drop_that_completes_the_phase_reloads_the_lowered_count() -> None:
    barrier = fresh(2)
    barrier.arrive()
    barrier.arrive_drop()
    assert (barrier.phase, barrier.expected, barrier.pending) == (1, 1, 1)


def test_tokens_alias_like_parities() -> None:
    barrier = fresh()
    token = barrier.arrive()
    assert token is not None
    assert barrier.test_wait(token)
    assert barrier.try_wait(token)
    barrier.arrive()
    assert not barrier.test_wait(token)
    assert not barrier.try_wait(token)


def test_remote_forms_act_but_give_no_token() -> None:
    barrier = fresh(4)
    assert barrier.arrive(remote=True) is None
    assert barrier.arrive_expect_tx(16, remote=True) is None
    assert barrier.arrive_drop(remote=True) is None
    assert (barrier.pending, barrier.tx, barrier.expected) == (1, 16, 3)


def test_inval_then_init_starts_a_new_life() -> None:
    barrier = fresh(2)
    barrier.arrive(2)
    barrier.complete_tx(16)
    barrier.inval()
    barrier.init(7)
    assert (barrier.phase, barrier.expected, barrier.pending, barrier.tx) == (0, 7, 7, 0)


def test_the_largest_counts_are_legal() -> None:
    barrier = fresh(MAX_COUNT)
    barrier.arrive(MAX_COUNT)
    assert (barrier.phase, barrier.pending) == (1, MAX_COUNT)
    barrier.expect_tx(MAX_COUNT)
    barrier.complete_tx(MAX_COUNT)
    barrier.complete_tx(MAX_COUNT)
    assert barrier.tx == -MAX_COUNT


def test_a_no_complete_arrive_may_take_the_last_arrival_while_bytes_are_outstanding() -> None:
    barrier = fresh()
    barrier.expect_tx(16)
    barrier.arrive(no_complete=True)
    assert (barrier.phase, barrier.pending) == (0, 0)


def with_bytes(count: int, tx: int) -> Mbarrier:
    barrier = fresh(count)
    barrier.expect_tx(tx) if tx > 0 else barrier.complete_tx(-tx)
    return barrier


def waiting_for_bytes() -> Mbarrier:
    barrier = fresh()
    barrier.arrive_expect_tx(16)
    return barrier


UNDEFINED: list[tuple[str, Callable[[], Mbarrier], Callable[[Mbarrier], object]]] = [
    ("invalid-object", Mbarrier, lambda b: b.inval()),
    ("invalid-object", Mbarrier, lambda b: b.arrive()),
    ("invalid-object", Mbarrier, lambda b: b.arrive_drop()),
    ("invalid-object", Mbarrier, lambda b: b.arrive_expect_tx(16)),
    ("invalid-object", Mbarrier, lambda b: b.expect_tx(16)),
    ("invalid-object", Mbarrier, lambda b: b.complete_tx(16)),
    ("invalid-object", Mbarrier, lambda b: b.test_wait_parity(0)),
    ("invalid-object", Mbarrier, lambda b: b.try_wait_parity(0)),
    ("invalid-object", Mbarrier, lambda b: b.test_wait(Token(0, 1, 0))),
    ("init-count", Mbarrier, lambda b: b.init(0)),
    ("init-count", Mbarrier, lambda b: b.init(MAX_COUNT + 1)),
    ("re-init", fresh, lambda b: b.init(1)),
    ("arrive-count", fresh, lambda b: b.arrive(0)),
    ("arrive-count", fresh, lambda b: b.arrive(-1)),
    ("arrive-count", fresh, lambda b: b.arrive_drop(0)),
    ("arrive-count", lambda: fresh(MAX_COUNT), lambda b: b.arrive(MAX_COUNT + 1)),
    ("over-arrival", lambda: fresh(95), lambda b: b.arrive(96)),
    ("over-arrival", lambda: fresh(3), lambda b: b.arrive_drop(4)),
    ("over-arrival", waiting_for_bytes, lambda b: b.arrive()),
    ("over-arrival", waiting_for_bytes, lambda b: b.arrive_expect_tx(16)),
    ("no-complete", lambda: fresh(2), lambda b: b.arrive(2, no_complete=True)),
    ("no-complete", lambda: fresh(2), lambda b: b.arrive_drop(2, no_complete=True)),
    ("tx-range", lambda: with_bytes(2, 1), lambda b: b.expect_tx(MAX_COUNT)),
    ("tx-range", lambda: with_bytes(2, 1), lambda b: b.arrive_expect_tx(MAX_COUNT)),
    ("tx-range", lambda: with_bytes(2, -1), lambda b: b.complete_tx(MAX_COUNT)),
    ("tx-negative", fresh, lambda b: b.expect_tx(-1)),
    ("tx-negative", fresh, lambda b: b.complete_tx(-1)),
    ("tx-negative", fresh, lambda b: b.arrive_expect_tx(-1)),
    ("expected-count", lambda: fresh(2), lambda b: b.arrive_drop(2)),
    ("remote-wait", fresh, lambda b: b.test_wait_parity(1, remote=True)),
    ("remote-wait", fresh, lambda b: b.try_wait_parity(1, remote=True)),
    ("remote-wait", fresh, lambda b: b.test_wait(Token(1, 1, 0), remote=True)),
    ("remote-wait", fresh, lambda b: b.try_wait(Token(1, 1, 0), remote=True)),
]


@pytest.mark.parametrize(
    ("rule", "make", "act"), UNDEFINED, ids=[f"{rule}-{i}" for i, (rule, _, _) in enumerate(UNDEFINED)]
)
def test_what_ptx_leaves_undefined_is_named_and_changes_nothing(
    rule: str, make: Callable[[], Mbarrier], act: Callable[[Mbarrier], object]
) -> None:
    barrier = make()
    before = replace(barrier)
    with pytest.raises(UndefinedBehaviour) as raised:
        act(barrier)
    assert raised.value.rule == rule
    assert barrier == before
    assert str(raised.value)


@pytest.mark.parametrize(("expected", "count", "parts"), [(48, 32, [32]), (1, 3, [1, 1, 1]), (2, 5, [2, 2, 1])])
def test_lanes_go_on_into_the_next_phase(expected: int, count: int, parts: list[int]) -> None:
    barrier, seen = fresh(expected), []
    for part in lane_by_lane(barrier, count):
        barrier.arrive(part)
        seen.append(part)
    assert seen == parts


def test_more_arrivals_than_a_cta_has_lanes_over_arrive() -> None:
    barrier = fresh()
    parts = lane_by_lane(barrier, MAX_COUNT)
    for _ in range(1024):
        barrier.arrive(next(parts))
    with pytest.raises(UndefinedBehaviour) as error:
        barrier.arrive(next(parts))
    assert error.value.rule == "over-arrival"
