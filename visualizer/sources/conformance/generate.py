"""Random sequences of mbarrier operations that stay inside what PTX defines.

The writer carries every operation out on visualizer.semantics as it goes and picks amounts that are legal in that
state, with a liking for the borders: completing exactly, all but one, the largest count, the largest transaction count.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from visualizer.semantics.mbarrier import MAX_COUNT, Mbarrier, Token
from visualizer.semantics.shared_storage import BARRIER_BYTES
from visualizer.semantics.warp import WARP_THREADS
from visualizer.semantics.word import TX_GRANULE, encode
from visualizer.sources.conformance.replay import carry_out
from visualizer.sources.conformance.steps import Form, Operation, Sequences, Step

MOST_BARRIERS = 4  # of each CTA
MOST_CHUNKS = 8  # of 16 bytes, that a lane copies by cp.async
COPY_UNIT = 16
MOST_COPY_UNITS = 1024
COUNT_SCALES = (1, 2, 4, 32, 200, 4096, MAX_COUNT)
BYTE_SCALES = (64, 4096, 65536, MAX_COUNT)
RECENT_TOKENS = 8


def generate(form: Form, sequences: int, operations: int, seed: int) -> Sequences:
    """`sequences` sequences of at least `operations` steps each; the same for the same seed."""
    return Sequences.of(form, (_write(form, operations, random.Random(f"{form}/{seed}/{n}")) for n in range(sequences)))


def _write(form: Form, operations: int, rng: random.Random) -> list[Step]:
    writer = _Writer(form, rng)
    while len(writer.steps) < operations:
        writer.go_on()
    writer.read_all()
    return writer.steps


class _Writer:
    """One sequence in the making, with the state its barriers are in."""

    def __init__(self, form: Form, rng: random.Random) -> None:
        self.steps: list[Step] = []
        self._form = form
        self._rng = rng
        offsets = [BARRIER_BYTES * index for index in range(rng.randint(1, MOST_BARRIERS))]
        self._places = [(cta, offset) for cta in range(form.ctas) for offset in offsets]
        self._barriers: dict[tuple[int, int], Mbarrier] = {}
        self._tokens: dict[tuple[int, int], list[tuple[int, int]]] = {}  # (step, phase) of each
        self._count_scale = rng.choice(COUNT_SCALES)
        self._byte_scale = rng.choice(BYTE_SCALES)
        self._choices: list[Callable[[tuple[int, int], Mbarrier], None]] = [
            self._arrive,
            self._arrive_no_complete,
            self._arrive_drop,
            self._arrive_expect_tx,
            self._expect_tx,
            self._complete_tx,
            self._test_wait,
            self._wait_parity,
            self._read,
            self._copy,
            self._begin_anew,
            self._cp_async_arrive,
        ]
        # Each sequence has its own habits, so that some complete phase after phase and others pile up bytes.
        self._weights = [8, 3, 2, 5, 3, 5, 3, 3, 5, 2, 0.4, 2]
        self._weights = [weight * rng.choice((0.2, 1, 1, 3)) for weight in self._weights]
        for place in self._places:
            self._init(place)

    def go_on(self) -> None:
        """Add one operation, or none where the chosen one has no legal amount now."""
        place = self._rng.choice(self._places)
        barrier = self._barriers[place]
        if barrier.pending == 0 and self._rng.random() < 0.4:
            self._balance(place, barrier)
        else:
            self._rng.choices(self._choices, self._weights)[0](place, barrier)

    def read_all(self) -> None:
        for place in self._places:
            self._read(place, self._barriers[place])

    def _put(
        self, operation: Operation, place: tuple[int, int], operand: int = 0, *, lanes: int = 1, remote: bool = False
    ) -> int:
        """Write a step down, by any agent of the barrier's CTA, or of the other one; returns its number."""
        cta, offset = place
        warp = self._rng.randrange(self._form.warps)
        self.steps.append(Step(operation, operand, offset, cta, cta ^ remote, warp, lanes))
        return len(self.steps) - 1

    def _init(self, place: tuple[int, int]) -> None:
        rng, scale = self._rng, self._count_scale
        count = rng.choice((scale, max(1, scale - 1), rng.randint(1, scale), rng.randint(1, scale)))
        self._barriers[place] = Mbarrier()
        self._barriers[place].init(count)
        self._tokens[place] = []
        self._put(Operation.INIT, place, count)

    def _begin_anew(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        barrier.inval()
        self._put(Operation.INVAL, place)
        self._init(place)

    def _count(self, most: int) -> int:
        return self._rng.choice((1, most, max(1, most - 1), self._rng.randint(1, most), self._rng.randint(1, most)))

    def _lanes(self, most: int) -> int:
        """How many lanes of the warp carry an operation out together, up to `most`."""
        if self._form is Form.ONE_THREAD or most < 2 or self._rng.random() < 0.7:
            return 1
        return self._rng.randint(2, min(WARP_THREADS, most))

    def _arrive(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        self._arrive_by(Operation.ARRIVE, place, barrier, barrier.pending)

    def _arrive_drop(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        self._arrive_by(Operation.ARRIVE_DROP, place, barrier, min(barrier.pending, barrier.expected - 1))

    def _arrive_no_complete(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        most = barrier.pending if barrier.tx else barrier.pending - 1
        if self._rng.random() < 0.6:
            self._arrive_by(Operation.ARRIVE_NO_COMPLETE, place, barrier, most)
        else:
            most = min(most, barrier.expected - 1)
            self._arrive_by(Operation.ARRIVE_DROP_NO_COMPLETE, place, barrier, most)

    def _arrive_by(self, operation: Operation, place: tuple[int, int], barrier: Mbarrier, most: int) -> None:
        if most < 1:
            return
        lanes = self._lanes(most)
        has_remote_form = operation in (Operation.ARRIVE, Operation.ARRIVE_DROP)
        self._do(operation, place, barrier, self._count(most // lanes), lanes, has_remote_form)

    def _arrive_expect_tx(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        if barrier.pending:
            lanes = self._lanes(barrier.pending)
            bytes_ = self._bytes(-barrier.tx) // lanes
            self._do(Operation.ARRIVE_EXPECT_TX, place, barrier, bytes_, lanes)

    def _expect_tx(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        lanes = self._byte_lanes(barrier)
        self._do(Operation.EXPECT_TX, place, barrier, self._bytes(-barrier.tx) // lanes, lanes)

    def _complete_tx(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        lanes = self._byte_lanes(barrier)
        self._do(Operation.COMPLETE_TX, place, barrier, self._bytes(barrier.tx) // lanes, lanes)

    def _byte_lanes(self, barrier: Mbarrier) -> int:
        # Without arrivals pending, some of the lanes might complete the phase that others then add to.
        return self._lanes(WARP_THREADS) if barrier.pending else 1

    def _do(
        self,
        operation: Operation,
        place: tuple[int, int],
        barrier: Mbarrier,
        operand: int,
        lanes: int = 1,
        has_remote_form: bool = True,
    ) -> None:
        """Carry an operation out on the model, write it down, and keep its token for later waits."""
        remote = has_remote_form and self._form.ctas > 1 and self._rng.random() < 0.5
        phase = barrier.phase
        token = carry_out(barrier, operation, operand, lanes, remote)
        step = self._put(operation, place, operand, lanes=lanes, remote=remote)
        if token is not None:
            tokens = self._tokens[place]
            tokens.append((step, phase))
            del tokens[:-RECENT_TOKENS]

    def _bytes(self, balance: int) -> int:
        """Bytes to add or to take off; `balance` of them would make tx zero."""
        rng = self._rng
        room = min(MAX_COUNT, MAX_COUNT + balance)
        wishes = [0, 1, rng.randint(0, self._byte_scale), TX_GRANULE * rng.randint(1, 8), balance, balance]
        if self._byte_scale == MAX_COUNT:
            wishes += [room, room - 1]
        wish = rng.choice(wishes)
        return wish if 0 <= wish <= room else rng.randint(0, min(room, self._byte_scale))

    def _balance(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        """End a phase that only lacks bytes, from whichever side."""
        operation = Operation.EXPECT_TX if barrier.tx < 0 else Operation.COMPLETE_TX
        self._do(operation, place, barrier, abs(barrier.tx))

    def _test_wait(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        # PTX knows tokens of the current and the preceding phase only.
        known = [step for step, phase in self._tokens[place] if barrier.phase - phase <= 1]
        if known:
            self._put(self._test_or_try(Operation.TEST_WAIT, Operation.TRY_WAIT), place, self._rng.choice(known))

    def _wait_parity(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        operation = self._test_or_try(Operation.TEST_WAIT_PARITY, Operation.TRY_WAIT_PARITY)
        self._put(operation, place, self._rng.randrange(2))

    def _test_or_try(self, test: Operation, try_: Operation) -> Operation:
        return test if self._rng.random() < 0.7 else try_

    def _read(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        self._put(Operation.READ, place)

    def _copy(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        """A bulk copy, and for each barrier it signals a step that waits for its bytes.

        The word shows tx rounded up to TX_GRANULE, so only a copy that ends on a multiple is seen to end.
        """
        rng = self._rng
        agent_cta, offset = place
        mask = rng.randrange(4) if self._form.ctas > 1 else 0
        destinations = [(cta, offset) for cta in range(2) if mask >> cta & 1] if mask else [place]
        units = rng.choice((1, rng.randint(1, MOST_COPY_UNITS), 128 * rng.randint(1, 8), MOST_COPY_UNITS))
        bytes_ = COPY_UNIT * units
        missing = [self._missing_bytes(self._barriers[destination], bytes_) for destination in destinations]
        if None in missing:
            return
        for destination, lack in zip(destinations, missing, strict=True):
            if lack:
                self._do(Operation.EXPECT_TX, destination, self._barriers[destination], lack)
        warp = rng.randrange(self._form.warps)
        self.steps.append(Step(Operation.COPY, bytes_, offset, agent_cta, agent_cta, warp, lanes=mask))
        for destination in destinations:
            target = self._barriers[destination]
            target.complete_tx(bytes_)
            word = encode(Token(target.parity, target.pending, target.tx))
            self._put(Operation.SETTLE, destination, word >> 32)

    def _cp_async_arrive(self, place: tuple[int, int], barrier: Mbarrier) -> None:
        """The hardware's arrivals for cp.async, and a step that waits for them.

        Without .noinc they change nothing in the end. Hardware counts them as transactions meanwhile, which the word
        shows, rounded up, only where tx is a multiple of TX_GRANULE, and which may not complete a phase.
        """
        operation = self._rng.choice((Operation.CP_ASYNC_ARRIVE, Operation.CP_ASYNC_ARRIVE_NOINC))
        if not barrier.pending:
            return
        if operation is Operation.CP_ASYNC_ARRIVE:
            most = min(MAX_COUNT - barrier.pending, MAX_COUNT - barrier.tx)
            if barrier.tx % TX_GRANULE or most < 1:
                return
        else:
            most = barrier.pending
        lanes = self._lanes(most)
        carry_out(barrier, operation, 0, lanes, remote=False)
        self._put(operation, place, self._rng.randint(0, MOST_CHUNKS), lanes=lanes)
        word = encode(Token(barrier.parity, barrier.pending, barrier.tx))
        self._put(Operation.SETTLE, place, word >> 32)

    def _missing_bytes(self, barrier: Mbarrier, bytes_: int) -> int | None:
        """What to expect before a copy of `bytes_`, so that it ends on a multiple and completes no phase on its way."""
        exact = bytes_ - barrier.tx
        is_exact = exact >= 0 and (barrier.pending == 0 or self._rng.random() < 0.5)
        missing = exact if is_exact else exact % TX_GRANULE
        after = barrier.tx + missing
        return missing if missing <= MAX_COUNT and after <= MAX_COUNT and after - bytes_ >= -MAX_COUNT else None
