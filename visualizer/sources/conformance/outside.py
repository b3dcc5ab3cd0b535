"""What PTX leaves undefined, one case each: run apart, in a process of its own, since its context may die.

Nothing is foretold here. What an H200 did is listed in docs/hardware.md; nothing may rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.word import decode
from visualizer.sources.conformance.steps import UNWRITTEN, WAITS, WORDS, Form, Operation, Sequences, Step

Op = Operation
NEVER = 0  # no word begins so: waiting for it is waiting for some 10 ms


@dataclass(frozen=True, slots=True)
class Case:
    """One sequence that breaks `rule` (a rule of UndefinedBehaviour, or of PTX alone), and how to say so."""

    name: str
    rule: str
    steps: tuple[Step, ...]
    form: Form = Form.ONE_THREAD

    @property
    def sequences(self) -> Sequences:
        return Sequences.of(self.form, [self.steps])


def _steps(*steps: tuple[Operation, int] | Operation) -> tuple[Step, ...]:
    made = [Step(step) if isinstance(step, Operation) else Step(*step) for step in steps]
    return tuple(step._replace(lanes=0) if step.operation is Op.COPY else step for step in made)


def _init_then(count: int, *steps: tuple[Operation, int] | Operation) -> tuple[Step, ...]:
    return _steps((Op.INIT, count), *steps, Op.READ, (Op.TEST_WAIT_PARITY, 0))


CASES = (
    Case("arrive more than is pending", "over-arrival", _init_then(2, (Op.ARRIVE, 3))),
    Case("arrive twice as often as is pending", "over-arrival", _init_then(2, (Op.ARRIVE, 4))),
    Case(
        "arrive with nothing pending, bytes outstanding",
        "over-arrival",
        _init_then(1, (Op.ARRIVE_EXPECT_TX, 4096), (Op.ARRIVE, 1)),
    ),
    Case(
        "the bytes come after such an arrival",
        "over-arrival",
        _init_then(1, (Op.ARRIVE_EXPECT_TX, 4096), (Op.ARRIVE, 1), Op.READ, (Op.COMPLETE_TX, 4096)),
    ),
    Case(
        "one warp's arrivals run past the phase: four lanes, two pending",
        "over-arrival",
        (Step(Op.INIT, 2), Step(Op.ARRIVE, 1, lanes=4), Step(Op.READ), Step(Op.TEST_WAIT_PARITY)),
        Form.SEVERAL_WARPS,
    ),
    Case("drop to an expected count of 0", "expected-count", _init_then(1, (Op.ARRIVE_DROP, 1))),
    Case(
        "drop to an expected count of 0, then arrive",
        "expected-count",
        _init_then(1, (Op.ARRIVE_DROP, 1), Op.READ, (Op.ARRIVE, 1)),
    ),
    Case("drop more than is expected", "over-arrival", _init_then(2, (Op.ARRIVE_DROP, 3))),
    Case("noComplete that would complete", "no-complete", _init_then(1, (Op.ARRIVE_NO_COMPLETE, 1))),
    Case(
        "noComplete drop that would complete",
        "no-complete",
        _init_then(2, (Op.ARRIVE, 1), (Op.ARRIVE_DROP_NO_COMPLETE, 1)),
    ),
    Case("noComplete beyond what is pending", "over-arrival", _init_then(1, (Op.ARRIVE_NO_COMPLETE, 2))),
    Case("tx beyond 2^20-1", "tx-range", _init_then(1, (Op.EXPECT_TX, MAX_COUNT), Op.READ, (Op.EXPECT_TX, 1))),
    Case(
        "tx far beyond 2^20-1",
        "tx-range",
        _init_then(1, (Op.EXPECT_TX, MAX_COUNT), (Op.EXPECT_TX, MAX_COUNT), Op.READ, (Op.ARRIVE, 1)),
    ),
    Case("tx below -(2^20-1)", "tx-range", _init_then(1, (Op.COMPLETE_TX, MAX_COUNT), Op.READ, (Op.COMPLETE_TX, 1))),
    Case(
        "tx below -2^20",
        "tx-range",
        _init_then(1, (Op.COMPLETE_TX, MAX_COUNT), (Op.COMPLETE_TX, 2), Op.READ, (Op.ARRIVE, 1)),
    ),
    Case("expect_tx of 2^20 bytes", "tx-range", _init_then(1, (Op.EXPECT_TX, MAX_COUNT + 1))),
    Case("expect_tx of 2^21 bytes", "tx-range", _init_then(1, (Op.EXPECT_TX, 2 * (MAX_COUNT + 1)))),
    Case("expect_tx of 2^32-64 bytes", "tx-range", _init_then(1, (Op.EXPECT_TX, 2**32 - 64), (Op.ARRIVE, 1))),
    Case(
        "a copy of twice the bytes that a phase still lacks",
        "copy-past-phase",
        _init_then(1, (Op.ARRIVE_EXPECT_TX, 4096), (Op.COPY, 8192), (Op.SETTLE, NEVER)),
    ),
    Case("init with count 0", "init-count", _init_then(0)),
    Case("init with count 2^20", "init-count", _init_then(MAX_COUNT + 1)),
    Case("arrive with count 2^20", "arrive-count", _init_then(MAX_COUNT, (Op.ARRIVE, MAX_COUNT + 1))),
    Case("init of a live barrier", "re-init", _init_then(4, (Op.ARRIVE, 1), Op.READ, (Op.INIT, 9))),
    Case("arrive after inval", "invalid-object", _init_then(2, Op.INVAL, (Op.ARRIVE, 1))),
    Case("inval twice", "invalid-object", _init_then(2, Op.INVAL, Op.INVAL)),
    Case("use without init", "invalid-object", _steps(Op.READ, (Op.TEST_WAIT_PARITY, 0), (Op.ARRIVE, 1), Op.READ)),
    Case("wait for parity 2", "parity", _init_then(1, (Op.TEST_WAIT_PARITY, 2))),
    Case("wait for parity 3", "parity", _init_then(1, (Op.TEST_WAIT_PARITY, 3))),
    Case(
        "wait with a token of two phases ago",
        "token-age",
        _init_then(1, (Op.ARRIVE, 1), (Op.ARRIVE, 1), (Op.TEST_WAIT, 1)),
    ),
    Case(
        "a barrier off its alignment",
        "alignment",
        tuple(step._replace(offset=4) for step in _init_then(2, (Op.ARRIVE, 1))),
    ),
    Case(
        "wait on the barrier of another CTA",
        "remote-wait",
        (
            Step(Op.INIT, 1),
            Step(Op.INIT, 1, cta=1, agent_cta=1),
            Step(Op.TEST_WAIT_PARITY, 1, cta=1),
            Step(Op.READ),
        ),
        Form.TWO_CTAS,
    ),
    Case(
        "remote arrive beyond what is pending",
        "over-arrival",
        (Step(Op.INIT, 2, cta=1, agent_cta=1), Step(Op.ARRIVE, 3, cta=1), Step(Op.READ, cta=1, agent_cta=1)),
        Form.TWO_CTAS,
    ),
    Case(
        "remote arrive after inval",
        "invalid-object",
        (
            Step(Op.INIT, 2, cta=1, agent_cta=1),
            Step(Op.INVAL, cta=1, agent_cta=1),
            Step(Op.ARRIVE, 1, cta=1),
            Step(Op.READ, cta=1, agent_cta=1),
        ),
        Form.TWO_CTAS,
    ),
)


def seen_in_words(case: Case, results: NDArray[np.uint64]) -> str:
    """What each step that tells something told, up to the first that was never carried out."""
    parts = []
    for step, result in zip(case.steps, results, strict=True):
        name = step.operation.name.lower()
        if result == UNWRITTEN:
            parts.append(f"{name} never came back")
            break
        if step.operation in WAITS:
            parts.append(f"{name}({step.operand}) {'true' if result else 'false'}")
        elif step.operation in WORDS and not step.is_remote:
            parity, pending, tx = (int(field[0]) for field in decode(np.array([result], dtype=np.uint64)))
            parts.append(f"{name} {parity}/{pending}/{tx}")
    return ", ".join(parts)
