"""The built-in kernels beyond the lesson: sound, without findings, and as large as they are told to be."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.language import use
from visualizer.programs.errors import ProgramError
from visualizer.programs.registry import PROGRAMS, find_program, rebuild_program
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, explore_exhaustively
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

NAMES = ("attention", "multicast", "gemm", "pingpong", "blackwell")
WILD = Latencies(jitter=0.95)


def count(trace: Trace, *kinds: EventKind) -> list[int]:
    return [int((trace.events["kind"] == kind).sum()) for kind in kinds]


@pytest.mark.parametrize("name", NAMES)
def test_it_completes_without_findings_and_its_recording_knows_it(name: str) -> None:
    program = find_program(name)
    for seed, latencies in ((0, Latencies()), (1, WILD), (2, WILD)):
        history = History(simulate(program, seed=seed, latencies=latencies))
        assert history.trace.meta.ending.kind == "completed"
        for given in (program, None):
            assert not diagnose(history, given).findings
    meta = history.trace.meta
    assert rebuild_program(meta.program, meta.config) == program


CAUSES = {
    "F01": "arrivals per phase, but only",
    "F03": "the init counts threads, and one elected lane arrives",
    "F20": "one release is missing after the read",
    "F31": "the release reaches only the own CTA",
    "F48": "nobody has the first",
}


@pytest.mark.parametrize(
    ("name", "fault"),
    [(name, fault) for name in ("multicast", "gemm", "attention") for fault in PROGRAMS[name].faults]
    + [("pingpong", fault) for fault in ("F03", "F06", "F20", "F48")],
)
def test_its_faults_hang_it_and_are_named(name: str, fault: str) -> None:
    program = find_program(name, fault=fault)
    history = History(simulate(program))
    meta = history.trace.meta
    assert meta.ending.kind == "deadlock"
    assert rebuild_program(meta.program, meta.config) == program
    for given in (program, None):
        first = diagnose(history, given).findings[0]
        assert (first.verdict, first.severity) == ("STARVED", "error")
        assert CAUSES.get(fault, "") in first.cause


def test_what_its_kernel_can_be_compiled_with_it_can_have() -> None:
    for kernel in KERNELS:
        assert set(PROGRAMS[kernel.name].faults) == set(kernel.faults)


@pytest.mark.parametrize("name", ["gemm", "pingpong", "blackwell"])
def test_no_schedule_of_it_goes_wrong(name: str) -> None:
    found = explore_exhaustively(find_program(name))
    assert found.is_complete
    assert found.is_clean


def test_multicast_is_proved_small_and_tried_large() -> None:
    for stages in (1, 2):
        small = {"stages": stages, "tiles": stages, "consumer_warps": 1}
        found = explore_exhaustively(find_program("multicast", small), limit_states=3000)
        assert found.is_complete
        assert found.is_clean
    some = explore_exhaustively(find_program("multicast"), limit_states=40)
    assert some.statement.endswith("but not all were explored: no statement.")
    assert explore(find_program("multicast"), schedules=10).clean == 10
    with pytest.raises(ProgramError, match="--ctas is a parameter of lesson; --program multicast"):
        find_program("multicast", {"ctas": 2})


@pytest.mark.parametrize("name", NAMES)
def test_every_event_has_a_sentence_in_both_languages(name: str) -> None:
    history = History(simulate(find_program(name)))
    _, steps = np.unique(history.trace.events["kind"], return_index=True)
    english = [explain(history, int(step)) for step in steps]
    use("zh")
    try:
        chinese = [explain(history, int(step)) for step in steps]
    finally:
        use("en")
    assert all(english)
    assert all(one != other for one, other in zip(english, chinese, strict=True))


def test_the_tensor_core_does_in_order_what_it_is_handed() -> None:
    trace = simulate(find_program("blackwell"))
    assert count(trace, EventKind.MMA_ISSUE, EventKind.TENSOR_COMMIT) == [16, 20]
    core = next(row for row, agent in enumerate(trace.agents) if agent.role == "tensor_core")
    own = trace.events[trace.events["agent"] == core]
    reads = own[own["kind"] == EventKind.READ_BEGIN]
    issues = trace.events[trace.events["kind"] == EventKind.MMA_ISSUE]
    assert reads["tile"].tolist() == issues["tile"].tolist() == list(range(16))
    assert (reads["time"] > issues["time"]).all()
    assert count(trace, EventKind.EXIT) == [len(trace.agents) - 2]  # neither it nor the copy engine leaves
