"""The word probe compiles to what it is said to: nothing when off, zero-count arrivals only where asked for."""

from __future__ import annotations

import re

import pytest
from nvrtc import compile_ptx, entry

from visualizer.sources.lesson.raw_log import LOG_LEVELS, LogLevel
from visualizer.sources.lesson.word_probe import PROBES

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


LEVELS: tuple[LogLevel, ...] = ("phases", "standard", "full", "words")


def body(probe: str, level: LogLevel, stages: int = 3) -> str:
    return entry(compile_ptx(stages, level=level, exact=False, probe=PROBES.index(probe)), "async_pipeline")


@pytest.mark.parametrize("level", LOG_LEVELS)
def test_off_leaves_nothing_of_it(level: LogLevel) -> None:
    ptx = compile_ptx(3, level=level, exact=False)
    assert "probe" not in ptx.lower()
    assert not COUNTED_ARRIVE.search(ptx)
    assert ".maxntid 512" in ptx


@pytest.mark.parametrize("stages", [1, 3, 8])
@pytest.mark.parametrize("level", LEVELS)
def test_words_are_sampled_by_an_arrival_with_a_run_time_count(level: LogLevel, stages: int) -> None:
    words = body("words", level, stages)
    assert len(COUNTED_ARRIVE.findall(words)) == IN_FLIGHT
    # The count comes from the constant that the host sets: a literal 0 would not assemble.
    assert "ld.const.u32" in words
    assert words.count(TEST_WAIT) == body("off", level, stages).count(TEST_WAIT)


@pytest.mark.parametrize("stages", [1, 3, 8])
@pytest.mark.parametrize("level", LEVELS)
def test_flips_are_sampled_by_test_wait_alone(level: LogLevel, stages: int) -> None:
    flips, off = body("flips", level, stages), body("off", level, stages)
    assert flips.count(TEST_WAIT) == off.count(TEST_WAIT) + IN_FLIGHT
    assert not COUNTED_ARRIVE.search(flips)
    assert len(PLAIN_ARRIVE.findall(flips)) == len(PLAIN_ARRIVE.findall(off))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("probe", ["words", "flips"])
def test_the_agents_do_the_same_with_it(probe: str, level: LogLevel) -> None:
    probed, off = body(probe, level), body("off", level)
    for instruction in OF_THE_AGENTS:
        assert probed.count(instruction) == off.count(instruction) > 0
    assert len(PLAIN_ARRIVE.findall(probed)) == len(PLAIN_ARRIVE.findall(off)) > 0
    # One more store is a run of samples, written when it ends (twice in the code) and the counts at the end.
    assert probed.count("st.global") > off.count("st.global")
    assert probed.count("bar.sync") == off.count("bar.sync") == 1, "the spare warp takes part in the CTA's one sync"


@pytest.mark.parametrize("probe", ["words", "flips"])
def test_a_spare_warp_fits_beside_the_most_agents(probe: str) -> None:
    assert ".maxntid 544" in compile_ptx(3, level="full", exact=False, probe=PROBES.index(probe))
