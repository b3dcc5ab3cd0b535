"""Every mistake that the four kernels can be compiled with, in their recorded runs: found by rule, barrier and line."""

from __future__ import annotations

import pytest
from hung_kernels import EXPECTED, barrier_name, check, hung, names_of

from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.resources import shipped_recording
from visualizer.sources.pipelines.kernels import KERNELS

FAULTS = [(kernel.name, fault) for kernel in KERNELS for fault in kernel.faults]


@pytest.mark.parametrize("as_logged", [False, True])
@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_mistake_of_a_kernel_is_found(name: str, fault: str, as_logged: bool) -> None:
    trace = hung(name, fault, as_logged=as_logged)
    assert not any(violations(trace).values())
    check(trace, name, fault)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_who_waits_with_one_lane_has_not_left(kernel) -> None:
    waits, trace = hung(kernel.name, "F01"), hung(kernel.name, "F01", as_logged=True)
    exits = (trace.events["kind"] == EventKind.EXIT).sum()
    assert exits == (waits.events["kind"] == EventKind.EXIT).sum() + trace.ctas
    assert History(trace).left.keys() == History(waits).left.keys()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_without_a_mistake_the_run_is_as_recorded(kernel) -> None:
    trace, shipped = hung(kernel.name, ""), load(shipped_recording(kernel.name))
    assert (trace.events == shipped.events).all()
    assert tuple(EXPECTED[kernel.name]) == kernel.faults


def test_barriers_lie_as_the_kernels_have_them() -> None:
    trace = load(shipped_recording("attention"))
    assert len(names_of("attention")) * trace.ctas == len(trace.barriers)
    structure = History(trace).structure
    for row, kind in enumerate(structure.kinds):
        told = barrier_name(trace, "attention", row)
        if kind in ("full", "empty") and told != "q":
            assert told[2:] == f"{kind}[{structure.stage_of[row]}]"


def test_another_diagnosis_is_not_taken_for_it() -> None:
    with pytest.raises(AssertionError, match="init-too-large"):
        check(hung("gemm", "F06"), "gemm", "F01")
