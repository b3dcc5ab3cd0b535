"""Tiles may have any number: what is counted by tile takes memory by how many there are, not by their numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from visualizer.diagnosis.phases.unexpected_bytes import too_few_expected
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

FAR = 2_000_000_000


@pytest.mark.parametrize("above", [0, FAR])
def test_bytes_that_a_tile_lacks_are_found_whatever_its_number(above: int) -> None:
    trace = simulate(find_program(fault="F49"))
    events = trace.events.copy()
    events["tile"][events["tile"] >= 0] += above
    history = History(replace(trace, events=events))
    found = [finding for row in range(len(trace.barriers)) if (finding := too_few_expected(history, row)) is not None]
    assert found[0].tile == above
    assert f"expects 64 bytes of tile {above} on " in found[0].cause
