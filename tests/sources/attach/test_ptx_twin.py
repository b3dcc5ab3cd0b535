"""Every form of a barrier operation becomes a site, whatever it looks like, and the twin still assembles."""

from __future__ import annotations

import re
from collections import Counter
from time import process_time

import pytest
from assembler import needs_ptxas
from ptx_files import CORPUS, ptx

from visualizer.recording.tables import Frame
from visualizer.sources.attach.log_format import CONTROL_SYMBOL, MOST_SITES, PARITY_BIT, Keep
from visualizer.sources.attach.options import LEVELS, Level
from visualizer.sources.attach.ptx.emit import word
from visualizer.sources.attach.ptx.forms import FORMS, form_of, is_recorded
from visualizer.sources.attach.ptx.module import Module
from visualizer.sources.attach.ptx.sequence import OTHER, PASSED
from visualizer.sources.attach.ptx.twin import Instrumented, instrument
from visualizer.sources.attach.ptx_image import Ptx
from visualizer.sources.attach.ptxas import assemble
from visualizer.sources.errors import SourceError

ENTRIES = [(path.stem, entry) for path in sorted(CORPUS.glob("*.ptx")) for entry in Module(ptx(path.stem)).entries]

_KEPT, _TAKEN = "st.global.u32 [%ps_y],%ps_m;", "ld.global.u32 %ps_n,[%ps_y];"
"""A lane's count of records, put into memory and fetched from there."""


def made(name: str, entry: str, level: Level = "all", keep: Keep = Keep.FIRST) -> Instrumented:
    return instrument(ptx(name), entry, level, keep)


def test_the_corpus_has_every_form() -> None:
    seen = {site.form.name for name, entry in ENTRIES for site in made(name, entry).sites}
    assert seen == {form.name for form in FORMS if form.level is not None}


@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_every_operation_of_a_family_is_a_site_or_known_to_be_none(name: str, entry: str) -> None:
    result = made(name, entry)
    assert result.dropped == ()
    lines = result.plain.splitlines()
    for site in result.sites:
        there = f"_{site.title};" if site.form.marks else site.opcode
        assert there in lines[site.line - 1], (there, lines[site.line - 1])


@pytest.mark.parametrize(("level", "kinds"), [("waits", 5), ("barriers", 20), ("all", 33)])
def test_a_level_has_the_forms_of_those_below(level: Level, kinds: int) -> None:
    recorded = {form.name for form in FORMS if is_recorded(form, level)}
    assert len(recorded) == kinds
    seen = {site.form.name for name, entry in ENTRIES for site in made(name, entry, level).sites}
    assert seen == recorded


@needs_ptxas
@pytest.mark.parametrize("keep", Keep)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_a_twin_assembles_like_its_original(name: str, entry: str, level: Level, keep: Keep) -> None:
    result = made(name, entry, level, keep)
    before = assemble(re.sub(r"(?m)^\s*\.loc\s.*$", "", result.plain), result.target)
    after = assemble(result.ptx, result.target)
    assert after.registers <= before.registers + 26
    calls_functions = ".func" in result.plain
    assert after.spilled <= (64 if calls_functions else 0)
    assert CONTROL_SYMBOL.encode() in after.cubin


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@!%p1 bra again;", "bra;"),
        ("mbarrier.init.shared.b64 [%r1], 1;", "mbarrier.init.shared.b64;"),
        ("mbarrier.init.shared.b64 [%r1], 1;", "setmaxnreg.inc.sync.aligned.u32;"),
        ("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", "mbarrier.try_wait.parity.shared::cta.b64 %p1;"),
        ("mbarrier.init.shared.b64 [%r1], 1;", f"mbarrier.init.shared.b64 [%r1], {'9' * 5000};"),
        ("mbarrier.init.shared.b64 [%r1], 1;", f".loc 1 {'9' * 5000} 0"),
        ("\tld.param.u32 %r1, [step_param_0];", '\t"'),
        (".param .b32 step_param_0,", ".param .align 0 .b32 step_param_0,"),
    ],
)
def test_what_is_no_ptx_is_one_sentence_at_most(old: str, new: str) -> None:
    text = ptx("modules")
    assert old in text
    refused = []
    for entry in Module(text).entries:
        try:
            instrument(text.replace(old, new), entry, "all")
        except SourceError as problem:
            refused.append(str(problem))
    assert all("its PTX cannot be read" in sentence for sentence in refused)


