"""Programs that a file names are no longer than the file lets expect, and are refused before they are laid out."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.rebuild import program_of
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Source
from visualizer.playback.stories.recordings import MOST_OPERATIONS, Recordings
from visualizer.programs.errors import ProgramError
from visualizer.programs.length import MAX_OPERATIONS, at_most, most_operations
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

_LONG = [("lesson", 250_000), ("attention", 10_000_000)]


@pytest.mark.parametrize("name", ["lesson", "attention"])
def test_the_bound_holds_within_its_block(name: str) -> None:
    program = find_program(name, {"tiles": 4})
    operations = sum(len(agent.operations) for agent in program.agents)
    with at_most(2 * operations):
        assert most_operations() == 2 * operations
        find_program(name, {"tiles": 4})
    with at_most(operations // 2), pytest.raises(ProgramError, match="operations"):
        find_program(name, {"tiles": 4})
    with at_most(10 * MAX_OPERATIONS):
        assert most_operations() == MAX_OPERATIONS
    assert most_operations() == MAX_OPERATIONS


@pytest.mark.parametrize(("name", "tiles"), _LONG)
def test_a_recording_that_states_a_long_program_costs_what_its_events_cost(name: str, tiles: int) -> None:
    trace = simulate(find_program(name, {"tiles": 2}))
    config = {**trace.meta.config, "tiles": tiles}
    ending = replace(trace.meta.ending, kind="deadlock")
    trace = replace(trace, meta=replace(trace.meta, config=config, ending=ending))
    began = process_time()
    assert program_of(trace) is None
    diagnose(History(trace))
    assert process_time() - began < 5


def test_a_hang_early_in_a_run_is_still_told_by_its_program() -> None:
    trace = simulate(find_program("lesson", {"tiles": 3000}, "F01"))
    assert len(trace) < 3000
    assert program_of(trace) is not None


@pytest.mark.parametrize(("name", "tiles"), _LONG)
def test_a_story_runs_no_long_program(name: str, tiles: int) -> None:
    began = process_time()
    with pytest.raises(StoryError, match="operations"):
        Recordings().history(Source(program=name, parameters={"tiles": tiles}))
    assert process_time() - began < 5


def test_a_story_runs_no_end_of_programs() -> None:
    recordings, tiles = Recordings(), MOST_OPERATIONS // 17 // 3  # 17 operations a tile
    sources = [Source(program="lesson", parameters={"tiles": tiles, "seed": seed}) for seed in range(2)]
    for source in sources:
        recordings.history(source)
    recordings.history(sources[0])  # which was made before
    with pytest.raises(StoryError, match="operations"):
        recordings.history(Source(program="lesson", parameters={"tiles": 2 * tiles}))
