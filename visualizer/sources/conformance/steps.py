"""How a sequence of mbarrier operations is written down for kernels/conformance.cu, and who carries it out.

A step is 8 bytes: which operation, by which agent, on which barrier, with how many lanes, and one operand. Its result
is one 64-bit word: a token, the live word, 0 or 1 for a wait, and 0 where an operation tells nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STEP_DTYPE = np.dtype([("operation", "u1"), ("agent", "u1"), ("target", "u1"), ("lanes", "u1"), ("operand", "<u4")])
"""struct Step of kernels/conformance.cu, field by field."""

UNWRITTEN = np.uint64(2**64 - 1)
"""What a result holds before its step was carried out; no word of a barrier looks like that."""

CTA_SHIFT = 7
_REST = (1 << CTA_SHIFT) - 1


class Operation(IntEnum):
    """enum class Operation of kernels/conformance.cu, in its order."""

    INIT = 0  # operand: arrival count
    INVAL = 1
    ARRIVE = 2  # operand: count of each lane
    ARRIVE_NO_COMPLETE = 3
    ARRIVE_DROP = 4
    ARRIVE_DROP_NO_COMPLETE = 5
    ARRIVE_EXPECT_TX = 6  # operand: bytes
    EXPECT_TX = 7
    COMPLETE_TX = 8
    TEST_WAIT = 9  # operand: the step of this sequence that returned the token
    TEST_WAIT_PARITY = 10  # operand: parity
    TRY_WAIT = 11
    TRY_WAIT_PARITY = 12
    READ = 13  # an arrive with a run-time count of 0: the live word
    COPY = 14  # operand: bytes; lanes: mask of destination CTAs, 0 for a copy into the own CTA
    SETTLE = 15  # reads until the word's upper half is the operand, or for some 10 ms
    CP_ASYNC_ARRIVE = 16  # operand: cp.async of 16 bytes that each lane issues before it
    CP_ASYNC_ARRIVE_NOINC = 17


TOKENS = frozenset(
    {
        Operation.ARRIVE,
        Operation.ARRIVE_NO_COMPLETE,
        Operation.ARRIVE_DROP,
        Operation.ARRIVE_DROP_NO_COMPLETE,
        Operation.ARRIVE_EXPECT_TX,
    }
)
"""What returns a token, on a barrier of the own CTA."""

CP_ASYNC_ARRIVES = frozenset({Operation.CP_ASYNC_ARRIVE, Operation.CP_ASYNC_ARRIVE_NOINC})
"""What returns the live word right after it, while the arrival may be still to come."""

WORDS = TOKENS | CP_ASYNC_ARRIVES | {Operation.READ, Operation.SETTLE}
"""What returns a barrier word, of which the upper 32 bits are state."""

PARITY_WAITS = frozenset({Operation.TEST_WAIT_PARITY, Operation.TRY_WAIT_PARITY})
TOKEN_WAITS = frozenset({Operation.TEST_WAIT, Operation.TRY_WAIT})
WAITS = PARITY_WAITS | TOKEN_WAITS
TRY_WAITS = frozenset({Operation.TRY_WAIT, Operation.TRY_WAIT_PARITY})


class Form(StrEnum):
    """Who carries a sequence out; also the kernel's name."""

    ONE_THREAD = "one_thread"
    SEVERAL_WARPS = "several_warps"
    TWO_CTAS = "two_ctas"

    @property
    def ctas(self) -> int:
        return 2 if self is Form.TWO_CTAS else 1

    @property
    def warps(self) -> int:
        """Warps of each CTA."""
        return {Form.ONE_THREAD: 1, Form.SEVERAL_WARPS: 4, Form.TWO_CTAS: 2}[self]

    @property
    def threads(self) -> int:
        """Threads of each CTA."""
        return 1 if self is Form.ONE_THREAD else 32 * self.warps


class Step(NamedTuple):
    """One operation. `agent_cta` and `warp` carry it out, on the barrier at byte `offset` of CTA `cta`."""

    operation: Operation
    operand: int = 0
    offset: int = 0
    cta: int = 0
    agent_cta: int = 0
    warp: int = 0
    lanes: int = 1

    def encode(self) -> tuple[int, int, int, int, int]:
        """The fields of STEP_DTYPE."""
        agent = self.agent_cta << CTA_SHIFT | self.warp
        return int(self.operation), agent, self.cta << CTA_SHIFT | self.offset, self.lanes, self.operand

    @classmethod
    def decode(cls, fields: tuple[int, int, int, int, int]) -> Step:
        operation, agent, target, lanes, operand = fields
        return cls(
            Operation(operation),
            operand,
            offset=target & _REST,
            cta=target >> CTA_SHIFT,
            agent_cta=agent >> CTA_SHIFT,
            warp=agent & _REST,
            lanes=lanes,
        )

    @property
    def is_remote(self) -> bool:
        return self.cta != self.agent_cta

    def __str__(self) -> str:
        name = self.operation.name.lower()
        who = f"CTA {self.agent_cta} warp {self.warp}"
        return f"{who}: {name}({self.operand}) x {self.lanes} on CTA {self.cta} +{self.offset}"


@dataclass(frozen=True, eq=False)
class Sequences:
    """Many sequences back to back: steps of STEP_DTYPE, and where each sequence begins, the end last (uint64)."""

    form: Form
    steps: NDArray[np.void]
    begins: NDArray[np.uint64]

    @classmethod
    def of(cls, form: Form, sequences: Iterable[Sequence[Step]]) -> Sequences:
        rows: list[tuple[int, int, int, int, int]] = []
        begins = [0]
        for sequence in sequences:
            rows.extend(step.encode() for step in sequence)
            begins.append(len(rows))
        return cls(form, np.array(rows, dtype=STEP_DTYPE), np.array(begins, dtype=np.uint64))

    def __len__(self) -> int:
        return len(self.begins) - 1

    def step(self, index: int) -> Step:
        return Step.decode(self.steps[index].item())

    def counts(self) -> dict[str, int]:
        """How often each operation occurs, by name; remote ones and many-lane ones apart."""
        remote = (self.steps["agent"] ^ self.steps["target"]) >> CTA_SHIFT != 0
        is_copy = self.steps["operation"] == Operation.COPY
        many = self.steps["lanes"] > 1 - is_copy  # a copy's lanes are its mask
        found: dict[str, int] = {}
        for is_remote, is_many in itertools.product((False, True), repeat=2):
            chosen = (remote == is_remote) & (many == is_many)
            numbers = np.bincount(self.steps["operation"][chosen], minlength=len(Operation))
            for operation, number in zip(Operation, numbers.tolist(), strict=True):
                many_words = "multicast" if operation is Operation.COPY else "many lanes"
                words = [operation.name.lower(), "remote" * is_remote, many_words * is_many]
                if number:
                    found[", ".join(filter(None, words))] = number
        return found

    def save(self, path: Path) -> None:
        np.savez(path, form=np.array(str(self.form)), steps=self.steps, begins=self.begins)

    @classmethod
    def load(cls, path: Path) -> Sequences:
        with np.load(path) as arrays:
            return cls(Form(str(arrays["form"])), arrays["steps"], arrays["begins"])
