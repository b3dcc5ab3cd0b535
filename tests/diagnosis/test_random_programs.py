"""Nothing is found in random sound programs of all that can be said; `python -m tests.random_programs` tries more."""

from __future__ import annotations

from collections import Counter

import pytest
from random_programs import problems, random_program

from visualizer.programs.operations import Operation


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_nothing_is_found_in_sound_programs(first: int) -> None:
    said = {seed: found for seed in range(first, first + 50) if (found := problems(seed, schedules=2))}
    assert not said


def test_they_use_everything_that_programs_can_say() -> None:
    used = Counter[str]()
    for seed in range(300):
        for agent in random_program(seed).agents:
            used.update({type(operation).__name__ for operation in agent.operations})
    known = {kind.__name__ for kind in Operation.__args__}
    left = {"Inval", "ArriveDrop", "CompleteTx", "WaitGroup", "WaitStores", "Delay"}
    assert used.keys() == known - left
