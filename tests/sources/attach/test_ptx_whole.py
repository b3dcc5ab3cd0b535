"""Lane 0 records for its warp where the whole warp is bound to act, and nowhere else."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
from ptx_files import ptx

from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.ptx.emit import LANE_0, LOWEST, word
from visualizer.sources.attach.ptx.loops import jumps
from visualizer.sources.attach.ptx.sequence import OTHER, PASSED
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.ptx.statements import Token, tokens
from visualizer.sources.attach.ptx.twin import Instrumented, instrument
from visualizer.sources.attach.ptx.whole import whole_warps

WHOLE = "wgmma.fence.sync.aligned;"


def whole(text: str) -> list[str]:
    """What is written of it at places where lane 0 acts."""
    pieces = list(tokens(text, 0, len(text)))
    return [pieces[place].text for place in sorted(whole_warps(pieces, jumps(pieces)))]


def test_what_leads_to_such_an_instruction_and_from_it_is_done_by_lane_0() -> None:
    assert whole(f"a: mov.u32 %r1, 1; {{ {WHOLE} @%p1 add.u32 %r1, %r1, 1; }} @%p1 bra a; mov.u32 %r1, 2;") == [
        *("a", "mov.u32 %r1, 1;", "{", WHOLE, "@%p1 add.u32 %r1, %r1, 1;", "}")
    ]


@pytest.mark.parametrize(
    "between",
    [
        "a: add.u32 %r1, %r1, 1; @%p1 bra a;",  # a loop
        "a: add.u32 %r1, %r1, 1; @%p1 bra b; bra a; b:",
        "@%p1 bra b; add.u32 %r1, %r1, 1; b:",
        "@%p1 bra b; a: @%p2 bra b; bra a; b:",  # a loop, if need be
        "@%p1 bra a; add.u32 %r1, %r1, 1; bra b; a: add.u32 %r2, %r2, 1; b:",
        "a: @%p1 bra b; add.u32 %r1, %r1, 1; b: @%p2 bra a;",
        "unused:",
    ],
)
def test_over_pieces_that_are_come_to_and_left_at_their_ends_only(between: str) -> None:
    before, behind = "mov.u32 %r1, 1;", "mov.u32 %r2, 2;"
    for done in (whole(f"{before} {between} {WHOLE} {behind}"), whole(f"{before} {WHOLE} {between} {behind}")):
        assert {before, behind} <= set(done)
        assert not any(text.startswith("add") for text in done)


@pytest.mark.parametrize(
    "between",
    [
        "@%p1 exit;",
        "@%p1 ret;",
        "call (%r1), f, (%r2);",  # some may leave there
        "brx.idx %r1, table;",
        "@%p1 bra b; @%p2 exit; b:",
        "c:",  # others come in here
        "@%p1 bra c;",  # some leave
        "@%p1 bra b; c: b:",
        "@%p1 bra b; @%p2 bra c; b:",
    ],
)
def test_not_over_places_where_lanes_come_and_go(between: str) -> None:
    before, behind = "mov.u32 %r1, 1;", "mov.u32 %r2, 2;"
    for front, rear in (("c:", ""), ("", "c:")) if "c:" not in between else (("@%p3 bra c;", ""), ("", "@%p3 bra c;")):
        assert before not in whole(f"{front} {before} {between} {WHOLE} {behind} {rear}")
        assert behind not in whole(f"{front} {before} {WHOLE} {between} {behind} {rear}")


def test_what_a_table_names_is_come_to_from_elsewhere() -> None:
    text = f"mov.u32 %r1, 1; a: {WHOLE}"
    assert "mov.u32 %r1, 1;" in whole(text)
    assert "mov.u32 %r1, 1;" not in whole(f"{text} table: .branchtargets a;")


def walked(pieces: list[Token], random: Random) -> Counter[int] | None:
    """How often a lane goes on behind each place on some way to the end; None: it did not end soon."""
    labels = {token.text: place for place, token in enumerate(pieces) if token.kind == "label"}
    counts: Counter[int] = Counter()
    place = 0
    for _ in range(300):
        if place >= len(pieces):
            return counts
        words = pieces[place].text.rstrip(";").split()
        taken = not words[0].startswith("@") or random.random() < 0.5
        if "bra" in words and taken:
            place = labels[words[-1]]
        elif "exit" in words and taken:
            return counts
        else:
            counts[place] += 1
            place += 1
    return None


@pytest.mark.parametrize("seed", range(40))
def test_on_every_way_such_a_place_is_executed_as_often_as_an_aligned_instruction(seed: int) -> None:
    random = Random(seed)
    texts = [
        random.choice([WHOLE, "mov.u32 %r1, 1;", "@%p1 exit;"] + 4 * ["bra"]) for _ in range(random.randint(3, 14))
    ]
    for number in range(texts.count("bra")):
        texts[texts.index("bra")] = f"{random.choice(['', '@%p1 '])}bra l{number};"
        texts.insert(random.randint(0, len(texts)), f"l{number}:")
    pieces = list(tokens(text := " ".join(texts), 0, len(text)))
    ways = [counts for _ in range(60) if (counts := walked(pieces, random)) is not None]
    aligned = [place for place, token in enumerate(pieces) if token.text == WHOLE]
    found = whole_warps(pieces, jumps(pieces))
    assert found.issuperset(aligned)
    for place in found:
        assert any(all(counts[place] == counts[other] for counts in ways) for other in aligned), text


@pytest.mark.parametrize(
    ("opcode", "is_whole"),
    [
        ("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1, 0, 0;", True),
        ("setmaxnreg.inc.sync.aligned.u32 240;", True),
        ("tcgen05.wait::ld.sync.aligned;", True),
        ("@%p1 wgmma.fence.sync.aligned;", False),  # done by none, perhaps
        ("barrier.sync.aligned 1, 128;", False),  # waits for those that have not left
        ("bar.sync 0;", False),
        ("bar.warp.sync 15;", False),
        ("elect.sync _|%p1, -1;", False),
    ],
)
def test_which_instructions_are_done_by_whole_warps(opcode: str, is_whole: bool) -> None:
    assert whole(f"mov.u32 %r1, 1; {opcode}") == (["mov.u32 %r1, 1;", opcode] if is_whole else [])


def recorded(text: str, keep: Keep = Keep.FIRST) -> tuple[Instrumented, list[Site]]:
    """The corpus's `shapes` with another text in place of its last barrier, at level `waits`: and the sites there."""
    made = instrument(ptx("shapes").replace("bar.sync 2, 224;", text), "shapes", "waits", keep)
    assert made.dropped == ()
    return made, [site for site in made.sites if site.number > 5]


