"""Verify: what runs, with what, and what is refused before anything does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pipelines import facts_of, run

from visualizer.diagnosis.predict import verify as module
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.predict.verify import check_verifiable, choose_source, verify
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.recording.file import load
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.resources import shipped_recording
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.lesson import launcher
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.registry import check
from visualizer.sources.simulator.simulate import simulate
from visualizer.sources.source import Request


def test_the_simulator_measures_what_was_predicted() -> None:
    trace = run(tiles=16, seed=7, latencies={"copy_latency": 2000.0})
    prediction = predict(facts_of(trace), range(1, 4))
    found = verify(trace, prediction, "simulator")
    assert (found.source, found.tiles, found.note) == ("simulator", 64, "")
    rows = found.as_json(prediction)["runs"]
    assert [row["stages"] for row in rows] == [1, 2, 3]
    assert all(abs(row["error"]) < 0.05 for row in rows)


def test_only_the_stage_counts_asked_for_are_run() -> None:
    trace = run(tiles=16)
    assert list(verify(trace, predict(facts_of(trace)), "simulator", stages=[2]).per_tile) == [2]


def test_a_gpu_is_used_if_one_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(tiles=16)
    ran: list[LessonConfig] = []
    with_options: list[GpuOptions] = []

    def record_gpu(config: LessonConfig, options: GpuOptions, **_: Any) -> Trace:
        ran.append(config)
        with_options.append(options)
        return run(**{**config.as_dict(), "tiles": 16})

    monkeypatch.setattr("visualizer.sources.runner.find_gpu.find_gpu", lambda: {"gpu": "H200"})
    monkeypatch.setattr(launcher, "record_gpu", record_gpu)
    found = verify(trace, predict(facts_of(trace), [1, 2]))
    assert found.source == "gpu"
    assert [(config.stages, config.tiles) for config in ran] == [(1, 64), (2, 64)]
    assert {(options.check, options.level) for options in with_options} == {("exact", None)}


def test_the_gpu_logs_and_checks_as_the_recording_did(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(tiles=16)
    trace.meta.check["mode"] = "checksum"
    events = trace.events.copy()
    events["flags"][events["kind"] == EventKind.ARRIVE] |= int(EventFlag.HAS_TOKEN)
    seen: list[GpuOptions] = []

    def record_gpu(config: LessonConfig, options: GpuOptions, **_: Any) -> Trace:
        seen.append(options)
        return run(tiles=16)

    monkeypatch.setattr(launcher, "record_gpu", record_gpu)
    verify(replace(trace, events=events), predict(facts_of(trace), [3]), "gpu")
    assert [(options.check, options.level) for options in seen] == [("checksum", "words")]


@pytest.mark.parametrize(
    ("name", "ring", "counts", "asked"),
    [
        ("multicast", None, [2, 3, 4], [{"tiles": 12, "ctas": 4, "stages": count} for count in (2, 3, 4)]),
        ("gemm", None, [1, 3, 4, 5], [{"stages": 3}, {"stages": 4}]),
        ("pingpong", None, [2, 6], [{"ctas": 2, "stages": 2}]),
        ("attention", "load_v", [2, 4, 5], [{"k_stages": 2, "v_stages": count} for count in (2, 4)]),
    ],
)
def test_a_kernel_of_ours_is_recorded_again_with_other_stages(
    name: str,
    ring: str | None,
    counts: list[int],
    asked: list[dict[str, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On the GPU, with its sizes, only as many stages as fit; what comes back is timed as the prediction is."""
    trace = load(shipped_recording(name))
    requests: list[Request] = []

    def record(source: str, request: Request, **_: Any) -> Trace:
        check(source, request)
        requests.append(request)
        return trace

    monkeypatch.setattr(module, "record", record)
    prediction = predict(find_facts(History(trace)), counts, ring=ring)
    found = verify(trace, prediction)
    assert [request.parameters for request in requests] == asked
    assert {request.program for request in requests} == {name}
    assert (found.source, found.machine, found.note) == ("gpu", "NVIDIA H200", "")
    assert found.tiles == {"multicast": 12, "gemm": 16, "pingpong": 64, "attention": 8}[name]
    assert set(found.per_tile.values()) == {prediction.recorded_per_tile}
    with pytest.raises(PredictError, match=f"{name} as recorded can be run with other stages by --source gpu only"):
        verify(trace, prediction, "simulator")


def test_a_run_whose_ring_is_not_recognised_has_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, other = load(shipped_recording("attention")), load(shipped_recording("gemm"))
    answers = iter((other, trace))
    monkeypatch.setattr(module, "record", lambda *_, **__: next(answers))
    found = verify(trace, predict(find_facts(History(trace)), [1, 3], ring="load_k"))
    assert list(found.per_tile) == [3]
    assert found.note.startswith("stages 1: it ran, but the time per tile is not known: no ring load_k was found")


