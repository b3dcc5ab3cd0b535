"""The numbers against plain loops over the events, and what they call runs whose nature is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipelines import facts_of, run

from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, ROLE_NAMES, Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.shares import role_shares
from visualizer.diagnosis.statistics.statistics import Statistics, statistics
from visualizer.programs.registry import find_program
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.replay.stage_columns import StageState
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture(scope="module")
def two_ctas() -> Trace:
    return run(ctas=2, tiles=10, consumer_delay=400, stages=2)


@pytest.fixture(scope="module")
def facts(two_ctas: Trace) -> Facts:
    return facts_of(two_ctas)


def of(**config: object) -> Statistics:
    return statistics(facts_of(run(**config)))  # type: ignore[arg-type]


def test_waits_are_paired_and_released_as_causality_says(facts: Facts) -> None:
    history, waits, times = facts.history, facts.waits, facts.wait_times
    causality, events = Causality(history), history.trace.events
    begins = np.flatnonzero(events["kind"] == EventKind.WAIT_BEGIN)
    assert sorted(waits.begin.tolist()) == begins.tolist()
    for row in range(len(waits)):
        end = causality.wait_end(int(waits.begin[row]))
        assert (end if end is not None else -1) == waits.end[row]
        release = causality.release_of(int(waits.end[row]))
        assert release is not None
        assert waits.completion[row] == (-1 if release.completion is None else release.completion)
        if times.copy[row] >= 0:
            assert times.cause_step[row] in history.copies.issued[history.copies.by_landing]
            assert events["barrier"][times.cause_step[row]] == waits.barrier[row]


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted))
def test_shares_are_the_sum_of_the_parts_of_waits_in_the_range(facts: Facts, cuts: list[float]) -> None:
    duration = facts.history.trace.duration_ps
    first, middle, last = (round(cut * duration) for cut in cuts)
    whole = role_shares(facts, first, last)
    halves = zip(role_shares(facts, first, middle), role_shares(facts, middle, last), strict=True)
    waits = facts.wait_times
    for role, (left, right) in zip(whole, halves, strict=True):
        assert role.present == left.present + right.present
        assert role.waiting == left.waiting + right.waiting
        total = 0
        for row in np.flatnonzero(waits.role == ROLE_NAMES.index(role.role)).tolist():
            total += max(0, min(int(waits.end[row]), last) - max(int(waits.begin[row]), first))
        assert role.waiting == total
        assert role.busy + role.waiting == role.present


def test_what_a_wait_takes_after_its_phase_completed_is_issue() -> None:
    trace = run(stages=1, tiles=6)
    facts = facts_of(trace)
    waits = facts.wait_times
    producer = next(role for role in role_shares(facts, 0, trace.duration_ps) if role.role == "producer")
    own = waits.role == PRODUCER
    time = trace.events["time"]
    expected = 0
    for row in np.flatnonzero(own).tolist():
        flip = int(facts.waits.completion[row])
        due = max(int(time[flip]), int(waits.begin[row])) if flip >= 0 else int(waits.begin[row])
        expected += int(waits.end[row]) - due
    assert producer.issue == expected > 0
    assert producer.back_pressure == int((waits.end - waits.begin)[own].sum()) - expected
    assert producer.starved == producer.other == 0


@pytest.mark.parametrize("part", [(0.0, 1.0), (0.3, 0.7)])
def test_occupancy_is_the_time_the_spans_of_the_stages_say(facts: Facts, part: tuple[float, float]) -> None:
    history = facts.history
    trace = history.trace
    first, last = (round(cut * trace.duration_ps) for cut in part)
    found = statistics(facts, first, last).occupancy
    total = np.zeros((trace.stages, 4))
    for row in range(trace.ctas * trace.stages):
        spans = history.stage_spans(row)
        for begin, end, state in zip(spans.start, spans.end, spans.state, strict=True):
            total[row % trace.stages, state] += max(0, min(int(end), last) - max(int(begin), first))
    total /= trace.ctas * (last - first)
    assert np.array(found.stages) == pytest.approx(total, abs=1e-9)
    assert found.mean_full == pytest.approx(total[:, [StageState.FULL, StageState.READING]].sum())
    assert sum(found.lead) == pytest.approx(1)
    assert found.mean_lead == pytest.approx(trace.stages - total[:, StageState.EMPTY].sum())


def test_copies_and_tiles_are_those_of_the_range(facts: Facts) -> None:
    trace = facts.history.trace
    first, last = trace.duration_ps // 4, trace.duration_ps // 2
    found = statistics(facts, first, last)
    done = trace.events[(trace.events["kind"] == EventKind.COPY_DONE)]
    landed = done[(done["time"] >= first) & (done["time"] <= last)]
    assert found.latency.count == found.throughput.count == len(landed) > 0
    assert found.landed_bytes == int(landed["amount"].sum())
    flips = trace.events[trace.events["kind"] == EventKind.PHASE_COMPLETE]
    empty = np.array([barrier.kind == "empty" for barrier in trace.barriers])[flips["barrier"]]
    gaps = []
    for cta in range(trace.ctas):
        times = flips["time"][empty & (trace.barrier_cta[flips["barrier"]] == cta)]
        gaps += [int(b - a) for a, b in pairwise(times) if first <= b <= last]
    assert found.per_tile.count == len(gaps)
    assert found.per_tile.median == pytest.approx(np.median(gaps))


def test_a_slow_consumer_is_named() -> None:
    found = of(consumer_delay=3000)
    assert found.bound.kind == "consumer-bound"
    assert f"{found.bound.back_pressure:.0%}" in found.bound.sentence


def test_a_slow_producer_is_named() -> None:
    assert of(producer_delay=6000).bound.kind == "producer-bound"


def test_slow_copies_are_named() -> None:
    assert of(latencies={"copy_latency": 9000.0}).bound.kind == "copy-bound"


def test_nobody_is_named_when_all_keep_pace() -> None:
    assert of(producer_delay=1400).bound.kind == "balanced"


def test_the_critical_path_is_one_stretch_of_time() -> None:
    trace = run(stages=1, tiles=8)
    facts = facts_of(trace)
    for first, last in ((0, trace.duration_ps), (trace.duration_ps // 3, trace.duration_ps // 2)):
        path = statistics(facts, first, last).path
        assert path.begin[0] == first
        assert path.begin[1:].tolist() == path.end[:-1].tolist()
        assert path.end[-1] == trace.events["time"][path.step[-1]] <= last
        assert sum(path.shares.values()) == pytest.approx(1)
    # With one stage nothing overlaps: producer, copy, consumer, and over again.
    assert set(statistics(facts).path.shares) == {"produce", "copy", "consume", "wake"}


def test_the_critical_path_of_a_slow_consumer_is_its_reading() -> None:
    shares = of(consumer_delay=4000).path.shares
    assert next(iter(shares)) == "consume"
    assert shares["consume"] > 0.8


def test_a_tile_that_took_far_longer_is_found() -> None:
    trace = run(consumer_delay=1000)
    events = trace.events.copy()
    late = int(np.flatnonzero((events["kind"] == EventKind.READ_END) & (events["tile"] == 12))[0])
    for column in ("time", "measured"):
        events[column][late:] += 50_000_000
    found = statistics(facts_of(replace(trace, events=events)))
    tiles = [one for one in found.outliers if one.kind == "tile"]
    assert [one.tile for one in tiles] == [12]
    assert tiles[0].duration > 50_000_000 > 10 * tiles[0].median
    assert events["tile"][tiles[0].step] == 12
    assert found.outlier_count >= len(found.outliers)


def test_the_slowest_cta_is_named(two_ctas: Trace) -> None:
    events = two_ctas.events.copy()
    own = two_ctas.agent_cta[events["agent"]] == 1
    for column in ("time", "measured"):
        events[column][own] *= 2
    events = events[np.argsort(events["time"], kind="stable")]
    found = statistics(facts_of(replace(two_ctas, events=events))).ctas
    assert found is not None
    assert (found.ctas, found.slowest) == (2, 1)
    assert two_ctas.agent_cta[events["agent"][found.slowest_step]] == 1
    assert found.per_tile.most == pytest.approx(2 * found.per_tile.least, rel=0.1)


def test_it_says_what_a_recording_cannot_tell() -> None:
    trace = run()
    assert statistics(facts_of(trace)).unknown == ()
    lost = replace(trace, meta=replace(trace.meta, records_lost=3))
    assert "3 events lost" in statistics(facts_of(lost)).unknown[0]
    kinds = trace.events["kind"]
    waits = (kinds == EventKind.WAIT_BEGIN) | (kinds == EventKind.WAIT_END)
    without = statistics(facts_of(replace(trace, events=trace.events[~waits])))
    assert without.bound.kind == "unknown"
    assert any("no waits on mbarriers" in said for said in without.unknown)
    copies = (kinds == EventKind.COPY_ISSUE) | (kinds == EventKind.COPY_DONE)
    without = statistics(facts_of(replace(trace, events=trace.events[~copies])))
    assert any("copy latency" in said for said in without.unknown)
    assert without.latency.as_json() is None


def test_a_wait_that_never_passed_counts_to_the_end() -> None:
    trace = run(tiles=8, consumer_arrivals=97)
    assert trace.meta.ending.kind == "deadlock"
    found = statistics(facts_of(trace))
    assert any("never passed" in said for said in found.unknown)
    facts = facts_of(trace)
    stuck = facts.waits.end < 0
    assert stuck.any()
    assert (facts.wait_times.end[stuck] == trace.duration_ps).all()


def test_tiles_of_a_cluster_belong_to_the_cta_of_their_barrier() -> None:
    """A warp of either CTA may be the last to release a stage of the other."""
    trace = simulate(find_program("cluster"))
    found = statistics(facts_of(trace))
    assert found.ctas is not None
    assert found.ctas.ctas == 2
    flips = trace.events[trace.events["kind"] == EventKind.PHASE_COMPLETE]
    empty = np.array([barrier.kind == "empty" for barrier in trace.barriers])[flips["barrier"]]
    assert found.per_tile.count == int(empty.sum()) - 2


def test_without_mbarriers_it_knows_the_copies_and_says_what_it_does_not() -> None:
    found = statistics(facts_of(simulate(find_program("cp-async"))))
    assert found.bound.kind == "unknown"
    assert found.latency.count > 0
    assert found.per_tile.count > 0
    assert any("no waits on mbarriers" in said for said in found.unknown)


def test_ctas_that_were_not_recorded_do_not_count_as_empty(two_ctas: Trace) -> None:
    own = two_ctas.agent_cta[two_ctas.events["agent"]] == 0
    events = two_ctas.events[own]
    for column in ("time", "measured"):
        events[column] -= events[column][0]
    one = statistics(facts_of(replace(two_ctas, events=events)))
    assert sum(one.occupancy.lead) == pytest.approx(1)
    assert one.occupancy.mean_full == pytest.approx(statistics(facts_of(two_ctas)).occupancy.mean_full, rel=0.2)


def test_an_empty_recording_has_no_numbers() -> None:
    trace = run()
    empty = statistics(find_facts(History(replace(trace, events=trace.events[:0]))))
    assert empty.unknown == ("The recording has no events.",)
    assert empty.per_tile.count == len(empty.path) == 0
    assert empty.as_json()["per_tile_ns"] is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=60))
def test_a_distribution_counts_every_value(values: list[int]) -> None:
    found = Distribution.of(np.array(values))
    assert sum(found.counts) == found.count == len(values)
    assert (found.least, found.most) == (min(values), max(values))
    assert found.least <= found.p5 <= found.median <= found.p95 <= found.most
    assert len(found.edges) == len(found.counts) + 1


def test_starved_consumers_are_those_of_the_role(facts: Facts) -> None:
    assert (facts.wait_times.on_full == (facts.wait_times.role == CONSUMER)).all()
