"""The conformance run without its GPU: sequences stay defined, and a comparison finds what differs and nothing else."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from visualizer.semantics.mbarrier import MAX_COUNT, Mbarrier, Token, UndefinedBehaviour
from visualizer.semantics.word import decode, encode
from visualizer.sources.conformance.generate import generate
from visualizer.sources.conformance.outside import CASES, Case, seen_in_words
from visualizer.sources.conformance.replay import UnderWay, carry_out, compare, foretell, mismatch, returns_word
from visualizer.sources.conformance.steps import (
    CP_ASYNC_ARRIVES,
    TOKENS,
    UNWRITTEN,
    Form,
    Operation,
    Sequences,
    Step,
)

FORMS = st.sampled_from(Form)
SEEDS = st.integers(0, 2**32 - 1)
LOCAL_ONLY = set(Operation) - {
    Operation.ARRIVE,
    Operation.ARRIVE_DROP,
    Operation.ARRIVE_EXPECT_TX,
    Operation.EXPECT_TX,
    Operation.COMPLETE_TX,
}


@settings(max_examples=200, deadline=None)
@given(
    st.builds(
        Step,
        st.sampled_from(Operation),
        st.integers(0, 2**32 - 1),
        offset=st.integers(0, 127),
        cta=st.integers(0, 1),
        agent_cta=st.integers(0, 1),
        warp=st.integers(0, 127),
        lanes=st.integers(0, 255),
    )
)
def test_a_step_is_read_as_it_was_written(step: Step) -> None:
    assert Sequences.of(Form.ONE_THREAD, [[step]]).step(0) == step


@settings(max_examples=30, deadline=None)
@given(FORMS, SEEDS)
def test_sequences_stay_inside_what_is_defined(form: Form, seed: int) -> None:
    made = generate(form, 3, 120, seed)
    foretell(made)  # raises where a step is undefined
    lives: dict[tuple[int, int], int] = {}
    for sequence, (begin, end) in enumerate(zip(made.begins, made.begins[1:], strict=False)):
        phases = phases_before_each_step(made, int(begin), int(end))
        for index in range(int(begin), int(end)):
            step = made.step(index)
            place = (step.cta, step.offset)
            assert step.cta < form.ctas
            assert step.agent_cta < form.ctas
            assert step.warp < form.warps
            assert step.offset % 8 == 0
            assert not (step.is_remote and step.operation in LOCAL_ONLY)
            if step.operation is Operation.COPY:
                assert 0 < step.operand <= 16384
                assert step.operand % 16 == 0
                assert step.lanes < 1 << form.ctas
                continue
            assert 1 <= step.lanes <= (1 if form is Form.ONE_THREAD else 32)
            if step.operation is Operation.INIT:
                lives[place] = index
            if step.operation in (Operation.TEST_WAIT_PARITY, Operation.TRY_WAIT_PARITY):
                assert step.operand in (0, 1)
            if step.operation in (Operation.TEST_WAIT, Operation.TRY_WAIT):
                # A token of this barrier, of this life, of this phase or the one before.
                giver = made.step(int(begin) + step.operand)
                assert giver.operation in TOKENS
                assert not giver.is_remote
                assert (giver.cta, giver.offset) == place
                assert int(begin) + step.operand > lives[place]
                assert phases[index - int(begin)] - phases[step.operand] in (0, 1), (sequence, index)


def phases_before_each_step(made: Sequences, begin: int, end: int) -> list[int]:
    """The phase of each step's barrier just before it, from the parities the semantics foretell, read after each."""
    phases = []
    barriers: dict[tuple[int, int], Mbarrier] = {}
    for index in range(begin, end):
        step = made.step(index)
        barrier = barriers.setdefault((step.cta, step.offset), Mbarrier())
        phases.append(barrier.phase)
        if step.operation is Operation.COPY:
            for cta in range(2) if step.lanes else [step.agent_cta]:
                if not step.lanes or step.lanes >> cta & 1:
                    barriers[cta, step.offset].complete_tx(step.operand)
        elif "WAIT" not in step.operation.name:
            carry_out(barrier, step.operation, step.operand, step.lanes, step.is_remote)
    return phases


def test_a_thousand_sequences_reach_the_borders() -> None:
    made = generate(Form.ONE_THREAD, 1000, 110, 0)
    foretold = foretell(made)
    parity, pending, tx = decode(foretold[returns_word(made)])
    assert set(made.counts()) == {operation.name.lower() for operation in Operation}
    assert pending.max() == MAX_COUNT
    assert tx.max() == MAX_COUNT + 1  # shown rounded up
    assert tx.min() <= -MAX_COUNT + 2047
    assert ((pending > 0) & (tx < 0)).any()
    assert ((pending == 0) & (tx < 0)).any()
    assert 0.2 < parity.mean() < 0.8


def test_the_same_seed_makes_the_same_sequences() -> None:
    first, again, other = (generate(Form.TWO_CTAS, 5, 50, seed) for seed in (7, 7, 8))
    assert first.steps.tolist() == again.steps.tolist()
    assert first.steps.tolist() != other.steps.tolist()


