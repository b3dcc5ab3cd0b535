"""What visualizer.semantics says each step of a sequence returns, and where a GPU said something else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.semantics.mbarrier import Mbarrier, Token
from visualizer.semantics.word import encode
from visualizer.sources.conformance.steps import CTA_SHIFT, TRY_WAITS, WORDS, Operation, Sequences, Step

STATE_MASK = np.uint64(0xFFFF_FFFF_0000_0000)
"""The half of a barrier word that is state."""


def foretell(sequences: Sequences) -> NDArray[np.uint64]:
    """The result of every step, words with their state bits alone. UndefinedBehaviour if a step has none."""
    results: list[int] = []
    begins = sequences.begins.tolist()
    for begin, end in zip(begins, begins[1:], strict=False):
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
            outcome = _carry_out(barrier, operation, operand, lanes, tokens, (agent ^ target) >> CTA_SHIFT != 0)
            if isinstance(outcome, Token):
                tokens[number] = outcome
                results.append(encode(outcome))
            else:
                results.append(int(outcome or 0))
    return np.array(results, dtype=np.uint64)


def _destinations(agent_cta: int, mask: int) -> list[int]:
    return [cta for cta in range(2) if mask >> cta & 1] if mask else [agent_cta]


def _carry_out(
    barrier: Mbarrier, operation: int, operand: int, lanes: int, tokens: dict[int, Token], remote: bool
) -> Token | bool | None:
    match operation:
        case Operation.ARRIVE:
            return barrier.arrive(operand * lanes, remote=remote)
        case Operation.READ | Operation.SETTLE:
            return Token(barrier.parity, barrier.pending, barrier.tx)
        case Operation.ARRIVE_EXPECT_TX:
            return barrier.arrive_expect_tx(operand, remote=remote)
        case Operation.COMPLETE_TX:
            barrier.complete_tx(operand)
        case Operation.EXPECT_TX:
            barrier.expect_tx(operand)
        case Operation.TEST_WAIT_PARITY | Operation.TRY_WAIT_PARITY:
            return barrier.test_wait_parity(operand, remote=remote)
        case Operation.TEST_WAIT | Operation.TRY_WAIT:
            return barrier.test_wait(tokens[operand], remote=remote)
        case Operation.ARRIVE_NO_COMPLETE:
            return barrier.arrive(operand, no_complete=True, remote=remote)
        case Operation.ARRIVE_DROP:
            return barrier.arrive_drop(operand, remote=remote)
        case Operation.ARRIVE_DROP_NO_COMPLETE:
            return barrier.arrive_drop(operand, no_complete=True, remote=remote)
        case Operation.INIT:
            barrier.init(operand)
        case Operation.INVAL:
            barrier.inval()
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


def returns_word(sequences: Sequences) -> NDArray[np.bool_]:
    """Which steps return a token or the live word: a remote operation returns none."""
    remote = (sequences.steps["agent"] ^ sequences.steps["target"]) >> CTA_SHIFT != 0
    return np.isin(sequences.steps["operation"], sorted(WORDS)) & ~remote


def compare(sequences: Sequences, foretold: NDArray[np.uint64], seen: NDArray[np.uint64]) -> Comparison:
    """Compare every token, word and wait result: both arrays have one entry a step."""
    differs = np.where(returns_word(sequences), seen & STATE_MASK, seen) != foretold
    is_try_wait = np.isin(sequences.steps["operation"], sorted(TRY_WAITS))
    early = is_try_wait & (seen == 0) & (foretold == 1)
    return Comparison(np.flatnonzero(differs & ~early), int(early.sum()))


def mismatch(sequences: Sequences, index: int, foretold: NDArray[np.uint64], seen: NDArray[np.uint64]) -> Mismatch:
    """One mismatch in words that a person can follow."""
    sequence = int(np.searchsorted(sequences.begins, index, side="right")) - 1
    number = index - int(sequences.begins[sequence])
    return Mismatch(sequence, number, sequences.step(index), int(foretold[index]), int(seen[index]))
