"""A launch that hangs before it has used a barrier: what its waits show, and what is not claimed of others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.programs.faults import FAULTS
from visualizer.programs.registry import find_program
from visualizer.recording.tables import Frame
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

RINGS = ("lesson", "multicast", "gemm", "pingpong", "attention")
START = "make_producer_start_state"
CALLS = {"producer": "PipelineTmaAsync<3>::producer_acquire", "consumer": "PipelineTmaAsync<3>::consumer_wait"}


def stranger(program: str, fault: str) -> tuple[Trace, Trace]:
    """A run as it was told, and as a stranger's: by addresses, with no ring and no program."""
    trace = simulate(replace(find_program(program, fault=fault), name="mine"))
    return trace, forget(trace)


def blamed_for_the_start(trace: Trace) -> list[Finding]:
    return [finding for finding in diagnose(History(trace)).every if START in finding.cause]


def causes(trace: Trace) -> set[str]:
    """How they begin."""
    return {finding.cause.partition(":")[0] for finding in diagnose(History(trace)).every}


@pytest.mark.parametrize("program", [name for name in RINGS if name != "pingpong"])
def test_who_waits_alone_for_many_looks_like_the_producer(program: str) -> None:
    told, trace = stranger(program, "F06")
    found, right = blamed_for_the_start(trace), blamed_for_the_start(told)
    assert right
    assert [(one.agent, one.step, one.site) for one in found] == [(one.agent, one.step, one.site) for one in right]
    assert not any(one.certain for one in found), "no name of the source says so"


def test_of_two_that_wait_alone_none_is_chosen() -> None:
    """The second warpgroup waits for its turn: four arrivals as well."""
    assert causes(stranger("pingpong", "F06")[1]) == {"Nobody has begun"}


@pytest.mark.parametrize("program", RINGS)
def test_the_source_s_words_make_it_sure(program: str) -> None:
    told, trace = stranger(program, "F06")
    sites = list(trace.sites)
    for finding in diagnose(History(told)).every:
        agent = next(agent for agent in told.agents if agent.name == finding.agent)
        row = int(told.events["site"][finding.step or 0])
        call = CALLS.get(agent.role)
        if call is not None:
            sites[row] = replace(sites[row], stack=(Frame(sites[row].file, sites[row].line, call),))
    found = blamed_for_the_start(replace(trace, sites=sites))
    assert [one.agent for one in found] == [one.agent for one in blamed_for_the_start(told)]
    assert all(one.certain for one in found)


def mistakes() -> list[tuple[str, str]]:
    own = [(kernel.name, fault) for kernel in KERNELS for fault in kernel.faults if fault != "F06"]
    return own + [(entry.base, fault) for fault, entry in FAULTS.items() if fault != "F06"]


@pytest.mark.parametrize(("program", "fault"), mistakes())
def test_it_is_said_of_no_other_mistake(program: str, fault: str) -> None:
    assert not blamed_for_the_start(stranger(program, fault)[1])


def test_of_two_alike_it_is_only_said_that_none_has_begun() -> None:
    _, trace = stranger("baseline", "F06")
    assert causes(trace) == {"Nobody has begun"}
    assert not any(finding.certain for finding in diagnose(History(trace)).every)
