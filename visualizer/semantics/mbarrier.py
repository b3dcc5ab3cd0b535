"""One mbarrier object, exactly as the PTX ISA defines it, with unbounded phase numbers.

Everything that claims to know what a barrier does (the simulator, the tests of History, the conformance
run against a GPU) goes through this class, so there is one place to correct when silicon disagrees.

Sources: PTX ISA 9.x, chapter "mbarrier"; rules marked [H200] were measured, see docs/hardware.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from visualizer.language import endings

MAX_COUNT = 2**20 - 1
"""Largest expected or pending count, and largest magnitude of the transaction count [PTX]."""
_MOST_LANES = 1024  # threads of a CTA [PTX], so that no more arrive in one place of a program


class UndefinedBehaviour(Exception):
    """An operation PTX leaves undefined; `rule` names which rule it broke.

    Rules: "invalid-object", "init-count", "re-init", "arrive-count", "over-arrival", "no-complete", "tx-range",
    "tx-negative", "expected-count", "remote-wait", "exited-cta".
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Token:
    """What an arrive returns: the barrier *before* that arrive. Hardware keeps one phase bit, so tokens alias."""

    parity: int
    pending: int
    tx: int


@dataclass(slots=True)
class Mbarrier:
    """State of one barrier: valid, phase, expected, pending, tx. All fields start as an uninitialised object."""

    valid: bool = False
    phase: int = 0
    expected: int = 0
    pending: int = 0
    tx: int = 0

    @property
    def parity(self) -> int:
        """The one phase bit that hardware keeps."""
        return self.phase & 1

    def init(self, count: int) -> None:
        """Make the object a barrier in phase #0 that expects `count` arrivals per phase."""
        if self.valid:
            raise UndefinedBehaviour("re-init", endings.REINIT)
        if not 1 <= count <= MAX_COUNT:
            raise UndefinedBehaviour("init-count", endings.INIT_COUNT.format(count=count, most=MAX_COUNT))
        self.valid = True
        self.phase = 0
        self.expected = self.pending = count
        self.tx = 0

    def inval(self) -> None:
        """End the object's life; only init may follow."""
        self._require_valid("inval")
        self.valid = False

    def expect_tx(self, bytes_: int) -> None:
        """Add `bytes_` to the bytes this phase waits for. Not an arrival.

        It can complete a phase: pending 0, tx -64, then expect_tx(64) flips [H200].
        """
        self._require_valid("expect_tx")
        self._check_bytes(bytes_, "expect_tx")
        self._add_tx(bytes_, "expect_tx")
        self._complete_if_due()

    def complete_tx(self, bytes_: int) -> None:
        """Take `bytes_` off the bytes this phase waits for; bulk copies do this with the bytes they wrote."""
        self._require_valid("complete_tx")
        self._check_bytes(bytes_, "complete_tx")
        self._add_tx(-bytes_, "complete_tx")
        self._complete_if_due()

    def arrive(self, count: int = 1, *, no_complete: bool = False, remote: bool = False) -> Token | None:
        """Arrive `count` times; returns the state before, or None for the remote form, which returns no token.

        Lanes of a warp that arrive in one instruction are one arrive with the sum of their counts, so a warp that runs
        past the end of the phase over-arrives; noComplete forms go lane by lane [H200].
        """
        self._require_valid("arrive")
        token = self._token()
        self._check_arrive(count, no_complete)
        self.pending -= count
        self._complete_if_due()
        return None if remote else token

    def arrive_expect_tx(self, bytes_: int, *, remote: bool = False) -> Token | None:
        """expect_tx(bytes_), then arrive(1), as one instruction: the phase cannot complete in between."""
        self._require_valid("arrive.expect_tx")
        self._check_bytes(bytes_, "arrive.expect_tx")
        token = self._token()
        self._check_arrive(1, no_complete=False)
        self._add_tx(bytes_, "arrive.expect_tx")
        self.pending -= 1
        self._complete_if_due()
        return None if remote else token

    def arrive_drop(self, count: int = 1, *, no_complete: bool = False, remote: bool = False) -> Token | None:
        """Arrive `count` times and lower the expected count of every later phase by as much."""
        self._require_valid("arrive_drop")
        token = self._token()
        self._check_arrive(count, no_complete)
        if self.expected - count < 1:
            raise UndefinedBehaviour(
                "expected-count", endings.DROP_COUNT.format(count=count, left=self.expected - count)
            )
        self.expected -= count
        self.pending -= count
        self._complete_if_due()
        return None if remote else token

    def increase_pending(self, count: int) -> None:
        """Make the current phase wait for `count` arrivals more: cp.async.mbarrier.arrive without .noinc does [PTX]."""
        self._require_valid("cp.async.mbarrier.arrive")
        if not 1 <= count <= MAX_COUNT - self.pending:
            raise UndefinedBehaviour("arrive-count", endings.MORE_PENDING.format(count=count, most=MAX_COUNT))
        self.pending += count

    def test_wait_parity(self, parity: int, *, remote: bool = False) -> bool:
        """True if the phase with this parity has completed, as far as one bit can tell. Only bit 0 counts.

        A fresh barrier is in phase #0: wait(0) blocks and wait(1) passes, which is why a producer starts with 1.
        """
        self._require_valid("test_wait")
        if remote:
            raise UndefinedBehaviour("remote-wait", endings.REMOTE_WAIT)
        return self.parity != (parity & 1)

    def test_wait(self, token: Token, *, remote: bool = False) -> bool:
        """True if the phase the token was given in has completed; aliases exactly like a parity [H200]."""
        return self.test_wait_parity(token.parity, remote=remote)

    def try_wait_parity(self, parity: int, *, remote: bool = False) -> bool:
        """Like test_wait_parity; hardware may suspend first and may answer False early, never True early."""
        return self.test_wait_parity(parity, remote=remote)

    def try_wait(self, token: Token, *, remote: bool = False) -> bool:
        """Like test_wait; hardware may suspend first and may answer False early, never True early."""
        return self.test_wait(token, remote=remote)

    def _token(self) -> Token:
        return Token(self.parity, self.pending, self.tx)

    def _require_valid(self, operation: str) -> None:
        if not self.valid:
            raise UndefinedBehaviour("invalid-object", endings.NOT_INITIALISED.format(operation=operation))

    def _check_arrive(self, count: int, no_complete: bool) -> None:
        if not 1 <= count <= MAX_COUNT:
            raise UndefinedBehaviour("arrive-count", endings.ARRIVE_COUNT.format(count=count, most=MAX_COUNT))
        if count > self.pending:
            raise UndefinedBehaviour(
                "over-arrival",
                endings.OVER_ARRIVAL.format(count=count, missing=self.pending, expected=self.expected),
            )
        if no_complete and count == self.pending and self.tx == 0:
            raise UndefinedBehaviour("no-complete", endings.NO_COMPLETE)

    def _add_tx(self, delta: int, operation: str) -> None:
        if abs(self.tx + delta) > MAX_COUNT:
            raise UndefinedBehaviour(
                "tx-range", endings.TX_RANGE.format(operation=operation, tx=self.tx + delta, most=MAX_COUNT)
            )
        self.tx += delta

    @staticmethod
    def _check_bytes(bytes_: int, operation: str) -> None:
        if bytes_ < 0:
            raise UndefinedBehaviour("tx-negative", endings.TX_NEGATIVE.format(operation=operation, bytes=bytes_))

    def _complete_if_due(self) -> None:
        """Complete when both counts are exactly zero: tx may be negative while arrivals are pending [PTX]."""
        if self.pending == 0 and self.tx == 0:
            self.phase += 1
            self.pending = self.expected


def lane_by_lane(barrier: Mbarrier, count: int) -> Iterator[int]:
    """The parts in which `count` arrivals of a warp happen, each asked for once that before it is performed.

    Lanes arrive one by one, so a warp's arrivals may complete a phase and go on into the next one; but a lane's own
    arrivals do not, so of more parts than there are lanes the last is all that is left, and over-arrives.
    """
    for _ in range(_MOST_LANES):
        part = min(count, max(barrier.pending, 1))
        yield part
        count -= part
        if not count:
            return
    yield count
