"""What is usual of all agents of a role is found once a CTA, however many of them have no habit of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from visualizer.diagnosis.turns import habits
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def test_turns_of_a_cta_are_looked_at_once_for_agents_that_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = simulate(lesson(LessonConfig(tiles=4)))
    consumer = next(agent for agent in trace.agents if agent.role == "consumer")
    idle = [replace(consumer, name=f"idle{number}") for number in range(200)]
    history = History(replace(trace, agents=(*trace.agents, *idle)))
    looked_at, asked = [], habits._usual
    monkeypatch.setattr(habits, "_usual", lambda turns: looked_at.append(len(turns)) or asked(turns))
    assert habits.find_odd(history, None, [0], 0) == []
    assert 0 < sum(looked_at) < 10 * len(trace.agents) * 4
