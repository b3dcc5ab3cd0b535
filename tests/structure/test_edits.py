"""What a person asks for becomes an entry that does just that, in every CTA."""

from __future__ import annotations

from typing import Any

from two_ring_traces import STAGES, two_rings

from visualizer.programs.registry import find_program
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.edits import exchange, free_name, join, lay_out, rename, set_kind, set_role, split, zip_stages
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.structure.model import Structure

TOLD = two_rings(8, ctas=2)
STRANGER = forget(TOLD)
K, V = structure_of(STRANGER).of_cta(0)


def after(*entries: dict[str, Any]) -> Structure:
    found = structure_of(STRANGER, entries)
    assert not found.problems
    return found


def shape(found: Structure) -> list[list[tuple[str, int]]]:
    """Names and stages of each CTA's rings."""
    return [sorted((ring.name, ring.stages) for ring in found.of_cta(cta)) for cta in range(2)]


def test_rename() -> None:
    assert shape(after(rename(K.name, "k"))) == [[("k", 3), ("ring1", 2)]] * 2


def test_rings_are_joined_one_after_the_other() -> None:
    found = after(join(STRANGER, [K, V]))
    assert shape(found) == [[("ring0", 5)]] * 2
    assert found.of_cta(0)[0].full == K.full + V.full
    assert found.of_cta(0)[0].empty == K.empty + V.empty


def test_rings_are_joined_stage_by_stage() -> None:
    head = lay_out(STRANGER, "head", K.full[:2], K.empty[:2])
    split_off = after(head)
    rings = [split_off.rings[split_off.row(0, name)] for name in ("head", V.name)]
    found = after(head, zip_stages(STRANGER, rings))
    ring = found.rings[found.row(1, "head")]
    assert [len(stage) for stage in ring.full + ring.empty] == [2] * 4
    assert shape(found) == [[("head", 2), ("ring0", 1)]] * 2


def test_a_ring_is_split_and_joined_again() -> None:
    apart = split(STRANGER, structure_of(STRANGER), K, 1)
    found = after(apart)
    assert shape(found) == [[("ring0", 1), ("ring1", 2), ("ring2", 2)]] * 2
    again = join(STRANGER, [found.rings[found.row(0, "ring0")], found.rings[found.row(0, "ring2")]])
    assert after(apart, again).of_cta(1)[0].full == structure_of(STRANGER).of_cta(1)[0].full


def test_a_ring_without_empty_barriers_joins_one_with_them() -> None:
    alone = lay_out(STRANGER, "alone", K.full[2:], [()])
    assert "empty" not in alone
    found = after(alone)
    both = [found.rings[found.row(0, name)] for name in ("alone", V.name)]
    ring = after(alone, join(STRANGER, both)).of_cta(0)[-1]
    assert [len(stage) for stage in ring.empty] == [0, 1, 1]


def test_full_and_empty_are_exchanged() -> None:
    ring = after(exchange(STRANGER, K)).rings[0]
    assert {ring.full, ring.empty} == {K.full, K.empty}
    assert after(exchange(STRANGER, K)).kinds[K.full[0][0]] == "empty"


def test_kinds_and_roles() -> None:
    turns = [K.full[0][0], K.empty[0][0]]
    assert after(set_kind(STRANGER, turns, "order")).turns[0] == tuple(turns)
    assert after(set_kind(STRANGER, turns, "unknown")).kinds[turns[0]] == "other"
    found = after(set_role(STRANGER, [0], "mma"))
    of = {agent.name: role for agent, role in zip(STRANGER.agents, found.roles, strict=True)}
    assert {of[f"CTA{cta}.producer"] for cta in range(2)} == {"mma"}


def test_entries_name_no_cta_and_hold_where_barriers_have_names() -> None:
    told = structure_of(TOLD)
    entry = split(TOLD, told, told.rings[told.row(1, "K")], 1)
    assert entry == {
        "ring": free_name(told),
        "full": ["K.full[1]", "K.full[2]"],
        "empty": ["K.empty[1]", "K.empty[2]"],
    }
    assert shape(structure_of(TOLD, [entry])) == [[("K", STAGES["K"] - 2), ("V", 2), ("ring0", 2)]] * 2


def test_a_ring_that_was_told_without_a_name_is_named_and_laid_out_like_any() -> None:
    lesson = simulate(find_program("lesson"))
    (ring,) = structure_of(lesson).rings
    for entry, names in (
        (rename(ring.name, "kv"), ["kv"]),
        (exchange(lesson, ring), [""]),
        (split(lesson, structure_of(lesson), ring, 1), ["", "ring0"]),
    ):
        found = structure_of(lesson, [entry])
        assert not found.problems
        assert [one.name for one in found.rings] == names
