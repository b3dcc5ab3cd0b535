"""Hazards are found by order and not by timing: the same for every seed, in runs that complete as well."""

from __future__ import annotations

import numpy as np
import pytest
from stranger_traces import stranger

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.hazards import hazards
from visualizer.diagnosis.hazards.hazards import find_hazards
from visualizer.diagnosis.report import report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.diagnosis.uses.intents import find_intents
from visualizer.programs.builder import Builder
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.diagnosis.diagnosis_model import headline


def kinds(trace: Trace) -> set[str]:
    history = History(trace)
    return {hazard.kind for hazard in find_hazards(history, find_intents(history)).found}


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
    from visualizer.diagnosis.hazards.hazards import relied_on
    from visualizer.diagnosis.hazards.races import races

    for config in (LessonConfig(), LessonConfig(stages=1), LessonConfig(tile_columns=256, stages=2)):
        history = History(simulate(lesson(config)))
        intents = find_intents(history)
        relied = dict(zip(intents.waits.end.tolist(), relied_on(intents).tolist(), strict=True))
        assert races(history, np.arange(history.steps), relied, np.unique(history.copies.place)) == []


def test_refills_without_recorded_reads_have_a_short_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's reads leave no event; millions of sound refills must not go through vector clocks."""
    history = History(stranger(tiles=12, ctas=2))
    intents = find_intents(history)
    relied = dict(zip(intents.waits.end.tolist(), hazards.relied_on(intents).tolist(), strict=True))
    assert hazards.races(history, np.arange(history.steps), relied, np.unique(history.copies.place)) == []
    monkeypatch.setattr(hazards, "races", None)
    assert find_hazards(history, intents).found == []


@pytest.mark.parametrize("releaser_waits", [True, False])
def test_a_refill_released_by_who_had_not_waited_for_the_copy(releaser_waits: bool) -> None:
    """Nobody's reads are recorded. Who releases the stages comes late enough in any case, by luck unless it waits."""
    b = Builder("ring")
    full, empty = b.barriers("full", 2, count=1), b.barriers("empty", 2, count=1)
    producer, releaser = b.agent("producer", role="producer"), b.agent("releaser", role="consumer")
    producer.init_all()
    producer.sync()
    releaser.sync()
    for tile in range(8):
        lap, stage = divmod(tile, 2)
        producer.wait(empty[stage], (lap + 1) & 1)
        producer.arrive_expect_tx(full[stage], 4096)
        producer.copy(full[stage], stage, 4096)
        releaser.delay(100_000)
        if releaser_waits:
            releaser.wait(full[stage], lap & 1)
        releaser.arrive(empty[stage])
    assert kinds(simulate(b.build())) == (set() if releaser_waits else {"OVERWRITE UNREAD"})


def test_what_there_are_too_many_events_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """In text, JSON and window: a run is not called clean because nobody looked."""
    history = History(simulate(find_program("baseline", fault="F23")))
    assert not diagnose(history).not_judged
    monkeypatch.setattr(hazards, "MOST_EVENTS", 8)
    report = diagnose(history)
    assert report.clean
    (reason,) = report.not_judged
    assert reason.startswith("Whether accesses of buffers are ordered, of ")
    assert f"Not judged: {reason}" in report_text(report).splitlines()
    assert report_json(report)["not_judged"] == [reason]
    assert reason in headline(report)


def test_a_count_of_pairs_is_the_count() -> None:
    """A reader comes after everything is over; vector clocks, which stop on the way, say that there may be more."""
    tiles = 300
    b = Builder("late")
    full, empty = b.barriers("full", 2, count=1), b.barriers("empty", 2, count=1)
    producer, releaser = b.agent("producer", role="producer"), b.agent("releaser", role="consumer")
    reader = b.agent("reader", role="consumer")
    producer.init_all()
    for agent in (producer, releaser, reader):
        agent.sync()
    for tile in producer.tiles(tiles):
        producer.wait(empty[tile % 2], (tile // 2 + 1) & 1)
        producer.arrive_expect_tx(full[tile % 2], 4096)
        producer.copy(full[tile % 2], tile % 2, 4096)
    for tile in releaser.tiles(tiles):
        releaser.wait(full[tile % 2], (tile // 2) & 1)
        releaser.arrive(empty[tile % 2])
    reader.delay(1_000_000)
    for tile in reader.tiles(tiles - 2):
        reader.read(tile % 2, 4096)
    history = History(simulate(b.build()))
    found = {hazard.kind: hazard for hazard in find_hazards(history, find_intents(history)).found}
    assert (found["STALE DATA"].times, found["STALE DATA"].more) == (tiles - 2, False)
    early = found["READ BEFORE DATA"]
    assert early.more
    assert early.times < tiles - 2
    said = {finding.verdict: finding.cause for finding in diagnose(history).every}
    assert f"There are {tiles - 2} such pairs." in said["STALE DATA"]
    assert f"There are {early.times} such pairs or more" in said["READ BEFORE DATA"]
