"""The kernels compile without a GPU and contain the instructions the lesson is about; logging off leaves nothing."""

from __future__ import annotations

import re

import pytest
from nvrtc import compile_ptx, consumer_loop, disassembler, entry

from visualizer.programs.faults import KERNEL_FAULTS
from visualizer.programs.kernel_source import SITE_CALLS, find_sites, kernel_text
from visualizer.resources import resource_dir
from visualizer.sources.lesson.raw_log import LOG_LEVELS, LogLevel

MUST_CONTAIN = (
    "mbarrier.init.shared::cta.b64",
    "fence.mbarrier_init.release.cluster",
    "mbarrier.arrive.expect_tx.shared::cta.b64",
    "mbarrier.arrive.shared::cta.b64",
    "mbarrier.try_wait.parity.shared::cta.b64",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
)
RECORD_STORE = "st.global.v2.u64"  # half a record of level words; nothing else stores that much at once
CLOCK = r"%clock\b"
STORE = r"// begin inline asm\s+st\.global\."  # of the log; the compiler's own stores are in no such block
CLOCK_STORES = {
    "phases": STORE + r"u32",
    "standard": STORE + r"(v2\.)?u32",
    "full": STORE + r"v[24]\.u32",
}
LOGGING: tuple[LogLevel, ...] = ("phases", "standard", "full", "words")


@pytest.mark.parametrize("level", LOG_LEVELS)
@pytest.mark.parametrize("stages", range(1, 9))
def test_every_stage_count_compiles_to_the_pipelines_instructions(stages: int, level: LogLevel) -> None:
    body = entry(compile_ptx(stages, level=level, exact=True), "async_pipeline")
    for instruction in MUST_CONTAIN:
        assert instruction in body
    # Only the log asks whether a wait blocks.
    assert ("mbarrier.test_wait.parity.shared::cta.b64" in body) == (level != "off")
    # One init per barrier: loops over a constant stage count unroll or loop, but never vanish.
    assert body.count("mbarrier.init") in (2, 2 * stages)


@pytest.mark.parametrize("exact", [False, True])
def test_logging_words_stores_whole_records(exact: bool) -> None:
    body = entry(compile_ptx(3, level="words", exact=exact), "async_pipeline")
    stores = body.count(RECORD_STORE)
    assert stores >= 2 * len(SITE_CALLS)
    assert stores % 2 == 0
    # Record by record in two 16-byte stores; smaller ones would cost the kernel more.
    assert "st.global.u8" not in body
    assert "st.global.v2.u8" not in body


@pytest.mark.parametrize("exact", [False, True])
def test_logging_off_compiles_to_nothing(exact: bool) -> None:
    body = entry(compile_ptx(3, level="off", exact=exact), "async_pipeline")
    # What is left stores the result of each consumer warp, and nothing else.
    assert len(re.findall(r"st\.global", body)) == 1
    assert not re.findall(r"%(clock64|globaltimer|smid)", body)
    assert not re.findall(CLOCK, body)
    # No bookkeeping of who has left either, and no bound on a wait.
    assert "atom." not in body
    assert "call" not in body


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("level", CLOCK_STORES)
def test_a_level_of_clocks_stores_once_a_wait_and_reads_as_many_clocks_as_it_keeps(
    level: LogLevel, exact: bool
) -> None:
    body = entry(compile_ptx(3, level=level, exact=exact), "async_pipeline")
    waits = body.count("mbarrier.test_wait")
    assert waits == 2 + 3  # the acquire, a consumer's, and the producer's last one of each stage
    assert len(re.findall(CLOCK_STORES[level], body)) == waits
    assert len(re.findall(STORE, body)) == waits
    assert RECORD_STORE not in body
    # Every wait's end; but for phases the copies' end; at full a wait's begin and the first copy too; two loops' ends.
    issues = 1 + 3
    kept = {"phases": waits, "standard": waits + issues, "full": 2 * waits + issues + 1}[level]
    assert len(re.findall(CLOCK, body)) == kept + 2


