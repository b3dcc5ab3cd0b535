"""What changes from step to step, added up, is the state that History tells at each of the steps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_replay import run, with_watchdog
from two_ring_traces import two_rings, untold

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.replay.changes import Changes, agent_changes, barrier_changes, stage_changes
from visualizer.replay.history import AgentActivity, History, State
from visualizer.resources import resource_dir
from visualizer.sources.lesson import window
from visualizer.sources.simulator.simulate import simulate

TRACES = ("lesson", "attention", "two rings", "untold", "gave up", "many ctas", "cut", "cp_async")


@cache
def history(name: str) -> History:
    return History(_trace(name))


def _trace(name: str) -> Trace:
    if name == "two rings":
        return two_rings(tiles=5, ctas=2)
    if name == "untold":
        return untold(two_rings(tiles=5))
    if name == "gave up":
        return with_watchdog(simulate(find_program(fault="F06")))
    if name == "many ctas":
        return simulate(lesson(LessonConfig(ctas=9, tiles=2)))
    if name == "cut":
        return window.cut(run(tiles=16, stages=3, ctas=3), window.Window(4, 7, every_cta=2), 16, 3)
    if name == "cp_async":  # which has no barriers
        return load(resource_dir("assets") / "traces" / "cp-async.pscope")
    return simulate(find_program(name))


def tables(of: History, state: State) -> dict[str, np.ndarray]:
    cursors = [column for ring in of.trace.rings for column in of.cursors_at(state.step, ring).T]
    columns = {
        "barrier": [
            state.barrier_valid, state.barrier_phase, state.barrier_pending, state.barrier_expected, state.barrier_tx
        ],
        "stage": [state.stage_state, state.stage_tile],
        "agent": [state.agent_activity, state.agent_barrier, state.agent_tile, *cursors],
    }  # fmt: skip
    return {kind: np.stack(one, axis=1).astype(np.int64) for kind, one in columns.items()}


def changes(of: History, steps: np.ndarray, rows: dict[str, np.ndarray]) -> dict[str, Changes]:
    ways = {"barrier": barrier_changes, "stage": stage_changes, "agent": agent_changes}
    return {kind: ways[kind](of, steps, rows[kind]) for kind in ways}


@given(st.sampled_from(TRACES), st.data())
def test_changes_add_up_to_the_states(name: str, data: st.DataObject) -> None:
    of = history(name)
    among = st.sets(st.integers(0, of.steps - 1), min_size=1, max_size=40)
    if data.draw(st.booleans()):
        first = data.draw(st.integers(0, of.steps - 1))
        steps = np.arange(first, min(first + 40, of.steps))
    else:
        steps = np.array(sorted(data.draw(among)))
    sizes = {kind: len(table) for kind, table in tables(of, of.state_at(0)).items()}
    rows = {
        kind: np.array(data.draw(st.permutations(range(size))), np.int64)[: data.draw(st.integers(0, size))]
        for kind, size in sizes.items()
    }
    found = changes(of, steps, rows)
    now: dict[str, dict[int, list[int]]] = {kind: {} for kind in rows}
    for at, step in enumerate(steps.tolist()):
        expected = tables(of, of.state_at(step))
        for kind, own in found.items():
            here = np.flatnonzero(own.at == at)
            for row, values in zip(own.row[here].tolist(), own.values[here].tolist(), strict=True):
                assert now[kind].get(row) != values, "told, and has not changed"
                now[kind][row] = values
            assert [now[kind][row] for row in range(len(rows[kind]))] == expected[kind][rows[kind]].tolist()


def test_an_agent_that_left_after_giving_up_still_gave_up() -> None:
    of = history("gave up")
    rows = np.arange(len(of.trace.agents))
    found = agent_changes(of, np.array([0, of.steps - 1]), rows)
    assert AgentActivity.TIMED_OUT in found.values[found.at == 1][:, 0]


@pytest.mark.parametrize("change", [barrier_changes, stage_changes, agent_changes])
def test_no_steps_change_nothing(change) -> None:
    assert not len(change(history("lesson"), np.empty(0, np.int64), np.arange(2)).at)
