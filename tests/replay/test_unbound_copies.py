"""Copies bound to no barrier (cp.async): a stage is full when the last of a tile's copies has landed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.programs.cp_async import WARPS
from visualizer.programs.registry import find_program
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History, StageState
from visualizer.sources.simulator.simulate import simulate


def test_a_stage_fills_is_full_and_is_read_in_every_lap() -> None:
    history = History(simulate(find_program("cp-async", {"stages": 3, "tiles": 8})))
    spans = history.stage_spans(0)
    states = [StageState(state).name for state in spans.state.tolist()]
    assert states == ["FILLING", "FULL", "READING"] * 3


def test_it_is_full_from_the_last_landing_on() -> None:
    trace = simulate(find_program("cp-async", {}))
    events = trace.events
    done = np.flatnonzero((events["kind"] == EventKind.COPY_DONE) & (events["tile"] == 0))
    assert len(done) == WARPS
    history = History(trace)
    assert history.state_at(int(done[-1]) - 1).stage_state[0] == StageState.FILLING
    assert history.state_at(int(done[-1])).stage_state[0] == StageState.FULL


def test_a_tile_that_never_lands_whole_never_fills_its_stage() -> None:
    trace = simulate(find_program("cp-async", {}))
    events = trace.events
    done = np.flatnonzero((events["kind"] == EventKind.COPY_DONE) & (events["tile"] == 0))
    cut = History(replace(trace, events=np.delete(events, done[-1])))
    states = [cut.state_at(step).stage_state[0] for step in range(int(done[-1]))]
    assert StageState.FULL not in states
