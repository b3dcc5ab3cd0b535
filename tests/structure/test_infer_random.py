"""Of kernels of many shapes, and of the ends of their recordings, nothing wrong is said; and most of them is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from legal_programs import stranger_log
from measured import last
from random_kernels import Kernel, random_kernel
from verdicts import mistakes, verdict

from visualizer.reconstruction.violations import violations

SEEDS = st.integers(0, 2**32)


def end_of(kernel: Kernel, seed: int, share: int) -> Kernel:
    """The same kernel, of which the last records of each agent are kept: `share` fifths of the longest log."""
    log = stranger_log(kernel.trace, seed)
    keep = int(np.bincount(log["agent"]).max()) * share // 5
    return replace(kernel, trace=last(kernel.trace, log, keep))


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_of_a_random_kernel_nothing_wrong_is_said(seed: int) -> None:
    kernel = random_kernel(seed)
    assert mistakes(kernel) == [], kernel.shape


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, share=st.integers(1, 4))
def test_of_the_end_of_a_random_kernel_nothing_wrong_is_said(seed: int, share: int) -> None:
    kernel = random_kernel(seed)
    assume(not kernel.shape.startswith("tensor_core"))  # whose arrivals are not rebuilt from such a log
    cut = end_of(kernel, seed, share)
    assert not any(violations(cut.trace).values()), kernel.shape
    assert mistakes(cut) == [], kernel.shape


@pytest.mark.parametrize("seed", [1116, 200401, 200565, 200768, 300034])
def test_nearly_whole_logs_with_waits_whose_clocks_were_read_in_another_order(seed: int) -> None:
    cut = end_of(random_kernel(seed), seed, 4)
    assert not any(violations(cut.trace).values())


@pytest.mark.parametrize(
    ("seed", "share"),
    [
        pytest.param(3174, 1, id="V's empties and two of K's, whose third full one nobody used in it"),
        pytest.param(100155, 3, id="K's two stages as halves of V's four"),
        pytest.param(101627, 4, id="K and V are acquired before either is filled, and only V came round"),
        pytest.param(102714, 2, id="two stages of K and one of V for four of K"),
        pytest.param(103241, 2, id="one of V's two stages for a ring of one"),
    ],
)
def test_ends_of_which_a_wrong_ring_was_said(seed: int, share: int) -> None:
    kernel = random_kernel(seed)
    assert kernel.decidable
    assert mistakes(end_of(kernel, seed, share)) == []


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(1497, id="Q is freed after a K that came later"),
        pytest.param(1686, id="Q and K of one stage each, Q freed last"),
        pytest.param(1185, id="K and V are acquired before either is filled"),
        pytest.param(1529, id="what is left beside an array that was none is no array either"),
        pytest.param(3699, id="the same, of three rings"),
    ],
)
def test_arrays_that_lie_and_are_used_like_one_are_not_taken_for_it(seed: int) -> None:
    kernel = random_kernel(seed)
    assert not kernel.decidable
    assert verdict(kernel)[2] == [], kernel.shape


def test_rings_in_step_pass_for_one_where_nothing_tells_them_apart() -> None:
    """K and V of one stage each, K, V, K, V: as of a ring of two."""
    kernel = random_kernel(100260)
    assert not kernel.decidable
    assert len(verdict(kernel)[2]) == 1
    assert mistakes(kernel) == []


def test_most_of_random_kernels_is_found() -> None:
    """Where instructions are told apart, as in every recording of a kernel's PTX."""
    total: Counter[str] = Counter()
    for seed in range(60):
        kernel = random_kernel(seed)
        if kernel.shape.endswith("inlined"):
            found, unknown, _ = verdict(kernel)
            total.update(found=found, unknown=unknown)
    assert total["found"] > 5 * total["unknown"] > 0
