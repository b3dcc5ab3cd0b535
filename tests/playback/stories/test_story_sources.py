"""What a chapter says to look at the recording in the window, whatever that recording says of itself."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Source
from visualizer.playback.stories.recordings import Recordings
from visualizer.playback.stories.sources import source_of
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate


def _saying(**config: Any) -> Trace:
    """A simulated lesson whose recording says this of its parameters."""
    trace = simulate(find_program())
    meta = dataclasses.replace(trace.meta, config={**trace.meta.config, **config})
    return dataclasses.replace(trace, meta=meta)


def test_a_simulated_run_is_made_again_from_its_parameters() -> None:
    trace = simulate(find_program(parameters={"tiles": 2}), seed=7)
    source = source_of(trace, None, None)
    assert dict(source.parameters) == {"tiles": 2, "seed": 7}
    assert Recordings().history(source).trace.events.tobytes() == trace.events.tobytes()


@pytest.mark.parametrize(
    ("name", "parameters"), [("gemm", {"stages": 3}), ("attention", {"k_stages": 1, "v_stages": 4}), ("pingpong", {})]
)
def test_a_kernels_run_is_made_again_with_its_stages(name: str, parameters: dict[str, int]) -> None:
    trace = simulate(find_program(name, parameters))
    source = source_of(trace, None, None)
    assert (source.program, dict(source.parameters)) == (name, parameters)
    assert Recordings().history(source).trace.events.tobytes() == trace.events.tobytes()


def test_another_programs_parameter_is_refused() -> None:
    with pytest.raises(StoryError, match="--k-stages is a parameter of attention; --program gemm does not have it"):
        Recordings().history(Source(program="gemm", parameters={"k_stages": 2}))


def test_no_fault_is_no_fault() -> None:
    assert source_of(_saying(fault=None), None, None).fault == ""
    assert source_of(_saying(fault="F06"), None, None).fault == "F06"


@pytest.mark.parametrize("value", [[], {}, [[1]], None])
def test_parameters_that_are_none_are_refused(value: object) -> None:
    with pytest.raises(StoryError, match=r"parameters\.tiles: must be a number"):
        source_of(_saying(tiles=value), None, None)


def test_a_file_is_named_from_the_story_on(tmp_path: Path) -> None:
    assert source_of(_saying(), tmp_path / "run.pscope", tmp_path).recording == "run.pscope"