@pytest.mark.parametrize("much", ["\n" * 100_000, "copies"])
def test_a_long_text_is_read_once(much: str) -> None:
    """A cubin's text has an empty line for each line number that it lost, and unrolled kernels hundreds of copies."""
    copy = next(line for line in ptx("forms_sm90").split("\n") if line.strip().startswith("cp.async.bulk.tensor"))
    text = ptx("forms_sm90").replace(copy, f"{copy}\n" * 1000 if much == "copies" else much + copy, 1)
    began = process_time()
    for entry in Module(text).entries:
        instrument(text, entry, "all")
        assert Ptx(text, "sm_90a", 90).entry(entry)
    assert process_time() - began < 3


def test_an_opcode_of_a_family_that_is_not_known_is_told() -> None:
    text = ptx("shapes").replace("mbarrier.arrive.b64 %rd3, [%rd2];", "mbarrier.depart.b64 %rd3, [%rd2];")
    dropped = instrument(text, "shapes", "barriers").dropped
    assert [(one.opcode, one.reason) for one in dropped] == [("mbarrier.depart.b64", "its form is not known")]


def test_an_operand_that_cannot_be_read_is_told_and_its_instruction_left_alone() -> None:
    text = ptx("shapes").replace("mbarrier.arrive.b64 %rd3, [%rd2];", "mbarrier.arrive.b64 %rd3, [%unknown];")
    result = instrument(text, "shapes", "barriers")
    assert [one.reason for one in result.dropped] == ["its operand [%unknown] is not understood"]
    assert "mbarrier.arrive.b64 %rd3, [%unknown];" in result.ptx


CUTLASS_LOOP = """LAB_WAIT:
mbarrier.try_wait.parity.shared::cta.b64 P1, [%rd1+8], 1, %r1;
@P1 bra DONE;
bra LAB_WAIT;
DONE:
"""


@pytest.mark.parametrize("keep", Keep)
def test_a_loop_that_does_nothing_but_wait_stays_as_it_is_with_a_first_try_before_it(keep: Keep) -> None:
    result = made("shapes", "shapes", "waits", keep)
    waits = [site for site in result.sites if site.form.how == "wait"]
    # Two of CUTLASS's loops, a peek, a loop over a label, a wait that is asked once.
    assert [site.spins for site in waits] == [True, True, False, True, False]
    assert "%ps_f0" not in result.ptx  # nobody has to know whether a failure was recorded already
    second = waits[1]
    places = [
        # The first try has no time limit.
        result.ptx.index("mbarrier.try_wait.parity.shared::cta.b64 P1,[%rd1+8],1;\n@P1 bra ps_passed;"),
        result.ptx.index(f"or.b32 %ps_w,%ps_w,{word(second.number, OTHER)};"),
        result.ptx.index(CUTLASS_LOOP),
        result.ptx.index("ps_passed:", result.ptx.index(CUTLASS_LOOP)),
        result.ptx.index(f"or.b32 %ps_w,%ps_w,{word(second.number, PASSED)};"),
    ]
    assert places == sorted(places)
    assert all(result.ptx.count(f"or.b32 %ps_w,%ps_w,{word(site.number, OTHER)};") == 1 for site in waits)


@pytest.mark.parametrize("keep", Keep)
def test_each_answer_of_a_peek_has_its_own_record_behind_a_branch(keep: Keep) -> None:
    """So that it stays where the warp waits for the answer; its place is known before."""
    result = made("shapes", "shapes", "waits", keep)
    peek = next(site for site in result.sites if site.form.how == "wait" and not site.spins)
    tried = result.ptx.index(f"{peek.opcode} {', '.join(peek.operands)}")
    lines = result.ptx[tried : result.ptx.index("ps_answered:", tried)].splitlines()
    branch = lines.index(f"@{peek.operands[0]} bra ps_passed; ")
    assert any("add.u64 %ps_x," in line for line in lines[:branch])
    answers = [line.partition("or.b32 %ps_w,%ps_w,")[2].partition(";")[0] for line in lines if "%ps_c,%clock" in line]
    assert answers == [str(word(peek.number, part)) for part in (OTHER, PASSED)]


@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_what_is_asked_does_not_take_the_place_of_its_record(name: str, entry: str) -> None:
    for tried in re.findall(r"(?s)bra ps_passed; .*?ps_answered:", made(name, entry).ptx):
        assert "[%ps_x]" in tried
        assert not re.search(r" %ps_x,", tried)


