"""A CTA's part answers for its lanes exactly as the whole recording's History does."""

import dataclasses

import numpy as np
import pytest

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.cta_part import CtaParts
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture(scope="module")
def whole():
    return History(simulate(lesson(LessonConfig(ctas=3, tiles=5))))


def same_spans(mine, whole, part):
    for column in ("start", "end", "state", "tile", "barrier"):
        np.testing.assert_array_equal(getattr(mine, column), getattr(whole, column))
    np.testing.assert_array_equal(part.in_recording(mine.first_step), whole.first_step)
    np.testing.assert_array_equal(part.in_recording(mine.last_step), whole.last_step)


@pytest.mark.parametrize("cta", [0, 1, 2])
def test_lanes_are_those_of_the_whole_recording(whole, cta):
    part = CtaParts(whole)[cta]
    trace = whole.trace
    assert part.history.steps < whole.steps / 2
    for row in np.flatnonzero(trace.agent_cta == cta).tolist():
        same_spans(part.history.agent_spans(row), whole.agent_spans(row), part)
    for stage in range(trace.stages):
        row = cta * trace.stages + stage
        same_spans(part.history.stage_spans(row), whole.stage_spans(row), part)
    same_spans(part.history.copy_spans(cta), whole.copy_spans(cta), part)
    for row in np.flatnonzero(trace.barrier_cta == cta).tolist():
        mine, all_ = part.history.barrier_curve(row), whole.barrier_curve(row)
        for column in ("time", "phase", "pending", "expected", "tx"):
            np.testing.assert_array_equal(getattr(mine, column), getattr(all_, column))
        np.testing.assert_array_equal(part.in_recording(mine.step), all_.step)


def test_a_remote_arrival_belongs_to_both_ctas(whole):
    """An event of CTA 0's agent on CTA 1's barrier is in the parts of both."""
    trace = whole.trace
    events = trace.events.copy()
    step = int(np.flatnonzero((trace.agent_cta[events["agent"]] == 0) & (events["barrier"] >= 0))[-1])
    events["barrier"][step] = int(np.flatnonzero(trace.barrier_cta == 1)[0])
    from dataclasses import replace

    parts = CtaParts(History(replace(trace, events=events)))
    assert step in parts[0].steps
    assert step in parts[1].steps
    assert step not in parts[2].steps


def test_one_cta_is_the_whole_recording(lesson_history):
    part = CtaParts(lesson_history)[0]
    assert part.history is lesson_history
    np.testing.assert_array_equal(part.in_recording(np.array([3, 5])), [3, 5])


def test_parts_are_kept_but_not_all(whole):
    parts = CtaParts(History(simulate(lesson(LessonConfig(ctas=8, tiles=4)))))
    first = parts[0]
    assert parts[0] is first
    for cta in range(8):
        assert parts[cta].history.steps
    assert parts[0] is not first


def test_ctas_of_a_large_grid_are_told_apart():
    trace = simulate(lesson(LessonConfig(ctas=2, tiles=40)))
    far = 300
    rows = [[dataclasses.replace(row, cta=row.cta * far) for row in table] for table in (trace.agents, trace.barriers)]
    whole = History(dataclasses.replace(trace, agents=rows[0], barriers=rows[1]))
    agent = next(row for row, one in enumerate(whole.trace.agents) if one.cta == far)
    part = CtaParts(whole)[far]
    assert part.history.steps < whole.steps * 2 / 3
    same_spans(part.history.agent_spans(agent), whole.agent_spans(agent), part)


def test_ctas_of_few_events_share_a_part():
    """Each part has all tables: parts together cost no more than the events and the tables once or twice."""
    whole = History(simulate(lesson(LessonConfig(ctas=64, tiles=2))))
    parts, trace = CtaParts(whole), whole.trace
    rows = len(trace.agents) + len(trace.barriers) + whole.structure.places
    found = {id(part): part for part in map(parts.__getitem__, range(64)) if part.history.steps}
    assert 1 < len(found) <= len(trace) / rows + 1
    part = parts[37]
    assert part is parts[36]
    for row in np.flatnonzero(trace.agent_cta == 37).tolist():
        same_spans(part.history.agent_spans(row), whole.agent_spans(row), part)
    same_spans(part.history.copy_spans(37), whole.copy_spans(37), part)


def test_a_grid_of_a_million_ctas_is_one_part(whole):
    """Of which two were recorded: the tables of each part would have a row for every CTA."""
    trace, far = whole.trace, 500_000
    rows = [[dataclasses.replace(row, cta=row.cta * far) for row in table] for table in (trace.agents, trace.barriers)]
    assert CtaParts(History(dataclasses.replace(trace, agents=rows[0], barriers=rows[1])))[far].steps is None


def test_where_tables_are_longer_than_the_events_there_is_one_part(whole):
    agents = [dataclasses.replace(whole.trace.agents[0], name=f"w{n}", cta=n % 500) for n in range(2000)]
    few = History(dataclasses.replace(whole.trace, agents=(*whole.trace.agents, *agents)))
    parts = CtaParts(few)
    assert parts[0].history is few
    assert parts[499].history is few
