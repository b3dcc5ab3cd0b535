"""A branch around an arrival becomes a guard where nothing else depends on the branch."""

from __future__ import annotations

import pytest

from visualizer.sources.attach.ptx.flatten import flattened
from visualizer.sources.attach.ptx.forms import form_of
from visualizer.sources.attach.ptx.statements import instruction, tokens

RELEASE = """
    @%p1 bra $skip;
    mov.u32 %r1, smem;
    add.s32 %r2, %r1, 56;
    { .reg .b32 remote;
    mapa.shared::cluster.u32 remote, %r2, %r9;
    mbarrier.arrive.shared::cluster.b64 _, [remote];
    }
$skip:
    ret;
"""


def flat(text: str) -> list[str]:
    pieces = list(tokens(text, 0, len(text)))
    forms = {}
    for place, token in enumerate(pieces):
        done = instruction(token.text) if token.kind == "statement" else None
        form = form_of(done.opcode) if done else None
        if form is not None and form.level is not None:
            forms[place] = form
    result, moved = flattened(pieces, forms)
    assert [result[place].text.split()[-1] for place in moved] == [pieces[place].text.split()[-1] for place in forms]
    return [token.text for token in result if token.kind == "statement"]


def test_only_the_arrival_is_guarded_if_its_operands_are_nobody_else_s() -> None:
    assert flat(RELEASE) == [
        "mov.u32 %r1, smem;",
        "add.s32 %r2, %r1, 56;",
        ".reg .b32 remote;",
        "mapa.shared::cluster.u32 remote, %r2, %r9;",
        "@!%p1 mbarrier.arrive.shared::cluster.b64 _, [remote];",
        "ret;",
    ]


def test_what_is_read_elsewhere_is_written_under_the_guard() -> None:
    used = RELEASE.replace("ret;", "st.global.u32 [%rd1], %r2; ret;").replace("@%p1", "@!%p1")
    assert flat(used)[:2] == ["mov.u32 %r1, smem;", "@%p1 add.s32 %r2, %r1, 56;"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mov.u32 %r1, smem;", "ld.global.u32 %r1, [%rd1];"),  # may fault where it was not to be done
        ("mov.u32 %r1, smem;", "bar.sync 0;"),
        ("mov.u32 %r1, smem;", "@%p2 mov.u32 %r1, smem;"),  # two guards
        ("mov.u32 %r1, smem;", "setp.eq.u32 %p1, %r3, 0;"),  # the guard changes on the way
        ("mov.u32 %r1, smem;", "other: mov.u32 %r1, smem;"),  # somebody else comes in
        ("mbarrier.arrive.shared::cluster.b64 _, [remote];", "mov.u32 %r5, remote;"),  # no site
        ("$skip:\n", "bar.sync 1; $skip:\n"),
        ("mov.u32 %r1, smem;", "mov.u32 %r1, smem;" * 17),
    ],
)
def test_other_branches_stay(before: str, after: str) -> None:
    assert flat(RELEASE.replace(before, after))[0] == "@%p1 bra $skip;"
