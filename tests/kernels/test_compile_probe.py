"""The word probe compiles to what it is said to: nothing when off, zero-count arrivals only where asked for."""

from __future__ import annotations

import re

import pytest
from nvrtc import compile_ptx, entry

from visualizer.trace.probe import PROBES

COUNTED_ARRIVE = re.compile(r"mbarrier\.arrive\.shared::cta\.b64 %rd\d+, \[%r\d+\], %r\d+;")
PLAIN_ARRIVE = re.compile(r"mbarrier\.arrive\.shared::cta\.b64 %rd\d+, \[%r\d+\];")
IN_FLIGHT = 4 + 1  # with few barriers, and with many
TEST_WAIT = "mbarrier.test_wait.parity.shared::cta.b64"
OF_THE_AGENTS = (
    "mbarrier.try_wait",
    "mbarrier.init",
    "mbarrier.arrive.expect_tx",
    "cp.async.bulk.tensor",
    "%globaltimer",
)


def body(probe: str, stages: int = 3) -> str:
    return entry(compile_ptx(stages, logging=True, exact=False, probe=PROBES.index(probe)), "async_pipeline")


def test_off_leaves_nothing_of_it() -> None:
    ptx = compile_ptx(3, logging=True, exact=False)
    assert "probe" not in ptx
    assert not COUNTED_ARRIVE.search(ptx)


@pytest.mark.parametrize("stages", [1, 3, 8])
def test_words_are_sampled_by_an_arrival_with_a_run_time_count(stages: int) -> None:
    words = body("words", stages)
    assert len(COUNTED_ARRIVE.findall(words)) == IN_FLIGHT
    # The count comes from the constant that the host sets: a literal 0 would not assemble.
    assert "ld.const.u32" in words
    assert words.count(TEST_WAIT) == body("off", stages).count(TEST_WAIT)


def test_flips_are_sampled_by_test_wait_alone() -> None:
    flips, off = body("flips"), body("off")
    assert flips.count(TEST_WAIT) == off.count(TEST_WAIT) + IN_FLIGHT
    assert not COUNTED_ARRIVE.search(flips)
    assert len(PLAIN_ARRIVE.findall(flips)) == len(PLAIN_ARRIVE.findall(off))


@pytest.mark.parametrize("probe", ["words", "flips"])
def test_the_agents_do_the_same_with_it(probe: str) -> None:
    probed, off = body(probe), body("off")
    for instruction in OF_THE_AGENTS:
        assert probed.count(instruction) == off.count(instruction) > 0
    assert len(PLAIN_ARRIVE.findall(probed)) == len(PLAIN_ARRIVE.findall(off)) > 0
    # One more store is a run of samples, written when it ends (twice in the code) and the counts at the end.
    assert probed.count("st.global") > off.count("st.global")
    assert probed.count("bar.sync") == off.count("bar.sync") == 1, "the spare warp takes part in the CTA's one sync"
