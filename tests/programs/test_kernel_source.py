"""Each operation's call is found exactly once in the kernel, or the kernel is refused."""

from __future__ import annotations

import pytest

from visualizer.programs.errors import ProgramError
from visualizer.programs.kernel_source import KERNEL_FILE, SITE_CALLS, find_sites, kernel_text
from visualizer.recording.tables import Site

TEXT = "// header\n" + "\n".join(f"    {call}x);" for call in SITE_CALLS.values()) + "\n"


def test_sites_come_in_the_order_of_the_operations_with_lines_from_1() -> None:
    assert find_sites(TEXT) == tuple(Site(KERNEL_FILE, line, op) for line, op in enumerate(SITE_CALLS, start=2))


@pytest.mark.parametrize("call", SITE_CALLS.values())
def test_a_missing_call_is_named(call: str) -> None:
    with pytest.raises(ProgramError) as raised:
        find_sites(TEXT.replace(call, "other("))
    assert repr(call) in str(raised.value)
    assert str(raised.value).endswith("must occur exactly once, but it occurs nowhere")


def test_a_call_that_occurs_twice_is_named_with_its_lines() -> None:
    with pytest.raises(ProgramError, match=r"'tma_load\(', which marks 'copy', .* occurs on lines 5, 14$"):
        find_sites(TEXT + "tma_load(again);\n")


def test_a_call_twice_on_one_line_is_not_one() -> None:
    with pytest.raises(ProgramError, match=r"occurs on lines 5, 5$"):
        find_sites(TEXT.replace("tma_load(x);", "tma_load(x); tma_load(y);"))


def test_the_kernel_has_every_call_on_a_line_of_its_own() -> None:
    text = kernel_text()
    sites = find_sites(text)
    assert len({site.line for site in sites}) == len(SITE_CALLS)
    lines = text.splitlines()
    for site in sites:
        assert SITE_CALLS[site.op] in lines[site.line - 1]