def who(made: Instrumented, site: Site, part: int) -> str:
    """Who makes a record: the choice that comes last before its word."""
    before = made.ptx[: made.ptx.index(f"or.b32 %ps_w,%ps_w,{word(site.number, part)};")]
    return max((LANE_0, LOWEST), key=before.rfind)


TRY = "mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r5], 0;"


@pytest.mark.parametrize("keep", Keep)
def test_a_peek_where_warps_are_whole_asks_no_other_lane(keep: Keep) -> None:
    made, (peek,) = recorded(f"{TRY} {WHOLE}", keep)
    assert who(made, peek, PASSED) == who(made, peek, OTHER) == LANE_0
    made, (peek,) = recorded(f"{TRY} bar.sync 2, 224;", keep)
    assert who(made, peek, PASSED) == who(made, peek, OTHER) == LOWEST


def test_a_peek_under_a_guard_is_that_of_some_lanes() -> None:
    made, (peek,) = recorded(f"@%p1 {TRY} {WHOLE}")
    assert who(made, peek, PASSED) == LOWEST


@pytest.mark.parametrize("loop", [f"spin: {TRY} @%p3 bra end; bra spin; end:", f"spin: {TRY} @!%p3 bra spin;"])
def test_behind_a_loop_that_waits_lane_0_records_and_of_a_failure_whoever_failed(loop: str) -> None:
    for text in (f"{loop} {WHOLE}", f"{WHOLE} {loop}"):
        made, (wait,) = recorded(text)
        assert wait.spins
        assert (who(made, wait, OTHER), who(made, wait, PASSED)) == (LOWEST, LANE_0)
    made, (wait,) = recorded(f"{loop} @%p4 bra $outer; {WHOLE}")
    assert (who(made, wait, OTHER), who(made, wait, PASSED)) == (LOWEST, LOWEST)


@pytest.mark.parametrize("keep", Keep)
def test_lane_0_counts_without_a_predicate_unless_its_failure_may_be_known(keep: Keep) -> None:
    """Where the first failure of a loop is recorded alone, that one alone is counted."""

    def steps(text: str) -> list[str]:
        made, (wait,) = recorded(text, keep)
        words = [f"or.b32 %ps_w,%ps_w,{word(wait.number, part)};" for part in (OTHER, PASSED)]
        behind = [made.ptx.partition(one)[2] for one in words]
        return [re.findall(r"\n(.*)add.u32 %ps_row,%ps_row,(.*);", one)[0] for one in behind]

    always, by_predicate = ("", "%ps_lane_0"), ("@%ps_p ", "1")
    assert steps(f"{TRY} {WHOLE}") == [always, always]
    assert steps(TRY) == [by_predicate, by_predicate]
    counting = f"mov.u32 %r7, 0; spin: add.u32 %r7, %r7, 1; {TRY} {WHOLE} @!%p3 bra spin;"
    assert steps(counting) == [by_predicate, always]


def test_whether_lane_0_has_room_is_one_comparison() -> None:
    for text, room in (
        (f"{TRY} {WHOLE}", "u32 %ps_q,%ps_row,%ps_end_0;"),
        (TRY, "and.u32 %ps_q,%ps_row,%ps_end,%ps_p;"),
    ):
        made, _ = recorded(text)
        assert re.findall(r"setp.lt.(.* %ps_q,%ps_row,.*?;)", made.ptx)[-1] == room
    assert "mul.lo.u32 %ps_end_0,%ps_end,%ps_lane_0;" in made.ptx
    last, _ = recorded(f"{TRY} {WHOLE}", Keep.LAST)
    assert "%ps_row,%ps_end_0" not in last.ptx  # there it has always room, or never
