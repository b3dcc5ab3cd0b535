"""Names in a kernel's source: no instruction by themselves, and under attach the recording has them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from ptx_files import ptx
from written_log import Record, WrittenLog, wait

from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.ptx.markers import as_statements
from visualizer.sources.attach.ptx.twin import Instrumented, instrument
from visualizer.structure.find import structure_of

sys.path.append(str(Path(__file__).parents[2] / "kernels"))
from nvrtc import compile_cubin, compile_kernel, disassembler

KERNEL = "named_ring.cu"


@pytest.mark.skipif(disassembler() is None, reason="no nvdisasm here: pip install nvidia-cuda-nvdisasm")
def test_names_are_no_instruction(tmp_path: Path) -> None:
    """The machine code with and without the header, instruction for instruction."""
    code = []
    for defines in ((), ("-DWITHOUT_NAMES",)):
        cubin = tmp_path / "kernel.cubin"
        cubin.write_bytes(compile_cubin(KERNEL, *defines))
        tool = disassembler()
        assert tool is not None
        text = subprocess.run([tool, "-c", cubin], capture_output=True, text=True, check=True).stdout
        code.append(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?;)", text, re.MULTILINE))
    assert len(code[0]) > 50
    assert code[0] == code[1]


def test_the_header_declares_names_in_the_ptx_and_the_corpus_has_them() -> None:
    def markers(text: str) -> list[str]:
        return re.findall(r"\{ \.reg \.b32 phasescope_(barrier|role|begin|end)_(\w+); \}", text)

    fresh = markers(compile_kernel(KERNEL))
    assert [name for kind, name in fresh if kind == "barrier"] == ["K_full", "K_empty"] * 3
    assert fresh[6:] == [
        ("role", "producer"),
        ("role", "consumer"),
        ("begin", "add"),
        ("end", "add"),
    ]
    assert fresh == markers(ptx("named"))
    assert "phasescope" not in compile_kernel(KERNEL, "-DWITHOUT_NAMES")


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("{ .reg .b32 phasescope_role_producer; }", "{ phasescope.role producer; }"),
        (".reg .b32\tphasescope_barrier_K_full ;", "phasescope.barrier K_full;"),
        (".reg .b64 phasescope_role_x;", None),
        (".reg .b32 phasescope_role_;", None),
        (".reg .b32 phasescope_role_1;", None),
        (".reg .b32 phasescope_jump_x;", None),
        (".reg .b32 phasescope_role_x, %r1;", None),
    ],
)
def test_only_markers_become_statements_and_all_stays_at_its_place(line: str, kept: str | None) -> None:
    text = f"\tret;\n{line}\n\texit;"
    found = as_statements(text)
    assert found == text if kept is None else " ".join(found.split("\n")[1].split()) == kept
    assert len(found) == len(text)


def made() -> Instrumented:
    return instrument(ptx("named"), "named_ring", "barriers")


def test_the_twin_records_names_and_keeps_none_of_their_statements() -> None:
    result = made()
    assert result.dropped == ()
    assert "phasescope." not in result.ptx
    assert [site.title for site in result.sites if site.form.marks] == ["producer", "consumer", "add", "add"]
    inits = [site.array for site in result.sites if site.form.name == "mbarrier.init"]
    assert inits == ["K_full", "K_empty"] * (len(inits) // 2) != []


def test_a_recording_has_the_names_of_its_source() -> None:
    trace = recorded()
    assert [(barrier.name, barrier.kind, barrier.stage, barrier.ring) for barrier in trace.barriers] == [
        ("K_full[0]", "full", 0, "K"),
        ("K_empty[0]", "empty", 0, "K"),
    ]
    assert [(agent.name, agent.role) for agent in trace.agents][:2] == [
        ("producer.w0", "producer"),
        ("consumer.w1", "consumer"),
    ]
    assert trace.rings == ("K",)
    assert [ring.name for ring in structure_of(trace).rings] == ["K"]
    kind = trace.events["kind"]
    ranges = trace.events[(kind == EventKind.RANGE_BEGIN) | (kind == EventKind.RANGE_END)]
    assert [trace.op_of(int(row)) for row in ranges["site"]] == ["add", "add"]
    assert (kind > 0).all()


def test_without_roles_names_stay_and_the_rest_is_inferred() -> None:
    trace = recorded(roles=False)
    assert [(barrier.name, barrier.kind) for barrier in trace.barriers] == [
        ("K_full[0]", "other"),
        ("K_empty[0]", "other"),
    ]
    assert [agent.name for agent in trace.agents][:2] == ["warp0", "warp1"]


def recorded(*, roles: bool = True) -> Trace:
    """A log of one tile, as the twin of the kernel would write it."""
    sites = made().sites
    number = {(site.form.name, site.title): site.number for site in sites}

    def mark(cycles: int, form: str, title: str) -> Record:
        return cycles, number[form, title], 0, 0, 0, 0

    def act(cycles: int, form: str, address: int, value: int) -> Record:
        return cycles, number[form, form], 0, 1, address, value

    inits = [site.number for site in sites if site.array]
    waits = [site.number for site in sites if site.form.name == "mbarrier.try_wait"]
    written = WrittenLog(warps=2)
    written.write(
        [
            (100, inits[0], 0, 1, 0x400, 1),
            (110, inits[1], 0, 1, 0x418, 1),
            *([mark(320, "phasescope.role", "producer")] if roles else []),
            wait(500, 0x418, 1, 40, waits[0]),
            act(600, "mbarrier.arrive.expect_tx", 0x400, 1024),
            act(610, "cp.async.bulk", 0x400, 1024),
        ]
    )
    written.write(
        [
            *([mark(320, "phasescope.role", "consumer")] if roles else []),
            wait(2000, 0x400, 0, 1500, waits[1]),
            mark(2010, "phasescope.begin", "add"),
            mark(2400, "phasescope.end", "add"),
            act(2500, "mbarrier.arrive", 0x418, 1),
        ],
        warp=1,
    )
    written.leave()
    return trace_of(
        written.log, sites, "ptx\n" * 400, (), Meta("named_ring", {}, {"kind": "attach"}, Ending("completed"))
    )
