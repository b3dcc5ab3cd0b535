"""What is held of a program beside its run, where program and recording are not of one another."""

from __future__ import annotations

from dataclasses import replace

from visualizer.diagnosis.program_checks import program_findings
from visualizer.programs.registry import find_program
from visualizer.sources.simulator.simulate import simulate


def test_arrivals_on_a_cta_of_which_no_agent_is_known_are_told_without_an_advice() -> None:
    program = find_program("cluster")
    alone = replace(program, agents=tuple(agent for agent in program.agents if agent.agent.cta == 0))
    (finding,) = program_findings(simulate(program), alone)
    assert finding.verdict
    assert finding.advice is None
