"""What the user says of the structure: laid over what is inferred, and named where it cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.structure.model import Structure
from visualizer.structure.overrides import contradictions

TWO_CTAS = forget(simulate(find_program("lesson", {"ctas": 2, "stages": 4})))
ADDRESSES = [f"{barrier.offset:#x}" for barrier in TWO_CTAS.barriers[:8]]
FULL, EMPTY = ADDRESSES[:4], ADDRESSES[4:]


def structure(*entries: Any, trace: Trace = TWO_CTAS) -> Structure:
    return structure_of(trace, entries)


def stages(found: Structure) -> list[tuple[str, int, int]]:
    return [(ring.name, ring.cta, ring.stages) for ring in found.rings]


def test_a_ring_is_renamed_in_every_cta() -> None:
    found = structure({"ring": "ring0", "name": "kv"})
    assert stages(found) == [("kv", 0, 4), ("kv", 1, 4)]
    assert found.names == ("kv",)
    assert not found.problems


def test_a_ring_is_split_and_both_parts_keep_their_order() -> None:
    found = structure({"ring": "v", "full": FULL[2:], "empty": EMPTY[2:]})
    assert sorted(stages(found)) == [("ring0", 0, 2), ("ring0", 1, 2), ("v", 0, 2), ("v", 1, 2)]
    row = TWO_CTAS.barrier_index[f"CTA1.{FULL[3]}"]
    assert found.rings[found.ring_of[row]].name == "v"
    assert (found.stage_of[row], found.kinds[row]) == (1, "full")


def test_rings_are_merged_again_and_a_ring_may_have_no_empty_barriers() -> None:
    split = {"ring": "v", "full": FULL[2:], "empty": EMPTY[2:]}
    found = structure(split, {"ring": "all", "full": FULL, "empty": EMPTY})
    assert stages(found) == [("all", 0, 4), ("all", 1, 4)]
    assert found.rings[0].confidence == 1
    assert found.rings[0].producers
    alone = structure({"ring": "all", "full": FULL})
    assert alone.rings[0].empty == ((),) * 4
    assert alone.kinds[4] == "other"


def test_a_stage_may_have_several_barriers_and_names_do_as_well_as_addresses() -> None:
    trace = simulate(find_program("baseline"))
    found = structure({"ring": "r", "full": [["full[0]", "full[1]"]], "empty": [["empty[0]", "empty[1]"]]}, trace=trace)
    assert [ring.full for ring in found.rings] == [((0, 1),)]


def test_kinds_and_roles() -> None:
    found = structure(
        {"barriers": [FULL[0], EMPTY[0]], "kind": "order"},
        {"barriers": [FULL[1].upper().replace("X", "x")], "kind": "unknown"},
        {"agents": ["producer"], "role": "mma"},
    )
    assert found.turns == ((0, 4), (8, 12))
    assert found.kinds[0] == found.kinds[4] == "order"
    assert found.kinds[1] == found.kinds[5] == "other"  # a stage needs a full barrier
    assert stages(found) == [("ring0", 0, 2), ("ring0", 1, 2)]
    assert found.roles[0] == "mma"


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("full", "an entry is an object"),
        ({"ring": "a"}, "an entry is an object"),
        ({"ring": "a", "full": []}, "full must be a list of names"),
        ({"ring": "a", "full": ["0x999"]}, "the recording has no barrier '0x999'"),
        ({"ring": "a", "full": FULL, "empty": EMPTY[:1]}, "full has 4 stages and empty 1"),
        ({"ring": "a", "full": [FULL[0], FULL[0]]}, "a barrier is in it twice"),
        ({"ring": "a", "full": [FULL[0], []]}, "stage 1 of full has no barrier"),
        ({"ring": "a", "full": [[[[[FULL[0]]]]]]}, "the recording has no barrier [[[...]]]"),
        ({"ring": "a", "full": ["0x9" * 999]}, f"no barrier '{'0x9' * 18}0x..."),
        ({"ring": "a", "full": [FULL[0]], "empty": None}, "empty must be a list of names"),
        ({"ring": "a\nb", "full": FULL}, "a ring's name has at most 60 characters, all in one line"),
        ({"ring": "ring0", "name": "a" * 61}, "a ring's name has at most 60 characters, all in one line"),
        ({"ring": "ring0", "name": None}, "name must be a name"),
        ({"barriers": [FULL[0], FULL[0]], "kind": "order"}, "a barrier is in it twice"),
        ({"barriers": FULL, "kind": {}}, "kind must be one of order, unknown"),
        ({"barriers": FULL[0], "kind": "order"}, "barriers must be a list of names"),
        ({"agents": [{}], "role": "producer"}, "the recording has no agent {}"),
        ({"agents": ["producer"], "role": ["producer"]}, "role must be one of"),
        (None, "an entry is an object"),
        ({"ring": 3, "full": FULL}, "ring must be a name"),
        ({"ring": "ring0", "full": FULL[:1]}, "there is a ring 'ring0' already"),
        ({"ring": "nope", "name": "a"}, "there is no ring 'nope'"),
        ({"ring": "ring0", "name": "ring0"}, "there is a ring 'ring0' already"),
        ({"barriers": FULL, "kind": "full"}, "kind must be one of order, unknown"),
        ({"barriers": [FULL[0], "CTA0." + FULL[1]], "kind": "order"}, "some CTAs have only some of these barriers"),
        ({"ring": "a", "full": [FULL[0], "CTA0." + FULL[1]]}, "CTA 1 has only some of its barriers"),
        ({"agents": ["nobody"], "role": "producer"}, "the recording has no agent 'nobody'"),
        ({"agents": ["producer"], "role": "boss"}, "role must be one of"),
    ],
)
def test_what_cannot_be_is_named_and_its_barriers_are_unknown(entry: Any, what: str) -> None:
    found = structure({"ring": "ring0", "name": "ring0b"}, {"ring": "ring0b", "name": "ring0"}, entry)
    ((number, problem),) = found.problems.items()
    assert number == 2
    assert problem.startswith("structure[2]: ")
    assert what in problem
    named = entry.get("full", entry.get("barriers", [])) if isinstance(entry, dict) else []
    for name in named if isinstance(named, list) else []:
        for row in (TWO_CTAS.barrier_index.get(f"CTA{cta}.{name}") for cta in range(2)):
            assert row is None or (found.kinds[row], found.ring_of[row]) == ("other", -1)


@pytest.mark.parametrize(
    ("mine", "theirs", "contradict"),
    [
        ({"ring": "ring0", "name": "a"}, {"ring": "ring0", "name": "b"}, True),
        ({"ring": "ring0", "name": "a"}, {"ring": "ring1", "name": "a"}, True),
        ({"ring": "ring0", "name": "a"}, {"ring": "ring0", "name": "a"}, False),
        ({"agents": ["producer"], "role": "mma"}, {"agents": ["producer", "consumer.w1"], "role": "mma"}, False),
        ({"agents": ["producer"], "role": "mma"}, {"agents": ["producer"], "role": "other"}, True),
        ({"agents": ["producer"], "role": "mma"}, {"agents": ["consumer.w1"], "role": "other"}, False),
        ({"barriers": ["full[0]"], "kind": "unknown"}, {"barriers": ["full[0]", "full[1]"], "kind": "unknown"}, False),
        ({"barriers": ["full[0]"], "kind": "unknown"}, {"ring": "x", "full": ["full[0]"]}, True),
        ({"barriers": ["full[0]", "full[1]"], "kind": "order"}, {"barriers": ["full[1]"], "kind": "order"}, True),
        ({"ring": ["x"], "name": 3}, {"agents": [[], 4, "nobody"], "role": {}}, False),
        ("x", ["y"], False),
    ],
)
def test_two_persons_entries_contradict_where_they_say_different_things_of_one(
    lesson_trace: Trace, mine: object, theirs: object, contradict: bool
) -> None:
    found = contradictions(lesson_trace, [mine], [theirs])
    assert found == ([(mine, theirs)] if contradict else [])
