"""Names and places that every pane shares."""

from __future__ import annotations

import pytest
from pane_testing import hand_history, two_cta_history
from two_ring_traces import two_rings

from visualizer.replay.history import History
from visualizer.views.words.context import (
    agent_step,
    barrier_step,
    cta_agents,
    cta_at,
    cta_barriers,
    join_names,
    place_step,
    stage_lane,
    stage_name,
)


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        ([], ""),
        (["producer"], "producer"),
        (["w1", "w2", "w3"], "w1 w2 w3"),
        (["w1", "w2", "w3", "w4"], "w1-w4"),
        (["w1", "w4", "w5", "w6", "w7"], "w1 w4-w7"),
        (["producer", "w1", "w2", "w3", "w4", "w9"], "producer w1-w4 w9"),
    ],
)
def test_names_in_a_row(names: list[str], joined: str) -> None:
    assert join_names(names) == joined


def test_the_cta_of_a_step_and_what_belongs_to_it() -> None:
    trace = two_cta_history().trace
    assert [cta_at(trace, step) for step in (0, 37, 38)] == [0, 0, 1]
    assert cta_barriers(trace, 1) == [4, 5, 6, 7]
    assert [trace.agents[row].name for row in cta_agents(trace, 1)] == [
        "CTA1.producer",
        "CTA1.consumer.w1",
        "CTA1.consumer.w2",
        "CTA1.tma",
    ]


def test_latest_step_on_a_thing_else_the_next() -> None:
    history = hand_history()
    assert [place_step(history, 1, step) for step in (0, 15, 37)] == [15, 15, 36]
    assert [barrier_step(history, 2, step) for step in (0, 2, 30, 37)] == [2, 2, 27, 32]
    assert [agent_step(history, 3, step) for step in (0, 20, 37)] == [18, 19, 37]


def test_a_stage_is_called_by_its_ring_where_there_are_several() -> None:
    assert (stage_name(two_cta_history(), 3), stage_lane(two_cta_history(), 3)) == ("stage[1]", "CTA1.stage[1]")
    rings = History(two_rings(2, ctas=2))
    place = rings.structure.place(1, "V", 1)
    assert (stage_name(rings, place), stage_lane(rings, place)) == ("V.stage[1]", "CTA1.V.stage[1]")
