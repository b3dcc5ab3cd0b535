"""Stages and bytes in flight over time: held against a plain sum over intervals, and against the range's own shares."""

from __future__ import annotations

import numpy as np
import pytest
from simulated import run
from two_ring_traces import two_rings

from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.over_time import BINS, over_time
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.replay.history import History
from visualizer.replay.stage_columns import StageState


@pytest.fixture(scope="module", params=["one ring", "two rings", "three CTAs"])
def facts(request: pytest.FixtureRequest) -> Facts:
    traces = {
        "one ring": lambda: run(tiles=16, consumer_delay=500),
        "two rings": two_rings,
        "three CTAs": lambda: run(tiles=16, ctas=3),
    }
    return find_facts(History(traces[request.param]()))


def _ranges(facts: Facts) -> list[tuple[int, int]]:
    whole = facts.history.trace.duration_ps
    return [(0, whole), (whole // 3, whole // 2), (whole // 3, whole // 3 + 1000)]


def test_the_bytes_in_flight_are_those_of_a_plain_sum(facts: Facts) -> None:
    copies = facts.copies
    for first, last in _ranges(facts):
        found = over_time(facts, first, last)
        assert len(found.edges) == BINS + 1
        for row in range(0, BINS, 7):
            begin, end = found.edges[row], found.edges[row + 1]
            within = np.clip(np.minimum(copies.landed, end) - np.maximum(copies.issued, begin), 0, None)
            mean = (within * copies.amount).sum() / (end - begin)
            assert found.bytes_mean[row] == pytest.approx(mean, abs=1e-3)
            times = [begin, *(time for time in copies.issued.tolist() if begin <= time < end)]
            open_then = [copies.amount[(copies.issued <= time) & (copies.landed > time)].sum() for time in times]
            assert found.bytes_most[row] == pytest.approx(max(*open_then, mean), abs=1e-3)


def test_the_stages_average_to_the_occupancy_of_the_range(facts: Facts) -> None:
    for first, last in _ranges(facts)[:2]:
        found, shares = over_time(facts, first, last), statistics(facts, first, last).occupancy
        stages = len(shares.stages)
        assert found.stages.sum(axis=0) == pytest.approx(np.full(BINS, stages))
        assert found.stages.mean(axis=1) == pytest.approx(np.array(shares.states) * stages, abs=1e-6)
        assert found.stages[StageState.FULL].max() > 0


def test_a_range_of_no_length_has_no_bins(facts: Facts) -> None:
    found = over_time(facts, 1000, 1000)
    assert (len(found.edges), found.stages.shape, len(found.bytes_most)) == (0, (4, 0), 0)


def test_blocked_waits_are_counted_by_cause(facts: Facts) -> None:
    found, waits = statistics(facts), facts.wait_times
    ended = int((waits.blocked & (facts.waits.over >= 0)).sum())
    causes = (found.waits.back_pressure, found.waits.starved, found.waits.other)
    assert sum(cause.count for cause in causes) == ended > 0
    document = found.as_json()["blocked_waits_ns"]
    assert list(document) == ["back_pressure", "starved", "other"]
    for told, cause in zip(document.values(), causes, strict=True):
        assert (told["count"] if told else 0) == cause.count
