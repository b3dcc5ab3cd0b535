"""The per-tile table: the lesson's eight rows, hangs, several CTAs, and the steps behind each cell."""

from __future__ import annotations

from typing import Any

import pytest
from naive_replay import cut, run, with_watchdog

from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.history import History
from visualizer.replay.tile_table import tile_table

# tile, stage, pipe_write, empty wait parity, full phase, pipe_read, full wait parity, empty phase: lesson.md
LESSON = [
    (0, 0, (0, 1), 1, [0, 1], (0, 0), 0, [0, 1]),
    (1, 1, (1, 1), 1, [0, 1], (1, 0), 0, [0, 1]),
    (2, 2, (2, 1), 1, [0, 1], (2, 0), 0, [0, 1]),
    (3, 0, (0, 0), 0, [1, 0], (0, 1), 1, [1, 0]),
    (4, 1, (1, 0), 0, [1, 0], (1, 1), 1, [1, 0]),
    (5, 2, (2, 0), 0, [1, 0], (2, 1), 1, [1, 0]),
    (6, 0, (0, 1), 1, [0, 1], (0, 0), 0, [0, 1]),
    (7, 1, (1, 1), 1, [0, 1], (1, 0), 0, [0, 1]),
]


def facts(row: dict[str, Any]) -> tuple[Any, ...]:
    """A JSON row without what timing decides."""
    write, read = row["pipe_write"], row["pipe_read"]
    assert write["count"] == read["count"] == row["tile"]
    return (
        row["tile"],
        row["stage"],
        (write["index"], write["phase"]),
        row["empty_wait"]["parity"],
        row["full_phase"],
        (read["index"], read["phase"]),
        row["full_wait"]["parity"],
        row["empty_phase"],
    )


@pytest.mark.parametrize("config", [{}, {"consumer_delay": 3000}, {"producer_delay": 3000}, {"arrive_per_warp": True}])
def test_the_lessons_table(config: dict[str, Any]) -> None:
    table = tile_table(History(run(**config)))
    assert [facts(row.as_json()) for row in table] == LESSON
    assert [row.empty_wait.blocked for row in table if row.empty_wait][:3] == [False] * 3


def test_a_slow_consumer_blocks_the_producer_and_a_slow_producer_the_consumers() -> None:
    slow_consumer = tile_table(History(run(consumer_delay=5000)))
    assert all(row.empty_wait and row.empty_wait.blocked for row in slow_consumer[3:])
    slow_producer = tile_table(History(run(producer_delay=9000)))
    assert all(row.full_wait and row.full_wait.blocked for row in slow_producer)
    assert not any(row.empty_wait and row.empty_wait.blocked for row in slow_producer)


def test_each_cell_knows_its_steps(lesson_history: History) -> None:
    trace = lesson_history.trace
    for row in tile_table(lesson_history):
        assert row.empty_wait
        assert row.full_wait
        assert row.full_phase
        assert row.empty_phase
        for wait, barrier in ((row.empty_wait, f"empty[{row.stage}]"), (row.full_wait, f"full[{row.stage}]")):
            begin, end = trace.events[wait.begin_step], trace.events[wait.end_step]
            assert (begin["kind"], end["kind"]) == (EventKind.WAIT_BEGIN, EventKind.WAIT_END)
            assert begin["tile"] == end["tile"] == row.tile
            assert trace.barriers[begin["barrier"]].name == barrier
        assert row.empty_wait.blocked == bool(trace.events["flags"][row.empty_wait.end_step] & EventFlag.BLOCKED)
        for flip, barrier in ((row.full_phase, f"full[{row.stage}]"), (row.empty_phase, f"empty[{row.stage}]")):
            event = trace.events[flip.step]
            assert (event["kind"], event["tile"]) == (EventKind.PHASE_COMPLETE, row.tile)
            assert trace.barriers[event["barrier"]].name == barrier
        assert row.empty_wait.end_step < row.full_phase.step < row.empty_phase.step


def test_what_a_hang_left_undone_is_null() -> None:
    for trace in (run(producer_phase=0), with_watchdog(run(producer_phase=0))):
        (row,) = tile_table(History(trace))
        assert row.as_json() == {
            "tile": 0,
            "stage": 0,
            "pipe_write": {"index": 0, "phase": 0, "count": 0},
            "empty_wait": {"parity": 0, "blocked": True},
            "full_phase": None,
            "full_wait": {"parity": 0, "blocked": True},
            "empty_phase": None,
            "pipe_read": {"index": 0, "phase": 0, "count": 0},
        }
        assert row.empty_wait
        assert row.empty_wait.end_step is None


def test_a_tile_nobody_waited_for_yet_has_only_what_happened() -> None:
    trace = run()
    issue = next(s for s, e in enumerate(trace.events) if e["kind"] == EventKind.WAIT_BEGIN and e["tile"] == 1)
    table = tile_table(History(cut(trace, issue + 1)))
    assert [row.tile for row in table] == [0, 1]
    assert table[1].as_json()["full_wait"] is None
    assert table[1].as_json()["pipe_read"] is None


def test_each_cta_has_its_own_table() -> None:
    history = History(run(ctas=3, tiles=7, stages=2))
    for cta in range(3):
        table = tile_table(history, cta)
        assert [row.tile for row in table] == list(range(7))
        assert [row.stage for row in table] == [0, 1, 0, 1, 0, 1, 0]
        steps = [row.full_phase.step for row in table if row.full_phase]
        assert all(history.trace.barriers[history.trace.events["barrier"][step]].cta == cta for step in steps)
    with pytest.raises(IndexError, match=r"CTA 3 is outside 0\.\.2"):
        tile_table(history, 3)


def test_rows_can_be_asked_for_from_either_end_and_in_slices(lesson_history: History) -> None:
    table = tile_table(lesson_history)
    assert len(table) == 8
    assert table[-1] == table[7]
    assert table[2:4] == [table[2], table[3]]
    with pytest.raises(IndexError):
        table[8]