def test_a_wait_s_parity_is_in_its_word_and_any_phase_has_one() -> None:
    result = made("shapes", "shapes", "waits")
    waits = [site for site in result.sites if site.form.how == "wait"]
    told = re.findall(r"shl.b32 %ps_w,%ps_v,(\d+); or.b32 %ps_w,%ps_w,(\d+);", result.ptx)
    assert {int(bits) for bits, _ in told} == {PARITY_BIT}  # all but bit 0 of the phase is shifted out
    assert {int(site) for _, site in told} == {word(site.number, part) for site in waits for part in (OTHER, PASSED)}
    assert word(MOST_SITES, 3, 255) < 1 << PARITY_BIT


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("bra     LAB_WAIT;", "add.u32 %r1, %r1, 1; bra LAB_WAIT;"),  # it counts
        ("@P1 bra DONE;", "@%p1 bra DONE;"),  # left for another reason than that the wait passed
        ("@P1 bra DONE;", "@!P1 bra DONE;"),
        ("@P1 bra DONE;", "@P1 bra $passed;"),  # left to elsewhere
        ("DONE: \n", "DONE: @%p1 bra DONE;"),  # the place behind it is come to in another way
        ("LAB_WAIT: \n", "@%p1 bra LAB_WAIT; LAB_WAIT:"),  # so is its head
    ],
)
def test_other_loops_that_wait_record_their_first_failure_within(written: str, instead: str) -> None:
    text = ptx("shapes")
    assert written in text
    result = instrument(text.replace(written, instead, 1), "shapes", "waits")
    first = result.sites[0]
    assert first.spins
    loop = [
        result.ptx.index("setp.ne.u32 %ps_f0,0,0;"),
        result.ptx.index("not.pred %ps_s,%ps_f0;"),
        result.ptx.index("setp.eq.u32 %ps_f0,0,0;"),
        result.ptx.index(f"or.b32 %ps_w,%ps_w,{word(first.number, OTHER)};"),
        result.ptx.index(f"or.b32 %ps_w,%ps_w,{word(first.number, PASSED)};"),
    ]
    assert loop == sorted(loop)


def test_a_loop_whose_wait_cannot_be_read_is_left_alone_and_told() -> None:
    text = ptx("shapes").replace("P1, [%rd1+8], 1, %r1;", "P1, [%unknown], 1, %r1;")
    result = instrument(text, "shapes", "waits")
    assert [one.reason for one in result.dropped] == ["its operand [%unknown] is not understood"]
    assert CUTLASS_LOOP.replace("%rd1+8", "%unknown") in result.ptx


def test_a_loop_entered_in_its_middle_or_with_another_site_records_every_failure() -> None:
    entered = ptx("shapes").replace("@%p2 bra $passed;", "@%p2 bra $middle;")
    entered = entered.replace("$spin:\tmbarrier", "$spin: mov.u32 %r7, 1; $middle: mbarrier")
    other = ptx("shapes").replace("@!done bra $spin;", "mbarrier.arrive.b64 %rd3, [%rd2];\n\t@!done bra $spin;")
    for text in (entered, other):
        waits = [site.spins for site in instrument(text, "shapes", "all").sites if site.form.how == "wait"]
        assert waits == [True, True, False, False, False]


def test_rounds_that_were_taken_out_of_a_waiting_loop_are_the_same_wait() -> None:
    result = made("rounds", "rounds")
    waits = [site for site in result.sites if site.form.how == "wait"]
    assert [(site.operands[1], site.spins) for site in waits] == [
        ("[%r3+8]", True),
        ("[%r3+16]", False),
        ("[%r3+16]", False),
        ("[%r3+16]", True),
        ("[%r5]", False),
        ("[%r5]", True),
    ]
    # All three record as one site, the first to fail for all; the loop is entered from them, so nothing is reset there.
    assert result.ptx.count(f"or.b32 %ps_w,%ps_w,{word(waits[0].number)};") == 3
    assert result.ptx.count("setp.ne.u32 %ps_f0,0,0;") == 1
    assert result.ptx.index("setp.ne.u32 %ps_f0,0,0;") < result.ptx.index(
        "try_wait.parity.acquire.cta.shared::cta.b64 %p2,"
    )
    assert result.ptx.count("not.pred %ps_s,%ps_f0;") == 3


