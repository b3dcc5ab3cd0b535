"""Lane 0 records for its warp where the whole warp is bound to act, and nowhere else."""

from __future__ import annotations

import pytest
from ptx_files import ptx

from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.ptx.emit import LANE_0, LOWEST, word
from visualizer.sources.attach.ptx.sequence import OTHER, PASSED
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.ptx.statements import tokens
from visualizer.sources.attach.ptx.twin import Instrumented, instrument
from visualizer.sources.attach.ptx.whole import whole_warps

WHOLE = "wgmma.fence.sync.aligned;"


def whole(text: str) -> list[str]:
    """What is written of it at places where lane 0 acts."""
    pieces = list(tokens(text, 0, len(text)))
    return [pieces[place].text for place in sorted(whole_warps(pieces))]


def test_what_leads_to_such_an_instruction_and_from_it_is_done_by_lane_0() -> None:
    assert whole(f"a: mov.u32 %r1, 1; {{ {WHOLE} @%p1 add.u32 %r1, %r1, 1; }} @%p1 bra a; mov.u32 %r1, 2;") == [
        *("a", "mov.u32 %r1, 1;", "{", WHOLE, "@%p1 add.u32 %r1, %r1, 1;", "}")
    ]


@pytest.mark.parametrize(
    "between",
    [
        "a:",  # others come in here
        "@%p1 bra a;",  # some leave
        "bra.uni a;",
        "@%p1 exit;",
        "@%p1 ret;",
        "call (%r1), f, (%r2);",  # some may leave there
        "$l: brx.idx %r1, table;",
    ],
)
def test_not_over_labels_and_branches(between: str) -> None:
    before, behind = "mov.u32 %r1, 1;", "mov.u32 %r2, 2;"
    assert before not in whole(f"{before} {between} {WHOLE} {behind}")
    assert behind not in whole(f"{before} {WHOLE} {between} {behind}")


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
    before = made.ptx[: made.ptx.index(f"mov.u32 %ps_w,{word(site.number, part)};")]
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
def test_behind_a_loop_that_waits_warps_are_whole_before_it_they_need_not_be(loop: str) -> None:
    made, (wait,) = recorded(f"{loop} {WHOLE}")
    assert wait.spins
    assert (who(made, wait, OTHER), who(made, wait, PASSED)) == (LOWEST, LANE_0)
    made, (wait,) = recorded(f"{WHOLE} {loop}")
    assert (who(made, wait, OTHER), who(made, wait, PASSED)) == (LOWEST, LOWEST)