def test_sequences_come_back_from_their_file() -> None:
    made = generate(Form.SEVERAL_WARPS, 3, 20, 0)
    with tempfile.TemporaryDirectory() as directory:
        made.save(Path(directory) / "steps.npz")
        loaded = Sequences.load(Path(directory) / "steps.npz")
    assert loaded.form is made.form
    assert loaded.steps.tolist() == made.steps.tolist()
    assert loaded.begins.tolist() == made.begins.tolist()


@pytest.mark.parametrize("form", Form)
def test_the_semantics_say_what_an_h200_answered(form: Form) -> None:
    """tests/data/h200-conformance.npz: upper halves of words, answers of waits; from --seed 0, see docs/hardware.md."""
    with np.load(Path(__file__).parents[2] / "data" / "h200-conformance.npz") as kept:
        steps, begins, results = (kept[f"{form}_{part}"] for part in ("steps", "begins", "results"))
    made = Sequences(form, steps, begins.astype(np.uint64))
    assert len(made) == 60
    seen = results.astype(np.uint64)
    seen = np.where(returns_word(made), seen << np.uint64(32), seen)
    foretold = foretell(made)
    assert [str(mismatch(made, int(n), foretold, seen)) for n in compare(made, foretold, seen).mismatches] == []


def as_a_gpu_would(made: Sequences, foretold: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The foretold results with something in the low halves of words, which are not state."""
    return np.where(returns_word(made), foretold | np.uint64(0x1234), foretold)


@settings(max_examples=50, deadline=None)
@given(form=FORMS, seed=SEEDS, data=st.data())
def test_one_flipped_bit_is_one_mismatch_that_names_its_step(form: Form, seed: int, data: st.DataObject) -> None:
    made = generate(form, 2, 40, seed)
    foretold = foretell(made)
    seen = as_a_gpu_would(made, foretold)
    assert not len(compare(made, foretold, seen).mismatches)
    exact = np.flatnonzero(~np.isin(made.steps["operation"], sorted(CP_ASYNC_ARRIVES)))
    index = data.draw(st.sampled_from(exact.tolist()))
    bit = data.draw(st.integers(32, 63))
    seen[index] ^= np.uint64(1 << bit)
    assert compare(made, foretold, seen).mismatches.tolist() == [index]
    found = mismatch(made, index, foretold, seen)
    assert int(made.begins[found.sequence]) + found.number == index
    assert made.step(index).operation.name.lower() in str(found)


def test_what_was_never_carried_out_is_a_mismatch() -> None:
    made = generate(Form.ONE_THREAD, 1, 30, 0)
    assert len(compare(made, foretell(made), np.full(len(made.steps), UNWRITTEN)).mismatches) == len(made.steps)


def test_a_try_wait_may_be_false_early_but_never_true_early() -> None:
    steps = [Step(Operation.INIT, 1), Step(Operation.TRY_WAIT_PARITY, 1), Step(Operation.TRY_WAIT_PARITY, 0)]
    made = Sequences.of(Form.ONE_THREAD, [steps])
    foretold = foretell(made)
    assert foretold.tolist() == [0, 1, 0]
    early = compare(made, foretold, np.array([0, 0, 0], dtype=np.uint64))
    assert (early.mismatches.tolist(), early.early_false) == ([], 1)
    assert compare(made, foretold, np.array([0, 1, 1], dtype=np.uint64)).mismatches.tolist() == [2]


def after_init(count: int, *steps: Step) -> Sequences:
    return Sequences.of(Form.SEVERAL_WARPS, [[Step(Operation.INIT, count), *steps]])


def settled(parity: int, pending: int) -> Step:
    return Step(Operation.SETTLE, encode(Token(parity, pending, 0)) >> 32)


ARRIVED = (
    (Step(Operation.CP_ASYNC_ARRIVE, 4, lanes=3), settled(0, 5)),  # as before: pending went up, and down again
    (Step(Operation.CP_ASYNC_ARRIVE_NOINC, 4, lanes=3), settled(0, 2)),
    (Step(Operation.CP_ASYNC_ARRIVE_NOINC, 4, lanes=2), settled(1, 5)),  # the last two complete the phase
)


def test_cp_async_arrivals_count_with_noinc_alone() -> None:
    """PTX: without it pending is incremented by as much first; what is settled is foretold, step for step."""
    foretold = foretell(after_init(5, *(step for pair in ARRIVED for step in pair)))
    parity, pending, _ = decode(foretold[1:])
    assert list(zip(parity.tolist(), pending.tolist(), strict=True)) == [(0, 8), (0, 5), (0, 5), (0, 2), (0, 2), (1, 5)]


@pytest.mark.parametrize(
    ("index", "word", "told"),
    [
        (1, Token(0, 8, 0), UnderWay(pending_raised=1)),
        (1, Token(0, 6, 0), UnderWay(pending_raised=1)),
        (1, Token(0, 5, 3), UnderWay(tx_raised=1)),
        (1, Token(0, 5, 0), UnderWay(arrived=1)),
        (1, Token(0, 9, 0), None),
        (1, Token(0, 4, 0), None),
        (1, Token(1, 5, 0), None),
        (3, Token(0, 5, 0), UnderWay(not_yet=1)),
        (3, Token(0, 4, 0), UnderWay(arrived=1)),
        (3, Token(0, 2, 0), UnderWay(arrived=1)),
        (3, Token(0, 1, 0), None),
        (3, Token(0, 6, 0), None),
        (5, Token(0, 2, 0), UnderWay(not_yet=1)),
        (5, Token(1, 5, 0), UnderWay(arrived=1)),
        (5, Token(1, 4, 0), None),
    ],
)
def test_a_word_while_cp_async_is_under_way_may_be_any_of_these(index: int, word: Token, told: UnderWay | None) -> None:
    steps = [step for pair in ARRIVED for step in pair]
    made = after_init(5, *steps)
    foretold = foretell(made)
    seen = foretold.copy()
    seen[index] = encode(word)
    found = compare(made, foretold, seen)
    assert found.mismatches.tolist() == ([] if told else [index])
    others = [number for number in (1, 3, 5) if number != index]
    counted = {"pending_raised": 1 in others, "not_yet": sum(number > 1 for number in others)}
    expected = UnderWay(
        **{name: getattr(told or UnderWay(), name) + counted.get(name, 0) for name in UnderWay.__slots__}
    )
    assert found.under_way == expected


WRONG_RULES = {
    "arrive_drop": lambda self, count=1, **_: Mbarrier.arrive(self, count, **_),  # expects as many as before
    "expect_tx": lambda self, bytes_: self._add_tx(bytes_, "expect_tx"),  # never completes
}


@pytest.mark.parametrize("rule", WRONG_RULES)
def test_semantics_with_a_wrong_rule_are_found_out(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = generate(Form.ONE_THREAD, 200, 110, 0)
    truth = as_a_gpu_would(made, foretell(made))
    monkeypatch.setattr(Mbarrier, rule, WRONG_RULES[rule])
    # Where the wrong state makes a later step undefined, that finds it out as well.
    with contextlib.suppress(UndefinedBehaviour):
        assert len(compare(made, foretell(made), truth).mismatches)


LANES = st.integers(1, 32)


@settings(max_examples=100, deadline=None)
@given(LANES, st.integers(0, 1000), st.integers(1, 40))
def test_the_lanes_of_a_warp_act_as_one_and_get_the_word_before(lanes: int, bytes_: int, more: int) -> None:
    barrier = Mbarrier()
    barrier.init(lanes + more)
    before = Token(0, lanes + more, 0)
    assert carry_out(barrier, Operation.ARRIVE_EXPECT_TX, bytes_, lanes, remote=False) == before
    assert (barrier.pending, barrier.tx) == (more, lanes * bytes_)
    carry_out(barrier, Operation.COMPLETE_TX, bytes_, lanes, remote=True)
    assert barrier.tx == 0
    if more > 1:
        token = carry_out(barrier, Operation.ARRIVE_NO_COMPLETE, 1, min(lanes, more - 1), remote=False)
        assert token == Token(0, more - min(lanes, more - 1) + 1, 0), "noComplete forms go lane by lane"


def test_lanes_that_run_past_the_phase_are_an_over_arrival() -> None:
    barrier = Mbarrier()
    barrier.init(2)
    with pytest.raises(UndefinedBehaviour) as caught:
        carry_out(barrier, Operation.ARRIVE, 1, 4, remote=False)
    assert caught.value.rule == "over-arrival"


BEYOND_MBARRIER = {"parity", "token-age", "alignment", "copy-past-phase"}
"""Rules that have no place in Mbarrier: of an operand, a token's age, an address, and of a copy's pieces."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_outside_breaks_the_rule_it_names(case: Case) -> None:
    if case.rule in BEYOND_MBARRIER:
        foretell(case.sequences)
        return
    with pytest.raises(UndefinedBehaviour) as caught:
        foretell(case.sequences)
    assert caught.value.rule == case.rule


def test_the_docs_list_what_became_of_each_case() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "hardware.md").read_text(encoding="utf-8")
    assert [case.name for case in CASES if f"| {case.rule} | {case.name} |" not in docs] == []


def test_outcomes_are_told_up_to_the_step_that_never_came_back() -> None:
    case = next(case for case in CASES if case.name == "arrive more than is pending")
    words = np.array([0, UNWRITTEN, UNWRITTEN, UNWRITTEN], dtype=np.uint64)
    assert seen_in_words(case, words) == "arrive never came back"
    words = np.array([0, 0x7FFF_F000_0000_0000, 0x7FFF_F800_0000_0000, 1], dtype=np.uint64)
    assert seen_in_words(case, words) == "arrive 0/2/0, read 0/1/0, test_wait_parity(0) true"