def test_guards_stay_and_records_follow_them() -> None:
    result = made("shapes", "shapes")
    guards = Counter(site.guard for site in result.sites)
    assert guards["@%p1"] == 4  # one of them was a branch
    assert guards["@!p"] == guards["@p"] == guards["@!%p1"] == 1
    # A predicated exit leaves through a branch, so that what it tells is told by those that leave.
    assert re.search(r"@!%p5 bra (ps_stay_\d+);(?s:.*)exit;\n\1:", result.ptx)


def test_lanes_that_arrive_on_one_barrier_are_counted_without_a_branch() -> None:
    text = made("shapes", "shapes").ptx
    for arrival in ("@p mbarrier.arrive.shared::cluster.b64 _, [remote];", "mbarrier.arrive.b64 %rd3, [%rd2];"):
        at = text.index(arrival)
        behind = text[at : text.index("st.global.v4", at)]
        assert "match.any.sync.b32" in behind
        assert not re.search(r"@\S+ (?:match|vote)", behind)  # ptxas would make branches of them


def test_an_arrival_is_recorded_behind_it_for_others_wait_for_it() -> None:
    text = made("forms_sm90", "forms").ptx
    for arrival in (
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11], 3;",
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1];",
    ):
        at = text.index(arrival)
        assert "st.global.v4" not in text[text.rindex("%clock", 0, at) : at]


def test_tensor_maps_among_the_parameters_are_known_by_their_place() -> None:
    maps = {
        site.line: site.tensor_map for site in made("forms_sm90", "forms").sites if site.form.name.endswith("tensor")
    }
    assert Counter(maps.values()) == {128: 6, None: 1}
    assert {site.tensor_map for site in made("forms_sm100", "blackwell").sites} == {None, 0}
    # Behind what is aligned more than the first parameter places depend on where the parameters begin.
    copies = [site.tensor_map for site in made("rounds", "rounds").sites if site.form.name.endswith("tensor")]
    assert copies == [192, 0, None]


def test_sites_carry_the_whole_inline_stack() -> None:
    init, wait = made("lines", "_Z6kernelPj").sites
    kernel, library = "/home/someone/kernel.cu", "/opt/library/pipeline.hpp"
    assert init.stack == (Frame(kernel, 41, "kernel(unsigned int*)"),)
    assert wait.stack == (
        Frame(library, 77, "Pipe::wait(unsigned int)"),
        Frame(library, 120, "load()"),
        Frame(kernel, 44, "kernel(unsigned int*)"),
    )
    assert made("shapes", "shapes").sites[0].stack == ()


def test_functions_with_sites_keep_the_place_of_the_next_record_in_memory() -> None:
    result = made("modules", "calls")
    assert [site.form.name for site in result.sites][:2] == ["mbarrier.try_wait", "mbarrier.arrive"]
    step, twice, entry = (result.ptx.index(text) for text in ("step_param_1\n)\n{", ") twice(", ".entry calls("))
    assert _KEPT in result.ptx[step:twice]
    assert "%ps_row" not in result.ptx[twice:entry]  # it only calls one that records
    before, after = result.ptx[entry:].split("twice, (param0);")
    assert _KEPT in before
    assert _TAKEN in after
    called = made("modules", "indirect").ptx
    before, after = called.split("call (retval0), %rd1")
    assert _KEPT in before
    assert _TAKEN in after
    assert "step_param_0" not in made("modules", "plain").ptx


def test_the_twin_s_variables_can_be_asked_for_by_name() -> None:
    result = made("modules", "calls")
    for name in ("counter", "table"):
        assert re.search(rf"\.visible \.global [^\n]*{name}\b", result.ptx)
    assert ".visible .const .align 4 .b8 factors" in result.ptx
    assert "table" in result.cautions[0]
    assert made("modules", "plain").cautions == []


def test_the_pools_are_read() -> None:
    assert made("shapes", "shapes").pools == ()
    assert made("forms_sm90", "forms").pools == made("forms_sm90", "forms", "waits").pools == (40, 232)
    assert made("forms_sm90", "forms").version == "8.6"


def test_forms_are_told_apart_where_one_opcode_begins_like_another() -> None:
    def name(opcode: str) -> str | None:
        form = form_of(opcode)
        return form.name if form else None

    assert name("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64") == "mbarrier.arrive.expect_tx"
    assert name("mbarrier.arrive_drop.shared.b64") == "mbarrier.arrive_drop"
    assert name("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group") == "cp.async.bulk store"
    assert name("bar.warp.sync") == "bar.warp"
    assert name("st.global.u32") == "store"
    assert name("add.u32") is None
