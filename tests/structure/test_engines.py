"""A CTA has one copy engine, whatever the tables say: its copies are in one lane, not in thousands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from visualizer.playback.lane_steps import lane_steps
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.engines import copy_engines
from visualizer.views.timeline.lanes.lanes import build_lanes


@pytest.fixture(scope="module")
def several() -> History:
    """Two CTAs, each with two agents that are called copy engines."""
    trace = simulate(lesson(LessonConfig(ctas=2, tiles=2)))
    engines = [agent for agent in trace.agents if agent.role == "copy_engine"]
    more = [replace(agent, name=f"{agent.name}.more") for agent in engines]
    return History(replace(trace, agents=(*trace.agents, *more)))


def test_the_first_of_a_cta_is_its_copy_engine(several: History) -> None:
    names = [several.trace.agents[row].name for row in copy_engines(several.trace, several.structure)]
    assert names == ["CTA0.tma", "CTA1.tma"]


def test_only_its_lane_shows_the_ctas_copies(several: History) -> None:
    kinds = {lane.key: lane.kind for lane in build_lanes(several.trace) if "tma" in lane.key}
    assert kinds == {"CTA0.tma": "copy", "CTA1.tma": "copy", "CTA0.tma.more": "agent", "CTA1.tma.more": "agent"}
    copies, others = lane_steps(several, "CTA0.tma"), lane_steps(several, "CTA0.tma.more")
    assert copies is not None
    assert len(copies.steps()) == 2 * len(several.copy_spans(0))
    assert others is not None
    assert not len(others.steps())


def test_only_it_is_busy_while_copies_are_in_flight(several: History) -> None:
    issued = int(several.copies.issued[0])
    moved = np.flatnonzero(several.state_at(issued).agent_activity != several.state_at(issued - 1).agent_activity)
    assert "CTA0.tma" in {several.trace.agents[row].name for row in moved}
    assert "CTA0.tma.more" not in {several.trace.agents[row].name for row in moved}
