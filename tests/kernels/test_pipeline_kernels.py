"""The four kernels for attach compile to what they are about, without a log of their own, and fit their registers."""

from __future__ import annotations

import re

import pytest
from assembler import for_any_ptxas, needs_ptxas
from nvrtc import compile_kernel, entry

from visualizer.resources import resource_dir
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.options import LEVELS, Level
from visualizer.sources.attach.ptx.twin import instrument
from visualizer.sources.attach.ptxas import assemble
from visualizer.sources.pipelines.kernels import KERNELS, find_kernel
from visualizer.sources.pipelines.pipeline_kernel import PipelineKernel

COMMON = ("mbarrier.init.shared::cta.b64", "fence.mbarrier_init.release.cluster", "mbarrier.arrive.expect_tx")
WGMMA = (
    "wgmma.fence",
    "wgmma.commit_group",
    "setmaxnreg.dec.sync.aligned.u32 40",
    "setmaxnreg.inc.sync.aligned.u32 232",
)
STORE = ("fence.proxy.async.shared::cta", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group")
MUST_CONTAIN = {
    "multicast": ("multicast::cluster", "mapa.shared::cluster", "shared::cluster.b64 _", "barrier.cluster.wait"),
    "gemm": (*WGMMA, *STORE, "wgmma.wait_group.sync.aligned 1", "cp.async.bulk.wait_group.read 1"),
    "pingpong": (*WGMMA, *STORE, "wgmma.wait_group.sync.aligned 1", "%nctaid"),
    "attention": (*WGMMA, *STORE, "wgmma.wait_group.sync.aligned 1", "ex2.approx"),
}
BESIDE_RINGS = {"multicast": 0, "gemm": 0, "pingpong": 2, "attention": 3}
"""Barriers of turns, and Q's."""
WGMMAS = {"multicast": 0, "gemm": 4 * 2, "pingpong": 4 * 2, "attention": 4 * 8}
REGISTERS = 65536 // 384 // 8 * 8  # what a CTA of three warpgroups can have each at its start
each = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


STAGES = [
    (kernel.name, name, count)
    for kernel in KERNELS
    for name in kernel.rings
    for count in range(kernel.parameters[name].least, kernel.parameters[name].most + 1)
    if kernel.shared_bytes(kernel.complete({name: count})) <= MAX_DYNAMIC_BYTES
]
"""Of each ring, every count that fits."""


def compiled(kernel: PipelineKernel, fault: int = 0, tail: str = "", **values: int) -> str:
    defines = kernel.defines(kernel.complete({name.replace("_", "-"): value for name, value in values.items()}))
    return compile_kernel(f"{kernel.name}.cu", "-lineinfo", f"-DPHASESCOPE_FAULT={fault}", *defines, tail=tail)


@each
def test_a_kernel_is_made_of_its_pipelines_instructions(kernel: PipelineKernel) -> None:
    body = entry(compiled(kernel), kernel.name)
    for instruction in (*COMMON, *MUST_CONTAIN[kernel.name]):
        assert instruction in body, instruction
    assert body.count("wgmma.mma_async") == WGMMAS[kernel.name]
    assert not re.findall(r"\bcall\b|\.local\b", body), "a call or an array in memory would serialise the wgmmas"
    assert "globaltimer" not in body


@pytest.mark.parametrize("cluster", [1, 2, 4])
def test_the_multicast_kernel_is_made_for_its_cluster(cluster: int) -> None:
    text = compiled(find_kernel("multicast"), cluster=cluster)
    assert f".reqnctapercluster {cluster}" in text
    assert ("mapa" in text) == (cluster > 1), "a CTA alone releases to itself"


@pytest.mark.parametrize(("name", "ring", "stages"), STAGES)
def test_a_ring_of_any_length_that_fits_compiles_to_so_many_stages(name: str, ring: str, stages: int) -> None:
    """And takes the shared memory that it is launched with; as recorded it is the code that always was."""
    kernel = find_kernel(name)
    values = kernel.complete({ring: stages})
    told = f"static_assert(sizeof(SharedStorage) == {kernel.shared_bytes(values)});"
    text = compiled(kernel, tail=told, **{ring.replace("-", "_"): stages})
    assert (text == compiled(kernel)) == (stages == kernel.parameters[ring].default)
    inits = 2 * sum(values[one] for one in kernel.rings) + BESIDE_RINGS[name]
    assert entry(text, name).count("mbarrier.init") == inits


def test_what_fits_is_what_an_sm90_has() -> None:
    most = {(name, ring): stages for name, ring, stages in STAGES}
    assert most == {
        ("multicast", "stages"): 8,
        ("gemm", "stages"): 4,
        ("pingpong", "stages"): 5,
        ("attention", "k-stages"): 3,
        ("attention", "v-stages"): 4,
    }


@pytest.mark.parametrize(
    ("kernel", "fault"),
    [(kernel, fault) for kernel in KERNELS for fault in kernel.faults],
    ids=lambda value: getattr(value, "name", value),
)
def test_each_mistake_changes_the_kernel(kernel: PipelineKernel, fault: str) -> None:
    sound, broken = (entry(compiled(kernel, number), kernel.name) for number in (0, int(fault[1:])))
    assert broken != sound


def test_the_kernels_make_the_mistakes_they_are_said_to() -> None:
    text = (resource_dir("kernels") / "plain_pipeline.cuh").read_text(encoding="utf-8")
    enumeration = text[text.index("enum class Fault {") : text.index("};")]
    numbers = {int(number) for number in re.findall(r"= (\d+),", enumeration)}
    assert numbers - {0} == {int(fault[1:]) for kernel in KERNELS for fault in kernel.faults}


@needs_ptxas
@pytest.mark.parametrize("level", LEVELS)
@each
def test_a_twin_has_the_registers_of_its_original_and_spills_none(kernel: PipelineKernel, level: Level) -> None:
    text = for_any_ptxas(compiled(kernel))
    result = instrument(text, kernel.name, level, Keep.FIRST)
    assert (result.dropped, result.cautions) == ((), [])
    before, after = assemble(text, "sm_90a"), assemble(result.ptx, "sm_90a")
    assert (before.spilled, after.spilled) == (0, 0)
    if kernel.name == "multicast":
        assert after.registers <= before.registers + 8
    else:
        assert result.pools == (40, 232)
        assert before.registers == after.registers == REGISTERS


@needs_ptxas
@each
def test_a_twin_knows_who_calls_the_pipeline(kernel: PipelineKernel) -> None:
    sites = instrument(for_any_ptxas(compiled(kernel)), kernel.name, "barriers", Keep.FIRST).sites
    called = {frame.function for site in sites for frame in site.stack}
    for method in ("producer_acquire", "consumer_wait", "consumer_release"):
        assert any(method in function for function in called), called
