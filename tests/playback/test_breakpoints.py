"""Breakpoints: their hits, the way from hit to hit, and what "break here" means."""

from __future__ import annotations

import numpy as np
from pane_testing import hand_history

from visualizer.playback.breakpoints import Breakpoint, Breakpoints, evaluated, nearest_hit, query_at
from visualizer.playback.query.events import Events


def _evaluated(*queries: str) -> Breakpoints:
    events = Events(hand_history())
    breakpoints = Breakpoints()
    for query in queries:
        breakpoints.put(evaluated(Breakpoint(query), events))
    return breakpoints


def test_the_hits_of_all_enabled_ones_are_one_ascending_list() -> None:
    breakpoints = _evaluated("kind == phase_complete", "barrier == full[0] and tile == 0", "estimated")
    assert breakpoints.hits().tolist() == [7, 8, 9, 10, 18, 19, 20, 21, 22, 23, 32, 35, 36]
    breakpoints.enable(1, False)
    assert breakpoints.hits().tolist() == [20, 32, 35, 36]
    breakpoints.enable_all(False)
    assert breakpoints.hits().tolist() == []
    assert not breakpoints.any_enabled


def test_the_nearest_hit_is_that_of_all_enabled_ones() -> None:
    breakpoints = _evaluated("kind == phase_complete", "barrier == full[0] and tile == 0", "estimated")
    for enabled in (True, False):
        breakpoints.enable(1, enabled)
        for direction in (-1, 1):
            for step in range(40):
                assert breakpoints.nearest(step, direction) == nearest_hit(breakpoints.hits(), step, direction)
    breakpoints.enable_all(False)
    assert breakpoints.nearest(5, 1) is None


def test_a_query_is_kept_once() -> None:
    breakpoints = _evaluated("estimated", "derived", "estimated")
    assert [one.query for one in breakpoints] == ["estimated", "derived"]
    breakpoints.remove(0)
    assert breakpoints.row_of("estimated") is None
    assert breakpoints.row_of("derived") == 0


def test_a_query_that_does_not_fit_the_recording_says_so() -> None:
    (one,) = _evaluated("barrier == full[9]")
    assert one.hits.tolist() == []
    assert "no barrier full[9]" in one.problem


def test_hits_not_counted_yet_count_as_none() -> None:
    breakpoints = Breakpoints()
    breakpoints.put(Breakpoint("blocked"))
    assert breakpoints.hits().tolist() == []


def test_the_nearest_hit_is_never_the_event_itself() -> None:
    hits = np.array([3, 7, 9])
    assert [nearest_hit(hits, step, 1) for step in (0, 3, 8, 9)] == [3, 7, 9, None]
    assert [nearest_hit(hits, step, -1) for step in (10, 9, 4, 3)] == [9, 7, 3, None]
    assert nearest_hit(hits[:0], 5, 1) is None


def test_break_here_hits_the_event_it_was_asked_at() -> None:
    history = hand_history()
    for step in range(history.steps):
        query = query_at(history, step)
        assert step in evaluated(Breakpoint(query), Events(history)).hits, query
    assert query_at(history, 20) == 'barrier == "full[0]" and kind == phase_complete'
    assert query_at(history, 24) == 'site == "kernels/async_pipeline.cu:7" and kind == read_begin'
    assert query_at(history, 11) == 'agent == "producer" and kind == advance'
