"""Every mistake that the four kernels can be compiled with, run on a GPU: found by rule, barrier and line."""

from __future__ import annotations

import shutil

import pytest
from assembler import needs_ptxas
from hung_kernels import check

from visualizer.reconstruction.violations import violations
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.registry import record
from visualizer.sources.source import Request

pytestmark = [needs_ptxas, pytest.mark.skipif(shutil.which("cc") is None, reason="attach builds its library with cc")]
FAULTS = [(kernel.name, fault) for kernel in KERNELS for fault in kernel.faults]
LIMITS = {"hang_s": 2.0, "time_limit_s": 60.0}


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_mistake_on_a_gpu_is_found(name: str, fault: str) -> None:
    trace = record("gpu", Request(name, fault=fault, options=LIMITS))
    assert trace.meta.ending.kind == "timeout", trace.meta.ending
    assert not any(violations(trace).values())
    check(trace, name, fault)


def test_after_all_of_them_the_next_run_is_sound() -> None:
    trace = record("gpu", Request("gemm", options=LIMITS))
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.check["errors"] == 0
