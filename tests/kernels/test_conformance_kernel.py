"""The conformance interpreter compiles without a GPU and reaches every form of every operation."""

from __future__ import annotations

import re

import pytest
from nvrtc import compile_kernel, entry

from visualizer.resources import resource_dir
from visualizer.sources.conformance.generate import MOST_CHUNKS
from visualizer.sources.conformance.steps import STEP_DTYPE, Form, Operation

LOCAL = (
    "mbarrier.init.shared::cta.b64",
    "mbarrier.inval.shared::cta.b64",
    "mbarrier.arrive.shared::cta.b64",
    "mbarrier.arrive.noComplete.shared::cta.b64",
    "mbarrier.arrive_drop.shared::cta.b64",
    "mbarrier.arrive_drop.noComplete.shared::cta.b64",
    "mbarrier.arrive.expect_tx.shared::cta.b64",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64",
    "mbarrier.test_wait.shared::cta.b64",
    "mbarrier.test_wait.parity.shared::cta.b64",
    "mbarrier.try_wait.shared::cta.b64",
    "mbarrier.try_wait.parity.shared::cta.b64",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [",
    "cp.async.cg.shared.global",
    "cp.async.mbarrier.arrive.shared::cta.b64",
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64",
)
REMOTE = (
    "mapa.shared::cluster.u32",
    "mbarrier.arrive.release.cluster.shared::cluster.b64",
    "mbarrier.arrive_drop.release.cluster.shared::cluster.b64",
    "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64",
    "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64",
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
    "barrier.cluster.arrive.release.aligned",
)


@pytest.mark.parametrize("form", Form)
def test_each_form_contains_every_operation(form: Form) -> None:
    body = entry(compile_kernel("conformance.cu"), form)
    for instruction in LOCAL:
        assert instruction in body
    if form is Form.TWO_CTAS:
        for instruction in REMOTE:
            assert instruction in body


def test_a_lane_copies_no_more_than_its_own_bytes() -> None:
    text = (resource_dir("kernels") / "conformance.cu").read_text(encoding="utf-8")
    assert f"MOST_CHUNKS = {MOST_CHUNKS};" in text
    assert 32 * MOST_CHUNKS * 16 <= 16384


def test_only_two_ctas_are_a_cluster_and_take_turns_as_one() -> None:
    ptx = compile_kernel("conformance.cu")
    clusters = re.findall(r"\.entry (\w+)\([^)]*\)\s*(?:\.explicitcluster\s*\.reqnctapercluster 2, 1, 1)", ptx)
    assert clusters == [Form.TWO_CTAS]
    assert "barrier.cluster" not in entry(ptx, Form.ONE_THREAD)
    assert "bar.sync" in entry(ptx, Form.SEVERAL_WARPS)
    assert "bar.sync" not in entry(ptx, Form.ONE_THREAD)


def test_kernel_and_host_write_steps_alike() -> None:
    text = (resource_dir("kernels") / "conformance.cu").read_text(encoding="utf-8")
    enumeration = re.search(r"enum class Operation : uint8_t \{(.*?)\};", text, re.DOTALL)
    assert enumeration is not None
    assert re.findall(r"\w+", enumeration[1]) == [operation.name.lower() for operation in Operation]
    struct = re.search(r"struct alignas\(8\) Step \{(.*?)\};", text, re.DOTALL)
    assert struct is not None
    assert re.findall(r"^ +\w+ (\w+);", struct[1], re.MULTILINE) == list(STEP_DTYPE.names or ())
    assert STEP_DTYPE.itemsize == 8
