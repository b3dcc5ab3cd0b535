"""Rings of their own: what the builder makes of them, and which mistakes it names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from visualizer.programs.accesses import Read
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.errors import ProgramError
from visualizer.programs.mutations import with_other_phase
from visualizer.programs.operations import Advance, Copy
from visualizer.recording.trace import ONE_RING
from visualizer.semantics.pipeline_state import PipelineState


def k_and_v() -> Builder:
    b = Builder("mine")
    b.barriers("k_full", 2, count=1, kind="full", ring="k")
    b.barriers("v_full", 3, count=1, kind="full", ring="v")
    return b


def test_stages_copies_and_cursors_count_in_their_ring() -> None:
    b = k_and_v()
    full = b.barriers("v_more", 3, count=1, kind="full", ring="v")
    turn = b.barrier("turn", count=1)
    a = b.agent("A", stages=2, phase=1)
    v = a.cursor("v", stages=3)
    a.copy(full[v.index], v.index, 64)
    a.copy(turn, 1, 64)
    a.copy(turn, 2, 64, ring="v")
    a.advance()
    v.advance()
    v.advance()
    a.read(v.index, 64, ring="v")
    a.read(a.index, 64)
    v.restart(phase=1)
    assert (a.index, a.phase, v.index, v.phase) == (1, 1, 0, 1)
    program = b.build()
    assert program.rings == ("k", "v")
    (agent,) = program.agents
    assert agent.agent.start == PipelineState(2, phase=1)
    assert agent.agent.more_starts == (("v", PipelineState(3)),)
    assert [o.ring for o in agent.operations if isinstance(o, Copy)] == [1, 0, 1]
    assert [(o.ring, o.stage) for o in agent.operations if isinstance(o, Read)] == [(1, 2), (0, 1)]
    assert [(o.ring, o.state.index) for o in agent.operations if isinstance(o, Advance)] == [(0, 1), (1, 1), (1, 2)]
    assert {barrier.name: barrier.ring for barrier in program.barriers}["v_more[2]"] == "v"
    assert program.barriers[-1].ring == "k", "a barrier of no stage belongs to the first ring in name alone"


def test_a_program_that_names_no_ring_has_one_without_a_name() -> None:
    b = Builder("mine")
    b.barriers("full", 2, count=1)
    b.agent("A", stages=2).advance()
    program = b.build()
    assert program.rings == ONE_RING
    assert {barrier.ring for barrier in program.barriers} == {""}
    assert program.agents[0].agent.more_starts == ()


def test_an_agent_that_goes_round_a_further_ring_alone_has_no_cursor_over_the_first() -> None:
    b = k_and_v()
    b.agent("V", phase=1).cursor("v", stages=3, phase=1)
    b.agent("K", stages=2)
    b.agent("both").advance()
    program = b.build()
    assert [agent.agent.start for agent in program.agents] == [None, PipelineState(2), PipelineState(1)]
    flipped = with_other_phase(program, ["V"]).agents[0].agent
    assert (flipped.start, flipped.more_starts) == (None, (("v", PipelineState(3)),))


def test_the_other_phase_is_that_of_every_cursor() -> None:
    b = k_and_v()
    v = b.agent("A", stages=2).cursor("v", stages=3)
    v.advance()
    (agent,) = with_other_phase(b.build(), ["A"]).agents
    assert agent.agent.more_starts == (("v", PipelineState(3, phase=1)),)
    assert [o.state.phase for o in agent.operations if isinstance(o, Advance)] == [1]


def test_agents_of_a_warpgroup_are_its_warps() -> None:
    b = Builder("mine", ctas=2)
    made = [b.agent(f"w{n}", cta=1, warpgroup=2) for n in range(4)] + [b.agent("p", cta=0, warpgroup=2)]
    assert [a.agent.warp for a in made] == [8, 9, 10, 11, 8]
    assert {a.agent.warpgroup for a in made} == {2}
    with pytest.raises(ProgramError, match="warpgroup 2 has 4 agents already, as many as it has warps"):
        b.agent("w4", cta=1, warpgroup=2)


@pytest.mark.parametrize(
    ("mistake", "why"),
    [
        (lambda a: a.read(2, 64), "A uses stage 2 of ring 'k', but no barrier belongs to it; the ring has 2 stages"),
        (lambda a: a.write(3, 64, ring="v"), "A uses stage 3 of ring 'v', but no barrier belongs to it"),
        (lambda a: a.store(0, 64, ring="w"), r"there is no ring 'w'; make its barriers first, with \.barriers"),
        (lambda a: a.cursor("k", stages=2), "A has a cursor over ring 'k' already; use that one"),
        (lambda a: (a.cursor("v", stages=3), a.cursor("v", stages=3)), "A has a cursor over ring 'v' already"),
        (lambda a: a.cursor("v", stages=0), r"stages is 0; it must be 1\.\.1024"),
        (lambda a: a.cursor("v", stages=3, phase=2), r"phase is 2; it must be 0\.\.1"),
    ],
)
def test_a_mistake_with_a_ring_is_named(mistake: Callable[[AgentBuilder], object], why: str) -> None:
    def build() -> None:
        b = k_and_v()
        mistake(b.agent("A", stages=2))
        b.build()

    with pytest.raises(ProgramError, match=why):
        build()


def test_there_are_no_more_rings_than_an_event_can_name() -> None:
    b = Builder("mine")
    for number in range(255):
        b.barriers(f"b{number}", 1, count=1, ring=f"r{number}")
    with pytest.raises(ProgramError, match="more than 255 rings"):
        b.barriers("b", 1, count=1, ring="one more")
