"""What inline stacks say: rings get the source's names, and are surer or less sure by CUTLASS's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from visualizer.programs.registry import find_program
from visualizer.recording.tables import Frame, Site
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.structure.model import Structure
from visualizer.structure.stacks import Call, calls_of, distinct_names

LESSON = forget(simulate(find_program("lesson")))  # three stages
BARRIER = "cutlass::arch::ClusterBarrier::wait(unsigned int) const"
MMA = (
    "void cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<7,"
    " cute::tuple<cute::C<4>, cute::C<2>>>, float>::{}<cute::tuple<int>>(Params const&, int)"
)
KERNEL = "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int>>(Params)"
LOADS = {"producer_acquire": "load", "producer_tail": "load_tail", "consumer_wait": "mma", "consumer_release": "mma"}


def pipeline(method: str, stages: int = 3, name: str = "PipelineTmaAsync") -> str:
    return f"cutlass::{name}<(int){stages}>::{method}(cutlass::PipelineState<(int){stages}>, cutlass::ProducerToken)"


def site(*functions: str) -> Site:
    """The site of an instruction inlined from the first into the last of these."""
    stack = tuple(Frame(f"file{row}.hpp", 10 + row, function) for row, function in enumerate(functions))
    return Site(stack[0].file, stack[0].line, "try_wait", stack)


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        (
            (BARRIER, pipeline("producer_acquire", 7), MMA.format("load"), KERNEL),
            Call("producer_acquire", 7, "CollectiveMma", "load"),
        ),
        (
            ("ClusterBarrier::wait", "PipelineTmaAsync<7>::producer_acquire", "CollectiveMma::load", "GemmUniversal"),
            Call("producer_acquire", 7, "CollectiveMma", "load"),
        ),
        # one overload calls another; a lambda in the caller is part of it
        (
            (
                BARRIER,
                pipeline("consumer_wait"),
                pipeline("consumer_wait"),
                "auto flash::(anonymous namespace)::CollectiveMainloopFwd<128, (bool)1>::mma<true>(int)::"
                "{lambda(auto)#1}::operator()<int>(int) const",
            ),
            Call("consumer_wait", 3, "CollectiveMainloopFwd", "mma"),
        ),
        ((BARRIER, "my::Queue::consumer_release(int)", "kernel(int)"), Call("consumer_release", 0, "", "kernel")),
        ((BARRIER, "PipelineAsync<4>::consumer_wait"), Call("consumer_wait", 4, "", "")),
        (
            ("ClusterBarrier::wait", "cutlass::OrderedSequenceBarrier<1, 2>::wait()", "GemmUniversal"),
            Call("OrderedSequenceBarrier", 0, "", ""),
        ),
        ((BARRIER, "kernel(int)"), None),
        (("", ""), None),
        ((), None),
    ],
)
def test_a_stack_in_cutlass_words(functions: tuple[str, ...], expected: Call | None) -> None:
    trace_site = site(*functions) if functions else Site("a.cu", 1, "wait")
    assert calls_of([trace_site]).get(0) == expected


def stacked(stages: int = 3, methods: dict[str, str] | None = None, trace: Trace = LESSON) -> Structure:
    """The lesson as if its instructions had been inlined from CUTLASS; `methods`: other methods than the lesson's own
    for some of its sites."""
    sites = [
        site(BARRIER, pipeline((methods or {}).get(one.op, one.op), stages), MMA.format(LOADS[one.op]), KERNEL)
        if one.op in LOADS
        else one
        for one in trace.sites
    ]
    return structure_of(replace(trace, sites=sites))


def test_a_ring_is_called_after_who_fills_it_and_is_surer_where_the_source_says_the_same() -> None:
    plain, found = structure_of(LESSON), stacked()
    assert [ring.name for ring in found.rings] == ["load"]
    assert plain.rings[0].confidence < found.rings[0].confidence < 1
    assert found.rings[0].why.endswith(
        "; the source says the same (consumer_release, consumer_wait, producer_acquire, producer_tail)"
    )
    assert (found.rings[0].full, found.kinds, found.roles) == (plain.rings[0].full, plain.kinds, plain.roles)


@pytest.mark.parametrize(
    ("stages", "methods", "what"),
    [
        (5, {}, "its pipeline has 5 stages"),
        (3, {"consumer_wait": "producer_acquire"}, "producer_acquire is called on one taken for full"),
        (3, {"producer_acquire": "consumer_wait"}, "consumer_wait is called on one taken for empty"),
        (3, {"consumer_release": "producer_commit"}, "producer_commit is called on one taken for empty"),
    ],
)
def test_where_the_source_says_otherwise_it_is_less_sure_and_says_why(
    stages: int, methods: dict[str, str], what: str
) -> None:
    plain, found = structure_of(LESSON), stacked(stages, methods)
    assert found.rings[0].confidence == plain.rings[0].confidence / 2
    assert found.rings[0].why == f"{plain.rings[0].why}; but the source says otherwise: {what}"
    assert found.rings[0].name == "ring0"
    assert found.rings[0].full == plain.rings[0].full


def test_a_barrier_that_the_source_orders_is_in_no_ring_of_stages() -> None:
    sites = [
        site(BARRIER, "OrderedSequenceBarrier<1, 2>::wait") if s.op == "consumer_wait" else s for s in LESSON.sites
    ]
    (ring,) = structure_of(replace(LESSON, sites=sites)).rings
    assert "OrderedSequenceBarrier is called on one taken for full" in ring.why


def test_stacks_that_name_no_pipeline_change_nothing() -> None:
    sites = [site(BARRIER, "wait_full(int)", "kernel(int)") for _ in LESSON.sites]
    plain, found = structure_of(LESSON), structure_of(replace(LESSON, sites=sites))
    assert [(ring.name, ring.confidence, ring.why) for ring in found.rings] == [
        (ring.name, ring.confidence, ring.why) for ring in plain.rings
    ]


def test_names_are_one_a_ring_in_every_cta() -> None:
    two = forget(simulate(find_program("lesson", {"ctas": 2})))
    assert [(ring.cta, ring.name) for ring in stacked(trace=two).rings] == [(0, "load"), (1, "load")]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({0: ("Mma", "load"), 64: ("Mma", "mma")}, ["load", "mma"]),
        ({0: ("Mma", "load"), 64: ("Epilogue", "load")}, ["Mma.load", "Epilogue.load"]),
        ({64: ("Main", "load"), 0: ("Main", "load")}, ["Main.load0", "Main.load1"]),
        ({0: ("", "load"), 8: ("", "load"), 16: ("", "mma")}, ["load0", "load1", "mma"]),
        ({}, []),
    ],
)
def test_rings_of_one_function_are_told_apart(wanted: dict[int, tuple[str, str]], names: list[str]) -> None:
    found = distinct_names(wanted)
    assert [found[at] for at in sorted(found)] == names
