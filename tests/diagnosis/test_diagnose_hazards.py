"""Hazards are found by order and not by timing: the same for every seed, in runs that complete as well."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.hazards import find_hazards
from visualizer.diagnosis.intents import find_intents
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate


def kinds(trace: Trace) -> set[str]:
    history = History(trace)
    return {hazard.kind for hazard in find_hazards(history, find_intents(history))}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("F12", "WRITE AFTER READ"),
        ("F23", "WRITE AFTER READ"),
        ("F28", "OVERWRITE UNREAD"),
        ("F51", "READ BEFORE DATA"),
        ("F52", "WRITE AFTER READ"),
    ],
)
def test_a_latent_race_is_found_in_every_schedule(fault: str, kind: str, seed: int) -> None:
    assert kind in kinds(simulate(find_program("baseline", fault=fault), seed=seed))


@pytest.mark.parametrize("read_bandwidth", [1, 1000])
def test_a_race_that_did_no_harm_is_a_warning_and_one_that_did_an_error(read_bandwidth: float) -> None:
    """F12: the second warp reads slowly or fast; the order is missing either way."""
    trace = simulate(find_program("baseline", fault="F12"), latencies=Latencies(read_bandwidth=read_bandwidth))
    found = [f for f in diagnose(History(trace)).every if f.verdict == "WRITE AFTER READ"]
    assert found
    lucky = all("clean by luck" in finding.cause for finding in found)
    assert lucky == all(finding.severity == "warning" for finding in found)


def test_few_arrivals_make_every_reader_unordered() -> None:
    report = diagnose(History(simulate(lesson(LessonConfig(consumer_arrivals=32)))))
    assert {f.agent for f in report.every if f.verdict == "WRITE AFTER READ"} == {"producer"}
    assert report.findings[0].verdict == "COUNT MISMATCH"


def test_ctas_are_judged_by_themselves() -> None:
    """A fault in every CTA is found in every CTA, with its own names."""
    report = diagnose(History(simulate(lesson(LessonConfig(ctas=3, consumer_phase=1)))))
    early = {f.barrier for f in report.every if f.verdict == "EARLY PASS"}
    assert early == {"CTA0.full[0]", "CTA1.full[0]", "CTA2.full[0]"}


def test_what_the_short_proof_accepts_vector_clocks_accept() -> None:
    """The quick check must never pass what is unordered, nor the exact one find what the quick one proved."""
    from visualizer.diagnosis.hazards import relied_on
    from visualizer.diagnosis.vector_clocks import races

    for config in (LessonConfig(), LessonConfig(stages=1), LessonConfig(tile_columns=256, stages=2)):
        history = History(simulate(lesson(config)))
        intents = find_intents(history)
        relied = dict(zip(intents.waits.end.tolist(), relied_on(intents).tolist(), strict=True))
        assert races(history, np.arange(history.steps), relied, np.unique(history.copies.place)) == []
