"""Predictions against runs of what was predicted, in the simulator, whose runs the model has never seen."""

from __future__ import annotations

import importlib
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pipelines import facts_of, run

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.measured import measure
from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.predict.steady import measured_per_tile
from visualizer.programs.faults import FAULTS
from visualizer.programs.registry import find_program
from visualizer.recording.schema import EventKind
from visualizer.sources.simulator.simulate import simulate

SLOW_COPIES = {"copy_latency": 3000.0, "copy_bandwidth": 12.0}


def measured(**config: Any) -> float:
    per_tile = measured_per_tile(facts_of(run(**{"tiles": 64, **config})))
    assert per_tile is not None
    return per_tile


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"consumer_delay": 1500},
        {"producer_delay": 2500},
        {"latencies": SLOW_COPIES},
        {"ctas": 2, "arrive_per_warp": True},
        {"tile_columns": 128, "consumer_warps": 5},
    ],
    ids=["lesson", "slow consumer", "slow producer", "slow copies", "two CTAs", "two boxes"],
)
def test_every_stage_count_is_predicted_from_three(config: dict[str, Any]) -> None:
    facts = facts_of(run(**{"tiles": 64, "stages": 3, **config}))
    found = predict(facts, range(1, 7))
    for point in found.points:
        assert point.per_tile == pytest.approx(measured(**{**config, "stages": point.stages}), rel=0.05)


def test_another_consumer_delay_is_predicted() -> None:
    facts = facts_of(run(tiles=64, consumer_delay=500))
    for delay in (0, 2000):
        found = predict(facts, [3], consumer_delay_ns=delay)
        assert found.points[0].per_tile == pytest.approx(measured(consumer_delay=delay), rel=0.03)
        assert not found.is_of_the_recorded_run


def test_another_copy_time_is_predicted() -> None:
    facts = facts_of(run(tiles=64))
    slow = run(tiles=64, stages=2, latencies={"copy_latency": 5000.0})
    copy_ns = measure(facts_of(slow)).copy_time / 1000
    found = predict(facts, [2], copy_time_ns=copy_ns)
    assert found.points[0].per_tile == pytest.approx(measured_per_tile(facts_of(slow)), rel=0.05)


def test_copies_that_share_the_engine_set_the_pace() -> None:
    """However many stages: the engine's bandwidth, seen in overlapping copies, is the floor."""
    facts = facts_of(run(tiles=64, stages=4, latencies={"copy_bandwidth": 4.0}))
    found = predict(facts, [4, 8])
    assert measure(facts).engine > 0
    assert found.points[1].per_tile == pytest.approx(found.points[0].per_tile, rel=0.05)


def test_the_knee_is_the_fewest_stages_that_do_as_well() -> None:
    found = predict(facts_of(run(tiles=64, latencies={"copy_latency": 3000.0})))
    best = min(point.per_tile for point in found.points)
    knee = found.at(found.knee)
    assert knee is not None
    assert found.knee > 2
    assert knee.per_tile <= best * 1.02
    assert all(point.per_tile > best * 1.02 for point in found.points if point.stages < found.knee)


def test_the_knee_fits_in_shared_memory() -> None:
    facts = facts_of(run(tile_rows=256, tile_columns=128, stages=2, tiles=16, latencies={"copy_latency": 90_000.0}))
    found = predict(facts)
    assert [point.stages for point in found.points if not point.fits] == [4, 5, 6, 7, 8]
    assert found.knee == 3
    assert any("not enough shared memory" in note for note in found.notes)


def test_a_short_recording_is_enough() -> None:
    """The lesson's eight tiles, of which the warm-up and the last are left out."""
    found = predict(facts_of(run(tiles=8)), [1, 3])
    assert found.points[0].per_tile == pytest.approx(measured(stages=1), rel=0.05)
    assert found.points[1].per_tile == pytest.approx(measured(stages=3), rel=0.05)
    assert found.points[0].p5 > 0


def test_too_few_tiles_are_refused() -> None:
    with pytest.raises(PredictError, match="a prediction needs 4: record more tiles"):
        predict(facts_of(run(tiles=3)))


@pytest.mark.parametrize("program", ["lesson", "baseline"])
def test_copies_of_tiles_that_nobody_waits_for_are_refused_in_words(program: str) -> None:
    """F28: the producer waits for nothing, so it fills tiles that no consumer comes to."""
    with pytest.raises(PredictError, match="a prediction needs"):
        predict(facts_of(simulate(find_program(program, fault="F28"))))


@pytest.mark.parametrize("side", ["full", "empty"])
def test_a_recording_without_one_side_of_the_pipeline_is_refused(side: str) -> None:
    trace = run()
    kind_of_barrier = np.array([barrier.kind for barrier in trace.barriers] + [""])
    waits = np.isin(trace.events["kind"], (EventKind.WAIT_BEGIN, EventKind.WAIT_END))
    kept = ~(waits & (kind_of_barrier[trace.events["barrier"]] == side))
    with pytest.raises(PredictError, match="no waits on full and empty barriers"):
        predict(facts_of(replace(trace, events=trace.events[kept])))


def test_json_holds_every_point_and_the_knee() -> None:
    found = predict(facts_of(run(tiles=16)), range(1, 4))
    document = found.as_json()
    assert [row["stages"] for row in document["predicted"]] == [1, 2, 3]
    assert document["knee"] in (1, 2, 3)
    assert document["recorded"]["stages"] == 3
    assert document["recorded"]["consumer_delay_ns"] == document["consumer_delay_ns"] == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_recording_with_a_mistake_is_predicted_or_refused_in_words(fault: str) -> None:
    facts = facts_of(simulate(find_program(fault=fault)))
    with suppress(PredictError):
        assert predict(facts).points


def test_times_that_contradict_one_another_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of a damaged recording may: a tile would end before the one before it."""
    module = importlib.import_module("visualizer.diagnosis.predict.predict")
    monkeypatch.setattr(module, "per_tile", lambda times: -1.0)
    with pytest.raises(PredictError, match="less than no time"):
        predict(facts_of(run()))
