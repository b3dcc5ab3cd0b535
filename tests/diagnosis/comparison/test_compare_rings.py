"""Recordings with several rings held against each other: ring by ring, matched by name, and what has no partner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from two_ring_traces import two_rings, untold

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import comparison_json, comparison_text, state_differences
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture(scope="module")
def a() -> History:
    return History(two_rings(tiles=6))


def spans(trace: Trace, ring: str) -> dict[int, int]:
    """ps from the first to the last event of each tile in the ring's stages or on its barriers, one by one."""
    times: dict[int, list[int]] = {}
    for event in trace.events:
        barrier = int(event["barrier"])
        named = trace.rings[event["ring"]] if event["stage"] >= 0 else None
        named = trace.barriers[barrier].ring if barrier >= 0 else named
        if event["tile"] >= 0 and named == ring:
            times.setdefault(int(event["tile"]), []).append(int(event["time"]))
    return {tile: max(found) - min(found) for tile, found in times.items()}


def test_each_ring_is_held_against_the_one_of_its_name(a: History) -> None:
    b = History(two_rings(tiles=4, seed=3))
    comparison = Comparison(a, b)
    assert [(ring.name, ring.stages_a, ring.stages_b, ring.only) for ring in comparison.rings] == [
        ("K", 3, 3, ""),
        ("V", 2, 2, ""),
    ]
    for ring in comparison.rings:
        tiles = ring.tiles
        assert tiles.tile.tolist() == [0, 1, 2, 3]
        took_a, took_b = spans(a.trace, ring.name), spans(b.trace, ring.name)
        assert tiles.longer.tolist() == [took_b[tile] - took_a[tile] for tile in range(4)]
    document = comparison_json(comparison)
    assert [(ring["name"], ring["stages_a"], len(ring["tiles"])) for ring in document["rings"]] == [
        ("K", 3, 4),
        ("V", 2, 4),
    ]
    lines = comparison_text(comparison)
    assert any(
        line.startswith("ring K: 3 stages in both; 4 tiles in both; at the median a tile takes") for line in lines
    )


def test_a_ring_without_a_partner_is_said_to_be_in_one_alone(a: History) -> None:
    trace = a.trace
    renamed = replace(
        trace,
        rings=("K", "W"),
        barriers=[replace(b, ring="W" if b.ring == "V" else b.ring) for b in trace.barriers],
        agents=[
            replace(agent, more_starts=tuple(("W", start) for _, start in agent.more_starts)) for agent in trace.agents
        ],
    )
    comparison = Comparison(a, History(renamed))
    assert [(ring.name, ring.only) for ring in comparison.rings] == [("K", ""), ("V", "a"), ("W", "b")]
    assert not comparison.same_order  # the reads are in another ring
    lines = comparison_text(comparison)
    assert "ring V: in a alone, so it is not compared" in lines
    assert "ring W: in b alone, so it is not compared" in lines
    assert [ring["stages_b"] for ring in comparison_json(comparison)["rings"]] == [3, None, 2]


def test_the_only_ring_of_each_is_the_other_s_whatever_its_name() -> None:
    trace = simulate(lesson(LessonConfig(tiles=4)))
    comparison = Comparison(History(trace), History(untold(trace)))
    (ring,) = comparison.rings
    assert ring.only == ""
    assert len(ring.tiles) == len(comparison.tiles) == 4
    assert not comparison.has_rings
    assert not any(line.startswith("ring") for line in comparison_text(comparison))


def test_a_read_in_another_ring_is_another_event(a: History) -> None:
    events = a.trace.events.copy()
    reads = np.flatnonzero((events["kind"] == EventKind.READ_BEGIN) & (events["ring"] == 1))
    events["ring"][reads[0]] = 0
    comparison = Comparison(a, History(replace(a.trace, events=events)))
    (differs,) = comparison.differing
    assert differs.step_a == differs.step_b == reads[0]


def test_when_a_tile_is_in_can_be_asked_of_one_ring(a: History) -> None:
    comparison = Comparison(a, a)
    k, v = (comparison.tile_step(a, 0, 2, ring) for ring in ("K", "V"))
    assert k is not None
    assert v is not None
    assert comparison.tile_step(a, 0, 2) == min(k, v)
    names = [a.trace.barriers[a.trace.events["barrier"][step]].name for step in (k, v)]
    assert names == ["K.full[2]", "V.full[0]"]
    told = {name: (first, second) for name, first, second in state_differences(comparison, k, v)}
    assert "V.stage[0]" in told
    assert any("in V at stage " in text for text, _ in told.values())
