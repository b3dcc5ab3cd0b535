"""The four kernels with other stages: played again from one run, held against simulated runs that the model never saw.

Recorded on an H200 they are played again too; there nothing has been run with other stages to hold it against.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_programs import random_program
from recording_files import shipped_history

from tests.structure.random_kernels import random_kernel
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.play import play
from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.predict.recorded_waits import record_waits
from visualizer.diagnosis.predict.steady import per_tile
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.programs import attention, gemm, multicast, pingpong
from visualizer.programs.blackwell import program as blackwell
from visualizer.programs.cluster import cluster
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

SLOW_COPIES = {"copy_latency": 6000.0}
"""So that a stage more is worth something."""
STAGES = {"multicast": 3, "gemm": 4, "pingpong": 4, "attention K": 2, "attention V": 3}
DOCS = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")
KERNELS: dict[str, tuple[str, Callable[[int], Program]]] = {
    "multicast": ("", lambda stages: multicast.multicast(LessonConfig(tiles=32, stages=stages))),
    "gemm": ("", lambda stages: gemm.program(stages, k_tiles=32)),
    "pingpong": ("", pingpong.program),
    "attention K": ("k", lambda stages: attention.attention(tiles=24, k_stages=stages)),
    "attention V": ("v", lambda stages: attention.attention(tiles=24, v_stages=stages)),
}
"""By name: the ring whose stages are others, and the program with so many."""
RECORDED = [
    (name, ring) for name in ("multicast", "multicast-pair", "gemm", "pingpong", "lesson", "four-ctas") for ring in (0,)
] + [("attention", 0), ("attention", 1)]


def run(name: str, stages: int, latencies: dict[str, Any] | None = None) -> Trace:
    return simulate(KERNELS[name][1](stages), latencies=Latencies(**(latencies or {})))


def ring_row(facts: Facts, name: str) -> int:
    return [ring.name for ring in facts.rings].index(KERNELS[name][0])


def measured(trace: Trace, name: str) -> float:
    facts = find_facts(History(trace))
    return per_tile(record_waits(facts, ring_row(facts, name)).released_time)


@pytest.mark.parametrize("latencies", [{}, SLOW_COPIES], ids=["usual copies", "slow copies"])
@pytest.mark.parametrize(("name", "stages"), STAGES.items())
def test_a_stage_more_or_less_is_predicted(name: str, stages: int, latencies: dict[str, Any]) -> None:
    """Within 3 %, and as docs/statistics.md says."""
    facts = find_facts(History(run(name, stages, latencies)))
    found = predict(facts, range(stages - 1, stages + 2), ring=KERNELS[name][0] or None)
    less, same, more = found.points
    assert same.per_tile == pytest.approx(found.recorded_per_tile, rel=1e-9)
    row = f"| {name}, {stages} stages{', slow copies' if latencies else ''} | {same.per_tile / 1000:.0f} ns |"
    for point in (less, more):
        simulated = measured(run(name, point.stages, latencies), name)
        assert point.per_tile == pytest.approx(simulated, rel=0.03), point.stages
        error = point.per_tile / simulated - 1
        row += f" {point.per_tile / 1000:.0f} ns | {simulated / 1000:.0f} ns | {error * 100:+.1f} % |"
    assert row in DOCS


@pytest.mark.parametrize("name", ["multicast", "gemm", "pingpong", "attention"])
def test_the_four_kernels_compared_are_as_the_docs_say(name: str) -> None:
    facts = find_facts(shipped_history(name))
    numbers = statistics(facts)
    consumers = next(role for role in numbers.roles if role.role == "consumer")
    waits = [consumers.share(part) for part in (consumers.starved, consumers.other)]
    rows = [f"| {name} | {numbers.bound.kind} | {numbers.bound.back_pressure:.0%} | {waits[0]:.0%} | {waits[1]:.0%} |"]
    for ring in facts.rings if name == "attention" else facts.rings[:1]:
        if ring.name == "ring2":
            continue
        same, more = predict(facts, [ring.stages, ring.stages + 1], ring=ring.name).points
        fits = "yes" if more.fits else "no"
        change = (more.per_tile / same.per_tile - 1) * 100
        rows.append(
            f"| {name} `{ring.name}` | {ring.stages} | {same.per_tile / 1000:.0f} ns | {more.per_tile / 1000:.0f} ns |"
            f" {change + 0.0:+.1f} % | {fits} |"
        )
    assert [row for row in rows if row not in DOCS] == []


@pytest.mark.parametrize("name", ["gemm", "pingpong"])
def test_too_few_stages_never_end_and_get_no_figure(name: str) -> None:
    """A warpgroup releases a stage only once it has begun to wait for the next."""
    assert run(name, 1).meta.ending.kind != "completed"
    found = predict(find_facts(History(run(name, 4))), range(1, 4), ring=KERNELS[name][0] or None)
    assert [point.stages for point in found.points] == [2, 3]
    assert "With 1 stage some waits would never end." in found.notes
    with pytest.raises(PredictError, match="with none of the stage counts asked for"):
        predict(find_facts(History(run(name, 4))), [1], ring=KERNELS[name][0] or None)


@pytest.mark.parametrize(("name", "row"), RECORDED)
def test_with_the_recorded_stages_every_time_is_as_recorded(name: str, row: int) -> None:
    recorded = record_waits(find_facts(shipped_history(name)), row)
    played = play(recorded, recorded.stages)
    assert played is not None
    assert played.shape[0] > 0
    np.testing.assert_allclose(played, recorded.released_time, rtol=0, atol=1e-3)


def test_what_an_h200_recorded_is_predicted_or_refused_in_words() -> None:
    """Whether a stage more fits: gemm has 4 of 48 KiB beside its results, which 5 leave no room for; 6 of pingpong's 32
    would fit alone, but not beside its results."""
    facts = {name: find_facts(shipped_history(name)) for name in ("gemm", "pingpong", "attention")}
    assert [point.fits for point in predict(facts["gemm"], [4, 5]).points] == [True, False]
    assert [point.fits for point in predict(facts["pingpong"], [5, 6]).points] == [True, False]
    with pytest.raises(PredictError, match=r"several rings in a CTA \(load_k, load_v\): .*--ring"):
        predict(facts["attention"])
    with pytest.raises(PredictError, match="ring ring2: there are no waits on full and empty barriers of it"):
        predict(facts["attention"], ring="ring2")


def test_longer_work_and_slower_copies_are_played() -> None:
    usual = find_facts(History(run("multicast", 3)))
    slow = run("multicast", 3, SLOW_COPIES)
    row = ring_row(usual, "multicast")
    copy_ns = record_waits(find_facts(History(slow)), row).copy_time / 1000
    found = predict(usual, [3], copy_time_ns=copy_ns)
    assert found.points[0].per_tile == pytest.approx(measured(slow, "multicast"), rel=0.05)
    longer = predict(usual, [3], consumer_delay_ns=2000)
    assert longer.points[0].per_tile == pytest.approx(predict(usual, [3]).points[0].per_tile + 2_000_000, rel=0.05)


def test_a_cluster_is_played_as_one() -> None:
    recorded = record_waits(find_facts(History(simulate(cluster()))), 0)
    played = play(recorded, recorded.stages)
    assert played is not None
    np.testing.assert_allclose(played, recorded.released_time, rtol=0, atol=1e-3)


def test_arrivals_of_a_tensor_core_are_refused() -> None:
    with pytest.raises(
        PredictError, match="some phases here are completed by what no warp did, such as a tensor core's commit"
    ):
        predict(find_facts(History(simulate(blackwell()))), ring="ab")


@pytest.mark.parametrize("seed", range(30))
def test_any_pipeline_is_played_as_it_was_or_refused_in_words(seed: int) -> None:
    """Programs of any shape and strangers' kernels whose structure is inferred."""
    for trace in (simulate(random_program(seed)), random_kernel(seed).trace):
        facts = find_facts(History(trace))
        for row, ring in enumerate(facts.rings):
            try:
                predict(facts, range(1, 4), ring=ring.name)
                recorded = record_waits(facts, row)
            except PredictError:
                continue
            played = play(recorded, recorded.stages)
            assert played is not None
            np.testing.assert_allclose(played, recorded.released_time, rtol=0, atol=1)
