"""visualizer.semantics against the GPU: benchmarks/conformance.py in small, and a case that kills its context."""

from __future__ import annotations

import pytest

from visualizer.sources.conformance.generate import generate
from visualizer.sources.conformance.on_gpu import execute
from visualizer.sources.conformance.outside import CASES, seen_in_words
from visualizer.sources.conformance.replay import compare, foretell, mismatch
from visualizer.sources.conformance.steps import Form


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize(("sequences", "operations"), [(200, 110), (5, 2000)])
def test_every_token_word_and_wait_is_as_foretold(form: Form, sequences: int, operations: int) -> None:
    made = generate(form, sequences, operations, seed=1)
    foretold = foretell(made)
    done = execute(made)
    assert done.crash == ""
    compared = compare(made, foretold, done.results)
    found = compared.mismatches
    assert not len(found), mismatch(made, int(found[0]), foretold, done.results)
    under_way = compared.under_way
    assert under_way.not_yet > 0, "cp.async take longer than a look at the word"
    assert under_way.pending_raised + under_way.tx_raised > 0, under_way


def test_an_over_arrival_costs_its_worker_alone() -> None:
    case = next(case for case in CASES if case.name == "arrive more than is pending")
    done = execute(case.sequences)
    assert "cudaErrorLaunchFailure" in done.crash
    assert seen_in_words(case, done.results) == "arrive never came back"
    after = generate(Form.ONE_THREAD, 1, 20, seed=2)
    assert not len(compare(after, foretell(after), execute(after).results).mismatches)
