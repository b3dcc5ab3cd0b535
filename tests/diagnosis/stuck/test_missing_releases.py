"""Releases that are missing in kernels whose reads nobody recorded: a use is a wait that passed, and one warp may
arrive for several."""

from __future__ import annotations

import re

import pytest
from keys_and_values import CONSUMERS, keys_and_values
from ring_programs import only_arrive, ring

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

ALL = ("before", "first", "second")


def of_the_producer(trace: Trace) -> Finding:
    (found,) = diagnose(History(trace)).findings
    assert (found.agent, found.verdict) == ("warp1", "STARVED")
    return found


@pytest.mark.parametrize("elected", [False, True])
def test_without_a_mistake_nothing_is_said(elected: bool) -> None:
    assert diagnose(History(keys_and_values((), elected=elected))).clean


@pytest.mark.parametrize("elected", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_nobody_releases_the_line_of_the_consumers_wait_is_named(elected: bool, seed: int) -> None:
    found = of_the_producer(keys_and_values(ALL, elected=elected, seed=seed))
    assert (found.rule, found.certain, found.blamed, found.advice) == ("missing-release", False, None, None)
    assert "warp4, warp5, warp6, warp7, warp8 and 3 more passed waits for all 5 stages of the ring" in found.cause
    assert f"nobody has arrived on empty[*] at all, where a phase takes {2 if elected else 256} arrivals" in found.cause
    assert found.site is not None
    assert (found.site.op, f"({found.site.file}:{found.site.line})" in found.cause) == ("wait", True)
    assert "one agent may make it for several" in found.cause
    assert found.released_by == ()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("left_out", "stage"), [pytest.param(("second",), 2, id="second"), pytest.param(("first",), 1, id="first")]
)
def test_a_release_of_several_is_missing(left_out: tuple[str, ...], stage: int, seed: int) -> None:
    """The others' lines are named: it is missing beside them."""
    found = of_the_producer(keys_and_values(left_out, seed=seed))
    assert (found.rule, found.title, found.released_by) == ("missed-use", f"empty[{stage}]", ())
    assert f"makes 0 of 32 arrivals on empty[{stage}] for use 1 of the stage" in found.cause
    others = re.search(r"For other uses it makes them at \S+:(\d+) and \S+:(\d+)\.", found.cause)
    assert others is not None
    assert {owed.next for owed in found.owed} == {"none"}
    assert found.advice is not None
    assert len({one.agent for one in (found.advice, *found.advice.also)}) == len(CONSUMERS)


def test_only_those_are_named_that_arrive_otherwise() -> None:
    """Of each warpgroup one warp arrives for all four: of the others none is said to owe anything."""
    found = of_the_producer(keys_and_values(("second",), elected=True))
    assert "Each of warp4 and warp8 makes 0 of 1 arrival" in found.cause
    found = of_the_producer(keys_and_values(("second",), elected=True, only=[4]))
    assert found.cause.startswith("warp4 makes 0 of 1 arrival on empty[2] for its use 1")


def test_where_others_arrive_nobody_is_blamed_who_never_does() -> None:
    """One warp of two arrives for both, and the count is too large."""
    program = ring(2, stages=3, empty_count=2, change={("C1", tile): _only_waits for tile in range(6)} | _ARRIVES)
    (found,) = diagnose(History(forget(simulate(program)))).findings
    assert (found.rule, found.blamed) == ("init-too-large", None)
    assert "C1" not in found.cause


def test_a_consumer_that_something_else_keeps_from_its_release_has_not_left_it_out() -> None:
    def waits_beside(c: AgentBuilder, tile: int, full: list[BarrierHandle], empty: list[BarrierHandle]) -> None:
        c.wait(full[c.index], c.phase)
        c.advance()
        if tile == 2:
            c.wait(empty[0], 0)  # on which it alone arrives

    program = ring(1, stages=3, change={("C0", tile): waits_beside for tile in range(6)})
    causes = [found.cause for found in diagnose(History(simulate(program))).every]
    assert causes
    assert not any("a release is missing" in cause for cause in causes)


def _only_waits(c: AgentBuilder, tile: int, full: list[BarrierHandle], empty: list[BarrierHandle]) -> None:
    c.wait(full[c.index], c.phase)
    c.advance()


_ARRIVES = {("C0", tile): only_arrive for tile in range(6)}