@pytest.mark.parametrize(
    ("name", "parameters", "ring", "counts"),
    [
        ("gemm", {}, None, [3, 4]),
        ("pingpong", {"stages": 4}, None, [3, 4, 5]),
        ("multicast", {"tiles": 32}, None, [2, 3, 4]),
        ("attention", {"tiles": 24}, "k", [1, 2, 3]),
        ("attention", {"tiles": 24, "k_stages": 1}, "v", [2, 3, 4]),
    ],
)
def test_a_simulated_kernel_is_simulated_again_with_other_stages(
    name: str, parameters: dict[str, int], ring: str | None, counts: list[int]
) -> None:
    """As long as it was and with its other ring as it was: the prediction played that run."""
    trace = simulate(find_program(name, parameters), seed=3)
    prediction = predict(facts_of(trace), counts, ring=ring)
    found = verify(trace, prediction)
    assert (found.source, found.note) == ("simulator", "")
    assert found.tiles == {"gemm": 8, "pingpong": 32, "multicast": 32, "attention": 24}[name]
    assert list(found.per_tile) == counts
    for point in prediction.points:
        assert point.per_tile == pytest.approx(found.per_tile[point.stages], rel=0.03), point.stages
    assert found.per_tile[prediction.recorded_stages] == prediction.recorded_per_tile
    with pytest.raises(PredictError, match=f"{name} as recorded can be run with other stages by --source simulator"):
        verify(trace, prediction, "gpu")


def test_a_simulated_kernel_has_the_stages_that_its_kernel_has_room_for() -> None:
    gemm = predict(facts_of(simulate(find_program("gemm"))), range(1, 7))
    assert {point.stages: point.fits for point in gemm.points} == {2: True, 3: True, 4: True, 5: False, 6: False}
    assert [note for note in gemm.notes if "shared memory" in note] == [
        "From 5 stages on, a CTA has not enough shared memory for tiles of this size."
    ]
    attention = predict(facts_of(simulate(find_program("attention", {"tile_columns": 128}))), range(2, 6), ring="v")
    assert [point.fits for point in attention.points] == [True, True, True, False]


def test_a_strangers_kernel_of_the_same_name_is_not_run() -> None:
    """It tells no sizes; nor are sizes believed that are none."""
    trace = load(shipped_recording("gemm"))
    prediction = predict(find_facts(History(trace)), [3])
    for config, said in (
        ({}, "gemm cannot be run with other stages"),
        ({"m": "128; rm"}, "gemm cannot be run with other stages"),
        ({"m": 100}, "cannot be run again: --m is 100"),
        ({"q": 1}, "cannot be run again: gemm has no parameter --q"),
        ({**trace.meta.config, "fault": "F01"}, "without a fault"),
    ):
        with pytest.raises(PredictError, match=said):
            check_verifiable(replace(trace.meta, config=config), prediction)
    with pytest.raises(PredictError, match="gemm has no consumer delay to be run with"):
        check_verifiable(trace.meta, predict(find_facts(History(trace)), [3], consumer_delay_ns=10))


def test_without_a_gpu_the_simulator_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise SourceError("no GPU")

    monkeypatch.setattr("visualizer.sources.runner.find_gpu.find_gpu", refuse)
    assert choose_source() == "simulator"


def test_a_measured_recording_is_not_held_against_the_simulator() -> None:
    trace = run(tiles=16)
    trace.meta.source.clear()
    trace.meta.source["kind"] = "gpu"
    assert "not this recording's" in verify(trace, predict(facts_of(trace), [1]), "simulator").note


def test_other_programs_and_other_copy_times_are_refused() -> None:
    trace = run(tiles=16)
    facts = facts_of(trace)
    with pytest.raises(PredictError, match="another copy time cannot be verified"):
        check_verifiable(trace.meta, predict(facts, copy_time_ns=900))
    trace.meta.config["fault"] = "F06"
    with pytest.raises(PredictError, match="without a fault"):
        check_verifiable(trace.meta, predict(facts))


def test_it_stops_between_runs_when_told_to() -> None:
    trace = run(tiles=16)
    seen: list[str] = []
    with pytest.raises(Cancelled):
        verify(
            trace,
            predict(facts_of(trace)),
            "simulator",
            progress=lambda fraction, what: seen.append(what),
            cancelled=lambda: len(seen) > 1,
        )
    assert seen == ["looking for a GPU", "running 1 of 8 stage counts"]


def test_a_run_that_does_not_complete_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = run(tiles=8, consumer_arrivals=97)
    monkeypatch.setattr(module, "simulate", lambda *_, **__: stuck)
    trace = run(tiles=16)
    with pytest.raises(PredictError, match="the run with 1 stages ended with deadlock"):
        verify(trace, predict(facts_of(trace)), "simulator")
