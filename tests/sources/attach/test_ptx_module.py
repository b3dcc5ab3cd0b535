"""A module is taken apart at its top level, and an entry comes with what it needs and with nothing else."""

from __future__ import annotations

import time

import pytest
from ptx_files import ptx

from visualizer.sources.attach.ptx.module import Module, Variable
from visualizer.sources.attach.ptx.statements import Registers, address, instruction, number, split_operands, tokens
from visualizer.sources.errors import SourceError


def needed(entry: str, text: str | None = None) -> list[str]:
    module = Module(text or ptx("modules"))
    return [item.name for item in module.needed(module.entry(entry)) if item.name]


def test_entries_are_found_whatever_stands_before_them() -> None:
    assert Module(ptx("modules")).entries == ["calls", "plain", "indirect", "quiet"]
    assert Module(ptx("shapes")).entries == ["shapes"]


def test_an_entry_comes_with_what_it_needs_in_order() -> None:
    assert needed("calls") == ["step", "counter", "table", "factors", "smem", "step", "twice", "calls"]
    assert needed("plain") == ["counter", "smem", "plain"]
    assert needed("indirect") == ["step", "smem", "step", "indirect"]
    assert needed("quiet") == ["quiet"]


def test_the_variables_that_launches_share_are_told_with_those_that_hold_addresses() -> None:
    module = Module(ptx("modules"))
    assert module.variables(module.needed(module.entry("calls"))) == [
        Variable("counter", "global", False),
        Variable("table", "global", True),
        Variable("factors", "const", False),
    ]


def test_a_text_is_told_from_what_a_kernel_may_write() -> None:
    text = ptx("modules").replace("mov.u32 %r1, smem;\n\tmbarrier.init.shared.b64 [%r1], 1;", "mov.u64 %rd1, $text;")
    text = text.replace("98, 97, 114, 125, 59, 0", "98, 97, 114, 125, 59, 10, 0")
    module = Module(text)
    assert module.variables(module.needed(module.entry("plain"))) == [
        Variable("counter", "global", False),
        Variable("$text", "global", False, True),
    ]
    for other in (text.replace("10, 0}", "10, 7}"), text.replace(".global .align 1", ".visible .global .align 1")):
        module = Module(other)
        assert not any(variable.is_text for variable in module.variables(module.needed(module.entry("plain"))))


def test_what_is_in_another_module_is_refused() -> None:
    text = ptx("modules").replace(".global .align 4 .u32 counter;", ".extern .global .align 4 .u32 counter;")
    module = Module(text)
    with pytest.raises(SourceError, match=r"counter of another module.*-rdc"):
        module.variables(module.needed(module.entry("plain")))
    printing = text.replace("mov.u32 %r1, smem;\n\tmbarrier.init.shared.b64 [%r1], 1;\n\tst", "call vprintf, ();\n\tst")
    assert "vprintf" in needed("plain", printing)


def test_an_entry_that_is_not_there_is_named() -> None:
    with pytest.raises(SourceError, match="no kernel other, but calls, plain, indirect, quiet"):
        Module(ptx("modules")).entry("other")


@pytest.mark.parametrize("cut", ["{\n\tret;\n}\n", "}"])
def test_a_module_that_ends_early_says_where(cut: str) -> None:
    text = ptx("modules")
    with pytest.raises(SourceError, match="ends within what begins in its line"):
        Module(text[: text.rindex(cut)])


def test_a_module_of_many_megabytes_is_taken_apart_in_a_moment() -> None:
    entry = ptx("modules").partition(".visible .entry indirect")[2].partition(".visible .entry quiet")[0]
    filler = "\tadd.u32 %r1, %r1, 1; // { not a brace\n" * 8000
    many = "".join(
        f".visible .entry kernel{n}{entry}".replace("exit;\n}", f"{filler}\texit;\n}}").replace("indirect_", f"k{n}_")
        for n in range(57)
    )
    text = ptx("modules") + many
    assert len(text) > 17_500_000
    begin = time.perf_counter()
    module = Module(text)
    assert [item.name for item in module.needed(module.entry("kernel40")) if item.kind == "entry"] == ["kernel40"]
    assert time.perf_counter() - begin < 3 * 3  # what is asked for, on a computer three times as busy


def test_a_body_falls_into_statements_labels_and_scopes() -> None:
    text = """{ .reg .b32 %r<3>; // a; comment {
    L: mov.b64 {%r1, %r2}, %rd1; /* } */ .loc 1 2 3
    @!%p bra L; }"""
    assert [(token.kind, token.text) for token in tokens(text, 0, len(text))] == [
        ("open", "{"),
        ("statement", ".reg .b32 %r<3>;"),
        ("label", "L"),
        ("statement", "mov.b64 {%r1, %r2}, %rd1;"),
        ("loc", ".loc 1 2 3"),
        ("statement", "@!%p bra L;"),
        ("close", "}"),
    ]
    with pytest.raises(SourceError, match="mov"):
        list(tokens("mov.u32 %r1, 2", 0, 14))


def test_an_instruction_has_a_guard_an_opcode_and_operands() -> None:
    found = instruction("@!%p1 cp.async.bulk.tensor.2d.x [%r1+8],\n [%rd1, {%r2, 0}], [ %r3 ] ;")
    assert found is not None
    assert (found.guard, found.negated, found.opcode) == ("%p1", True, "cp.async.bulk.tensor.2d.x")
    assert found.operands == ("[%r1+8]", "[%rd1, {%r2, 0}]", "[ %r3 ]")
    assert instruction(".reg .pred P1;") is None
    assert split_operands("") == ()


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        ("[%r1]", ("%r1", 0)),
        ("[ %r1 + 0x10 ]", ("%r1", 16)),
        ("[%rd2+-8]", ("%rd2", -8)),
        ("[smem-8]", ("smem", -8)),
        ("[64]", ("64", 0)),
        ("[%rd1, {%r1}]", None),
    ],
)
def test_addresses_have_a_base_and_an_offset(operand: str, expected: tuple[str, int] | None) -> None:
    assert address(operand) == expected


def test_numbers_are_read_as_ptx_writes_them() -> None:
    assert [number(text) for text in ("12", "-3", "0x1F", "017", "0b101", "7U", "0")] == [12, -3, 31, 15, 5, 7, 0]


def test_registers_are_known_by_scope_and_by_range() -> None:
    registers = Registers()
    registers.declare(".reg .b32 \t%r<10>, phase;")
    registers.declare(".reg .b64 %rd<4>;")
    registers.open()
    registers.declare(".reg .b64 phase;")
    assert [registers.bits(name) for name in ("%r9", "phase", "%rd3", "smem")] == [32, 64, 64, 0]
    registers.close()
    assert registers.bits("phase") == 32
