"""Who waits at a sync for ever is told with who has not come, and why: in runs, without the program, in schedules."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ring_programs import is_sound, ring, simulated, witnessed

from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.program import Program

ENDS: dict[str, Callable[[AgentBuilder], None]] = {
    "__syncthreads": lambda agent: agent.syncthreads(),
    "bar.sync 1": lambda agent: agent.named_sync(1, 3),
    "barrier.cluster": lambda agent: agent.cluster_sync(),
}


def once_more(end: str, agent: str) -> Program:
    """All meet at the end, and one agent once more."""

    def meet(one: AgentBuilder) -> None:
        ENDS[end](one)
        if one.agent.name == agent:
            ENDS[end](one)

    return ring(2, end=meet)


@pytest.mark.parametrize("agent", ["P", "C1"])
def test_a_named_barrier_that_one_agent_comes_to_once_more(agent: str) -> None:
    program = once_more("bar.sync 1", agent)
    for report in [*simulated(program), *witnessed(program)]:
        (first,) = report.findings
        assert (first.verdict, first.agent) == ("STUCK SYNC", agent)
        assert f"{agent} waits at bar.sync 1" in first.cause
        assert "has exited" in first.cause
        assert first.site is not None


@pytest.mark.parametrize("end", ["__syncthreads", "barrier.cluster"])
@pytest.mark.parametrize("agent", ["P", "C1"])
def test_a_sync_that_one_agent_comes_to_once_more_lacks_nobody_who_has_exited(end: str, agent: str) -> None:
    for report in simulated(once_more(end, agent)):
        assert report.ended == "completed"
    assert is_sound(ring(2, end=ENDS[end]))


@pytest.mark.parametrize("end", ENDS)
def test_a_sync_that_one_agent_leaves_out(end: str) -> None:
    def meet(one: AgentBuilder) -> None:
        ENDS[end](one)
        if one.agent.name != "C0":
            ENDS[end](one)

    for report in simulated(ring(2, end=meet)):
        if report.ended == "completed":
            continue  # not counted where it has exited
        first = report.findings[0]
        assert first.verdict == "STUCK SYNC"
        assert "C0 (has exited)" in first.cause


def test_a_count_of_threads_that_nobody_fills() -> None:
    program = ring(2, end=lambda agent: agent.bar_sync(1, 128))
    for report in simulated(program)[::2]:
        (first,) = report.findings
        assert "96 of 128 threads wait there" in first.cause
        assert "Nobody else comes to it" in first.cause
