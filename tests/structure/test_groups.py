"""What is looked at together: warps of one role in one warpgroup, barriers of one ring; and what nobody named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stranger_traces import stranger
from two_ring_traces import two_rings, unknowing, untold

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.groups import Group, barrier_groups, find_group, warp_groups
from visualizer.structure.titles import agent_name, barrier_name, barrier_titles
from visualizer.views.timeline.lanes.lanes import build_lanes


def test_warps_of_a_stranger_are_grouped_by_warpgroup_and_inferred_role() -> None:
    trace = stranger()
    assert warp_groups(trace, structure_of(trace)) == [
        Group("warpgroup0.consumer", "warpgroup0.consumer", 0, (1, 2, 3)),
        Group("warpgroup1.consumer", "warpgroup1.consumer", 0, (4, 5, 6, 7)),
        Group("warpgroup2.consumer", "warpgroup2.consumer", 0, (8, 9, 10, 11)),
    ]


def test_warps_of_no_known_role_are_those_of_their_warpgroup() -> None:
    trace = stranger()
    groups = warp_groups(trace, unknowing(trace).structure)
    assert [(group.key, group.rows) for group in groups] == [
        ("warpgroup0", (0, 1, 2, 3)), ("warpgroup1", (4, 5, 6, 7)), ("warpgroup2", (8, 9, 10, 11)),
    ]  # fmt: skip


@pytest.mark.parametrize(("warps", "keys"), [(5, []), (6, ["warps.consumer"])])
def test_few_warps_stay_apart(warps: int, keys: list[str]) -> None:
    trace = simulate(lesson(LessonConfig(consumer_warps=warps, tiles=2)))
    assert [group.key for group in warp_groups(trace, structure_of(trace))] == keys


def test_groups_of_several_ctas_are_their_own() -> None:
    trace = stranger(ctas=2)
    groups = [*warp_groups(trace, structure_of(trace)), *barrier_groups(trace, structure_of(trace))]
    group = find_group(groups, "CTA1.warpgroup2.consumer")
    assert group is not None
    assert (group.title, group.cta) == ("warpgroup2.consumer", 1)
    assert {trace.agents[row].cta for row in group.rows} == {1}
    assert find_group(groups, "warpgroup2.consumer") is None


def test_barriers_are_grouped_by_ring_full_ones_first() -> None:
    trace = two_rings(4)
    groups = barrier_groups(trace, structure_of(trace))
    assert [(group.key, group.title, names(trace, group.rows)) for group in groups] == [
        ("ring[K]", "K", ["K.full[0]", "K.full[1]", "K.full[2]", "K.empty[0]", "K.empty[1]", "K.empty[2]"]),
        ("ring[V]", "V", ["V.full[0]", "V.full[1]", "V.empty[0]", "V.empty[1]"]),
    ]  # fmt: skip


def test_barriers_of_no_ring_are_a_group_beside_rings() -> None:
    trace = two_rings(4)
    loose = [replace(b, stage=-1, kind="other") if b.name.startswith("V.empty") else b for b in trace.barriers]
    trace = replace(trace, barriers=loose)
    groups = barrier_groups(trace, structure_of(trace))
    assert [(group.key, group.ring) for group in groups] == [("ring[K]", 0), ("ring[V]", 1), ("barriers", -1)]
    assert names(trace, groups[-1].rows) == ["V.empty[0]", "V.empty[1]"]


def test_one_ring_needs_no_groups() -> None:
    trace = simulate(lesson(LessonConfig(tiles=2)))
    assert barrier_groups(trace, structure_of(trace)) == []


def test_what_nobody_named_is_called_by_what_it_is_for() -> None:
    trace = stranger(ctas=2)
    structure = structure_of(trace)
    row = trace.barrier_index["CTA1.0x428"]
    assert barrier_name(trace, structure, row) == "ring0.empty[0]"
    assert barrier_titles(trace, structure)[row] == "CTA1.ring0.empty[0]"
    assert agent_name(trace, structure, trace.agent_index["CTA1.warp0"]) == "warp0.producer"
    unknown = unknowing(trace).structure
    assert barrier_titles(trace, unknown)[row] == "CTA1.0x428"
    assert agent_name(trace, unknown, trace.agent_index["CTA1.warp0"]) == "warp0"


def test_two_barriers_of_one_place_keep_their_addresses() -> None:
    trace = stranger()
    structure = structure_of(trace)
    first, second = structure.rings[0].full[:2]
    both = replace(structure.rings[0], full=((*first, *second), second))
    doubled = replace(structure, rings=(both, *structure.rings[1:]))
    assert barrier_name(trace, doubled, first[0]) == "0x400"


@pytest.mark.parametrize(("turns", "name"), [(((0, 1),), "order[1]"), (((2, 3), (0, 1)), "order1[1]")])
def test_barriers_that_pass_a_turn_on_are_called_so(turns: tuple[tuple[int, ...], ...], name: str) -> None:
    trace = stranger()
    structure = replace(unknowing(trace).structure, turns=turns, kinds=("order",) * len(trace.barriers))
    assert barrier_name(trace, structure, 1) == name


def test_names_that_a_program_gave_stay() -> None:
    trace = untold(two_rings(6))
    structure = structure_of(trace)
    assert len(structure.rings) == 2
    for row, barrier in enumerate(trace.barriers):
        assert barrier_name(trace, structure, row) == barrier.name
    assert agent_name(trace, structure, 0) == "producer"


def names(trace: Trace, rows: tuple[int, ...]) -> list[str]:
    return [trace.barriers[row].name for row in rows]


@pytest.mark.parametrize(("row", "name"), [(0, "ring[K]"), (6, "ring[V]")])
def test_a_group_is_not_called_as_one_of_its_barriers(row: int, name: str) -> None:
    trace = two_rings(4)
    barriers = [replace(one, name=name) if at == row else one for at, one in enumerate(trace.barriers)]
    trace = replace(trace, barriers=barriers)
    groups = barrier_groups(trace, structure_of(trace))
    assert name + "'" in [group.key for group in groups]
    assert not {group.key for group in groups} & set(trace.barrier_index)


def test_a_group_is_not_called_as_one_of_its_warps() -> None:
    trace = stranger()
    agents = [replace(one, name="warpgroup0.consumer") if at == 1 else one for at, one in enumerate(trace.agents)]
    trace = replace(trace, agents=agents)
    assert next(group.key for group in warp_groups(trace, structure_of(trace))) == "warpgroup0.consumer'"


def test_a_copy_engine_is_in_no_group_though_it_says_it_is_a_warp() -> None:
    trace = stranger()
    trace = replace(trace, agents=[replace(one, role="copy_engine") if one.warp >= 4 else one for one in trace.agents])
    structure = structure_of(trace)
    grouped = {row for group in warp_groups(trace, structure) for row in group.rows}
    assert not any(structure.roles[row] == "copy_engine" for row in grouped)
    keys = [lane.key for lane in build_lanes(trace, structure)]
    assert len(set(keys)) == len(keys)