@pytest.mark.parametrize("level", LOGGING)
def test_waits_are_bounded_only_if_asked_for(level: LogLevel) -> None:
    gives_up = r"@p exit;"
    bounded = entry(compile_ptx(3, level=level, exact=False, bound=True), "async_pipeline")
    plain = entry(compile_ptx(3, level=level, exact=False), "async_pipeline")
    assert len(re.findall(gives_up, bounded)) == bounded.count("mbarrier.test_wait")
    assert "nanosleep" in bounded  # copies in flight must land
    assert not re.findall(gives_up, plain)
    assert "nanosleep" not in plain


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("level", LOG_LEVELS)
def test_no_function_is_called(level: LogLevel, bound: bool) -> None:
    """One call anywhere makes ptxas put a YIELD into every loop: 50 cycles a tile (docs/hardware.md)."""
    assert not re.findall(r"\bcall\b", entry(compile_ptx(3, level=level, exact=False, bound=bound), "async_pipeline"))


needs_disassembler = pytest.mark.skipif(disassembler() is None, reason="nvidia-cuda-nvdisasm is not installed")


def count(loop: tuple[str, ...], pattern: str) -> int:
    return sum(bool(re.search(pattern, line)) for line in loop)


def passing(loop: tuple[str, ...]) -> tuple[str, ...]:
    """What a warp carries out whose wait passes at once: the loop without the turns of a wait that blocks."""
    begin = next((row for row, line in enumerate(loop) if line == "YIELD"), len(loop))
    again = next((row for row in range(begin, len(loop)) if re.search(r"@!P\d BRA", loop[row])), len(loop))
    return loop[:begin] + loop[again + 1 :]


@needs_disassembler
@pytest.mark.parametrize(("level", "clocks"), [("phases", 1), ("standard", 1), ("full", 2)])
def test_a_tile_of_a_consumer_costs_clocks_one_store_and_no_branch(level: LogLevel, clocks: int) -> None:
    off, loop = consumer_loop("off"), passing(consumer_loop(level))
    assert (count(off, "SR_CLOCK"), count(loop, "SR_CLOCK")) == (0, clocks)
    assert count(loop, r"S2U?R \w+, SR_CLOCK") == 0, "those are waited for"
    assert (count(off, r"\bSTG"), count(loop, r"\bSTG")) == (0, 1)
    assert count(loop, r"@!?P\d STG") == 1, "one lane stores, without a branch"
    # Plain waits: the off level's try_wait, or a test in its place that tells whether the wait blocks.
    assert (count(off, "PHASECHK"), count(loop, "PHASECHK")) == (1, 1)
    for diverges in (r"\bBRA\b", "BSSY", "BSYNC", "CALL", "BRA.DIV", "YIELD"):
        assert count(loop, diverges) == count(off, diverges), diverges
    assert len(loop) - len(off) <= 12


@needs_disassembler
@pytest.mark.parametrize("level", ["phases", "standard", "full"])
def test_the_record_is_made_while_the_wait_is_tested(level: LogLevel) -> None:
    """Between the test and the branch on its answer lies what would cost a consumer time elsewhere."""
    loop = consumer_loop(level)
    test = next(row for row, line in enumerate(loop) if "PHASECHK" in line)
    answer = next(row for row in range(test, len(loop)) if "BRA" in loop[row])
    assert answer - test > 3


def test_each_site_is_one_call_in_the_kernel() -> None:
    sites = find_sites(kernel_text())
    assert [site.op for site in sites] == list(SITE_CALLS)
    assert len({site.line for site in sites}) == len(sites)


def test_the_kernels_need_no_host_headers() -> None:
    for path in resource_dir("kernels").iterdir():
        assert not re.findall(r"#include\s*<", path.read_text(encoding="utf-8")), path.name


def test_the_kernel_makes_the_mistakes_it_is_said_to() -> None:
    text = (resource_dir("kernels") / "faults.cuh").read_text(encoding="utf-8")
    enumeration = text[text.index("enum class Fault {") : text.index("};")]
    numbers = {int(number) for number in re.findall(r"= (\d+),", enumeration)}
    assert numbers - {0} == {int(fault[1:]) for fault in KERNEL_FAULTS}


@pytest.mark.parametrize("fault", sorted(KERNEL_FAULTS))
def test_each_mistake_changes_the_kernel(fault: str) -> None:
    sound = entry(compile_ptx(3, level="words", exact=False), "async_pipeline")
    broken = entry(compile_ptx(3, level="words", exact=False, fault=int(fault[1:])), "async_pipeline")
    assert broken != sound
    assert ("mbarrier.expect_tx" in broken) == (fault == "F17")
    assert "mbarrier.expect_tx" not in sound
