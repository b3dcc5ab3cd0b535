"""What visualizer.semantics says each step of a sequence returns, and where a GPU said something else."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.semantics.mbarrier import Mbarrier, Token
from visualizer.semantics.word import TX_GRANULE, decode, encode
from visualizer.sources.conformance.steps import (
    CTA_SHIFT,
    PARITY_WAITS,
    TOKEN_WAITS,
    TRY_WAITS,
    UNWRITTEN,
    WORDS,
    Operation,
    Sequences,
    Step,
)

STATE_MASK = np.uint64(0xFFFF_FFFF_0000_0000)
"""The half of a barrier word that is state."""
_NEVER_SET = np.uint64(1 << 42)


def foretell(sequences: Sequences) -> NDArray[np.uint64]:
    """The result of every step, words with their state bits alone. UndefinedBehaviour if a step has none."""
    results: list[int] = []
    begins = sequences.begins.tolist()
    for begin, end in itertools.pairwise(begins):
        barriers: dict[int, Mbarrier] = {}
        tokens: dict[int, Token] = {}
        for number, (operation, agent, target, lanes, operand) in enumerate(sequences.steps[begin:end].tolist()):
            barrier = barriers.get(target)
            if barrier is None:
                barrier = barriers[target] = Mbarrier()
            if operation == Operation.COPY:
                results.append(0)
                for cta in _destinations(agent >> CTA_SHIFT, lanes):
                    barriers[cta << CTA_SHIFT | target & ((1 << CTA_SHIFT) - 1)].complete_tx(operand)
                continue
            is_remote = (agent ^ target) >> CTA_SHIFT != 0
            if operation in PARITY_WAITS:
                results.append(barrier.test_wait_parity(operand, remote=is_remote))
            elif operation in TOKEN_WAITS:
                results.append(barrier.test_wait(tokens[operand], remote=is_remote))
            else:
                token = carry_out(barrier, operation, operand, lanes, is_remote)
                results.append(0 if token is None else encode(token))
                if token is not None:
                    tokens[number] = token
    return np.array(results, dtype=np.uint64)


def _destinations(agent_cta: int, mask: int) -> list[int]:
    return [cta for cta in range(2) if mask >> cta & 1] if mask else [agent_cta]


def carry_out(barrier: Mbarrier, operation: int, operand: int, lanes: int, remote: bool) -> Token | None:
    """One operation by `lanes` lanes of a warp, each with `operand`; the last lane's token.

    The lanes act as one, with the sum of their counts and bytes, and all get the word from before that: so arrivals of
    one instruction that run past the end of a phase are an over-arrival. Only noComplete forms go lane by lane. [H200]
    """
    match operation:
        case Operation.ARRIVE:
            return barrier.arrive(operand * lanes, remote=remote)
        case Operation.ARRIVE_EXPECT_TX if lanes > 1:
            # With arrivals pending, expect_tx completes nothing, so two calls are as good as one instruction.
            barrier.expect_tx(operand * lanes)
            token = barrier.arrive(lanes, remote=remote)
            return token and Token(token.parity, token.pending, token.tx - operand * lanes)
        case Operation.ARRIVE_EXPECT_TX:
            return barrier.arrive_expect_tx(operand, remote=remote)
        case Operation.ARRIVE_DROP:
            return barrier.arrive_drop(operand * lanes, remote=remote)
        case Operation.ARRIVE_NO_COMPLETE | Operation.ARRIVE_DROP_NO_COMPLETE:
            arrive = barrier.arrive if operation == Operation.ARRIVE_NO_COMPLETE else barrier.arrive_drop
            tokens = [arrive(operand, no_complete=True, remote=remote) for _ in range(lanes)]
            return tokens[-1]
        case Operation.COMPLETE_TX:
            barrier.complete_tx(operand * lanes)
        case Operation.EXPECT_TX:
            barrier.expect_tx(operand * lanes)
        case Operation.READ | Operation.SETTLE:
            return Token(barrier.parity, barrier.pending, barrier.tx)
        case Operation.INIT:
            barrier.init(operand)
        case Operation.INVAL:
            barrier.inval()
        case Operation.CP_ASYNC_ARRIVE:
            barrier.increase_pending(lanes)
            under_way = Token(barrier.parity, barrier.pending, barrier.tx)
            barrier.arrive(lanes)
            return under_way
        case Operation.CP_ASYNC_ARRIVE_NOINC:
            under_way = Token(barrier.parity, barrier.pending, barrier.tx)
            barrier.arrive(lanes)
            return under_way
        case _:
            raise ValueError(f"no barrier operation: {operation}")
    return None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One step on which GPU and semantics differ; `number` counts from the start of the sequence."""

    sequence: int
    number: int
    step: Step
    foretold: int
    seen: int

    def __str__(self) -> str:
        where = f"sequence {self.sequence}, step {self.number}"
        return f"{where}: {self.step}: {self.foretold:#018x} foretold, {self.seen:#018x} seen"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Where results differ from what was foretold. Early falses are the try_waits that PTX allows to answer false."""

    mismatches: NDArray[np.int64]  # indices of steps
    early_false: int
    under_way: UnderWay


@dataclass(frozen=True, slots=True)
class UnderWay:
    """How often the word right after a cp.async.mbarrier.arrive showed what."""

    pending_raised: int = 0  # without .noinc, as PTX has it
    tx_raised: int = 0  # the transaction count in its place
    arrived: int = 0  # already, in part or all of it; without .noinc the word is then as before
    not_yet: int = 0  # with .noinc


def returns_word(sequences: Sequences) -> NDArray[np.bool_]:
    """Which steps return a token or the live word: a remote operation returns none."""
    remote = (sequences.steps["agent"] ^ sequences.steps["target"]) >> CTA_SHIFT != 0
    returns: NDArray[np.bool_] = np.isin(sequences.steps["operation"], sorted(WORDS)) & ~remote
    return returns


def compare(sequences: Sequences, foretold: NDArray[np.uint64], seen: NDArray[np.uint64]) -> Comparison:
    """Compare every token, word and wait result: both arrays have one entry a step."""
    words = np.where(returns_word(sequences), seen & STATE_MASK, seen)
    may_be, under_way = _under_way(sequences, foretold, words)
    differs = (words != foretold) & ~may_be
    is_try_wait = np.isin(sequences.steps["operation"], sorted(TRY_WAITS))
    early = is_try_wait & (seen == 0) & (foretold == 1)
    return Comparison(np.flatnonzero(differs & ~early), int(early.sum()), under_way)


def _under_way(
    sequences: Sequences, foretold: NDArray[np.uint64], words: NDArray[np.uint64]
) -> tuple[NDArray[np.bool_], UnderWay]:
    """Which words right after a cp.async.mbarrier.arrive are possible: any number of its lanes may have arrived by
    then, and hardware counts those of the form without .noinc as transactions: SYNCS.ARRIVE.TRANS64.A0T1, then
    ARRIVES.LDGSTSBAR.TRANSCNT, where .noinc is ARRIVES.LDGSTSBAR.ARVCNT [nvdisasm, sm_90a]."""
    operation, lanes = sequences.steps["operation"], sequences.steps["lanes"].astype(np.int64)
    raises, counts = (operation == one for one in (Operation.CP_ASYNC_ARRIVE, Operation.CP_ASYNC_ARRIVE_NOINC))
    (parity, pending, tx), (seen_parity, seen_pending, seen_tx) = decode(foretold), decode(words)
    before = np.where(raises, pending - lanes, pending)
    more = seen_pending - before
    same_phase = (seen_parity == parity) & (words & _NEVER_SET == 0)
    as_pending = raises & same_phase & (seen_tx == tx) & (more >= 1) & (more <= lanes)
    as_tx = raises & same_phase & (more == 0) & (seen_tx == tx + TX_GRANULE)
    as_before = same_phase & (more == 0) & (seen_tx == tx)
    partly = counts & same_phase & (seen_tx == tx) & (more < 0) & (more >= -lanes)
    settled = counts & (words == np.append(foretold[1:], UNWRITTEN))
    arrived = (raises & as_before) | ((partly | settled) & ~as_before)
    not_yet = counts & as_before
    told = UnderWay(*(int(one.sum()) for one in (as_pending, as_tx, arrived, not_yet)))
    return as_pending | as_tx | arrived | not_yet, told


def mismatch(sequences: Sequences, index: int, foretold: NDArray[np.uint64], seen: NDArray[np.uint64]) -> Mismatch:
    """One mismatch in words that a person can follow."""
    sequence = int(np.searchsorted(sequences.begins, index, side="right")) - 1
    number = index - int(sequences.begins[sequence])
    return Mismatch(sequence, number, sequences.step(index), int(foretold[index]), int(seen[index]))
