"""StepIndex against a plain search, for any distribution of rows over entities."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.replay import indexed_rows, step_index
from visualizer.replay.kinds import kind_mask, of_kinds
from visualizer.replay.step_index import StepIndex, rows_where, stable_order

ROWS = st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=80)
"""At each step the entity that has a row there, or none."""


def build(rows: list[int | None]) -> StepIndex:
    steps = np.array([step for step, entity in enumerate(rows) if entity is not None], np.int64)
    entity = np.array([entity for entity in rows if entity is not None], np.int32)
    return StepIndex.build(entity, steps, 6, len(rows))[0]


def steps_of(rows: list[int | None], entity: int) -> list[int]:
    return [step for step, held in enumerate(rows) if held == entity]


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_look_ups_agree_with_a_plain_search(rows: list[int | None]) -> None:
    index = build(rows)
    for entity in range(6):
        assert index.steps(entity).tolist() == steps_of(rows, entity)
    for step in range(len(rows)):
        latest = index.step_at(index.last_at(step)).tolist()
        for entity in range(6):
            own = steps_of(rows, entity)
            assert latest[entity] == max((s for s in own if s <= step), default=-1)
            assert index.before(entity, step) == max((s for s in own if s < step), default=None)
            assert index.after(entity, step) == min((s for s in own if s > step), default=None)
            assert index.between(entity, step, step + 7)[1].tolist() == [s for s in own if step <= s < step + 7]


@settings(max_examples=80, deadline=None)
@given(ROWS, st.lists(st.integers(0, 5), max_size=9), st.sampled_from((2, 1 << 14)))
def test_some_entities_alone_are_found_where_all_are(rows: list[int | None], some: list[int], many: int) -> None:
    index, entities = build(rows), np.array(some, np.int64)
    with mock.patch.object(step_index, "_MANY_ENTITIES", many):
        for step in range(len(rows)):
            np.testing.assert_array_equal(index.last_of(entities, step), index.last_at(step)[entities])


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 5)), min_size=1, max_size=80), st.integers(1, 9))
def test_rows_found_again_in_the_columns_are_those_that_would_be_listed(
    events: list[tuple[int, int]], block: int
) -> None:
    kind, entity = np.array([kind for kind, _ in events], np.uint8), np.array([own for _, own in events], np.int16)
    value = np.arange(len(events)) * 10
    chosen = np.flatnonzero((kind != 2) & (entity >= 0))
    for mask in (kind_mask(0, 1, 3), ~kind_mask(2)):
        with mock.patch.object(indexed_rows, "_BLOCK", block):
            index, (own,) = StepIndex.of_kinds(kind, mask, entity, 6, value)
            listed, (theirs,) = StepIndex.build(entity[chosen], chosen, 6, len(events), value[chosen])
        np.testing.assert_array_equal(own, theirs)
        np.testing.assert_array_equal(index.keys, listed.keys)
        for step in range(len(events)):
            np.testing.assert_array_equal(index.last_at(step), listed.last_at(step))


def test_many_steps_between_blocks_keep_the_latest_row() -> None:
    random = np.random.default_rng(3)
    length, entities = 200_000, 50
    steps = np.flatnonzero(random.random(length) < 0.4)
    entity = random.integers(0, entities, len(steps))
    index, (order,) = StepIndex.build(entity, steps, entities, length, np.arange(len(steps)))
    for step in (0, 1, 4095, 4096, 99_999, length - 1):
        latest = index.step_at(index.last_at(step))
        for row in range(entities):
            own = steps[(entity == row) & (steps <= step)]
            assert latest[row] == (own[-1] if len(own) else -1)
    assert (np.diff(index.keys) > 0).all()
    np.testing.assert_array_equal(index.keys % length, steps[order])


@pytest.mark.parametrize("direction", [1, -1])
def test_nearest_finds_the_next_accepted_row_however_far(direction: int) -> None:
    index, _ = StepIndex.build(np.zeros(10_000, np.int32), np.arange(10_000), 1, 10_000)
    wanted = {7, 9_990}
    found = index.nearest(0, 5_000, direction, lambda steps: np.isin(steps, list(wanted)))
    assert found == (9_990 if direction > 0 else 7)
    assert index.nearest(0, 5_000, direction, lambda steps: steps < 0) is None


def test_ids_beyond_16_bits_are_sorted_as_well() -> None:
    entity = np.array([70_000, 3, 65_536, 3, 70_000, 0], np.int64)
    assert stable_order(entity, 70_001).tolist() == [5, 1, 3, 2, 0, 4]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=60), st.sampled_from((10, 70_000, 1 << 31)))
def test_the_order_of_entities_is_a_stable_sort(entity: list[int], entities: int) -> None:
    rows = np.array(entity, np.int64) * (entities // 10)
    assert stable_order(rows, entities).tolist() == np.argsort(rows, kind="stable").tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=60))
def test_rows_are_found_piece_by_piece(kinds: list[int]) -> None:
    column = np.array(kinds, np.uint8)
    with mock.patch.object(step_index, "_STEPS_AT_ONCE", 7):
        chosen = of_kinds(column, kind_mask(1, 4))
        steps, own = rows_where(chosen, column)
    assert chosen.tolist() == [kind in (1, 4) for kind in kinds]
    assert steps.tolist() == np.flatnonzero(chosen).tolist()
    assert own.tolist() == column[chosen].tolist()
    assert own.dtype == column.dtype
