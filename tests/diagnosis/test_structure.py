"""Diagnosis asks structure: two rings of one CTA are two, and what nobody told of is not judged, and said to be so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from two_ring_traces import two_rings, unknowing, untold

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.hazards.hazards import HAZARDS
from visualizer.diagnosis.report import report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

ROOT = Path(__file__).parents[2]
RECORDINGS = sorted([*(ROOT / "tests" / "data").rglob("*.pscope"), *(ROOT / "assets" / "traces").glob("*.pscope")])
UNKNOWING = (
    "Whether a stage is freed more often than it is filled",
    "Whether one role arrives more often than another",
    "Whether a wait passes for another phase than it means",
    "Whether a producer arrives before its stage is free",
    "Whether a buffer is filled again before it was read",
    "Whether a buffer is read too early, or overwritten while it is read",
)


@pytest.mark.parametrize("ctas", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_sound_kernel_with_two_rings_is_clean(seed: int, ctas: int) -> None:
    report = diagnose(History(two_rings(10, seed=seed, ctas=ctas)))
    assert report.findings == ()
    assert report.not_judged == ()
    assert report_text(report).startswith("clean")


def test_the_ring_that_nobody_releases_is_named() -> None:
    found = diagnose(History(two_rings(10, release_v=False))).every
    hazards = [finding for finding in found if finding.verdict in ("WRITE AFTER READ", "OVERWRITE UNREAD")]
    assert {finding.ring for finding in hazards} == {"V"}
    assert "of ring V" in hazards[0].cause
    assert not any(finding.ring == "K" for finding in found if finding.severity != "note")
    assert any("Nobody ever waits on V.empty[*]" in finding.cause for finding in found)


def test_two_rings_told_as_one_are_not_judged_as_if_they_were() -> None:
    """The barriers of both with the same stage numbers: which buffer a copy goes to cannot be told apart."""
    trace = two_rings(10)
    events = trace.events.copy()
    events["ring"] = 0
    agents = [replace(agent, more_starts=()) for agent in trace.agents]
    merged = replace(
        trace, events=events, agents=agents, rings=("",), barriers=[replace(b, ring="") for b in trace.barriers]
    )
    report = diagnose(History(merged))
    assert not any(finding.verdict.startswith(("WRITE", "OVERWRITE", "READ")) for finding in report.findings)
    assert any("copies of several barriers go there" in line for line in report.not_judged)


def test_explanations_say_which_ring() -> None:
    history = History(two_rings(4))
    issues = np.flatnonzero(history.kinds == EventKind.COPY_ISSUE)[:2].tolist()
    assert [" into stage 0 of ring K:" in explain(history, step) for step in issues] == [True, False]
    assert " into stage 0 of ring V:" in explain(history, issues[1])
    advances = np.flatnonzero(history.kinds == EventKind.ADVANCE)
    v = int(advances[history.trace.events["ring"][advances] == 1][1])
    assert "index 1 -> 0 wraps around the ring" in explain(history, v)


def test_where_nothing_is_told_nothing_is_called_clean() -> None:
    report = diagnose(unknowing(two_rings(6)))
    assert report.findings == ()
    assert tuple(line.partition(":")[0] for line in report.not_judged) == UNKNOWING
    assert all(line.endswith(".") and not line.endswith("..") for line in report.not_judged)
    assert report_json(report)["not_judged"] == list(report.not_judged)
    text = report_text(report)
    assert "clean" not in text
    assert "judged were undefined operations" in text
    assert text.count("Not judged: ") == len(UNKNOWING)


def test_reads_that_are_not_recorded_are_not_called_ordered(lesson_trace: Trace) -> None:
    keep = ~np.isin(lesson_trace.events["kind"], (EventKind.READ_BEGIN, EventKind.READ_END))
    report = diagnose(History(replace(lesson_trace, events=lesson_trace.events[keep])))
    assert report.findings == ()
    assert report.not_judged == (f"{UNKNOWING[-1]}: reads of buffers are not in the recording.",)


def test_a_copy_of_no_known_ring_is_told() -> None:
    trace = two_rings(6)
    events = trace.events.copy()
    rows = np.array([barrier.ring == "V" for barrier in trace.barriers] + [False])
    events["stage"][rows[events["barrier"]] | (events["ring"] == 1)] = -1
    barriers = [replace(b, kind="other", stage=-1) if b.ring == "V" else b for b in trace.barriers]
    report = diagnose(History(replace(trace, events=events, barriers=barriers)))
    assert report.findings == ()
    assert report.not_judged == ("Buffers of 6 copies: they go to no stage of a known ring.",)


def test_with_records_lost_the_report_says_what_it_did_not_judge(lesson_trace: Trace) -> None:
    report = diagnose(History(replace(lesson_trace, meta=replace(lesson_trace.meta, records_lost=3))))
    assert report.not_judged == ("Counts and orders: records were lost, so they would be guesses.",)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_that_was_told_of_nothing_is_still_diagnosed(path: Path) -> None:
    history = unknowing(load(path))
    report = diagnose(history)
    assert report.not_judged or not history.trace.barriers
    assert "clean" not in report_text(report) or not history.trace.barriers
    assert not any(finding.verdict in ("EARLY PASS", "STALE PASS", *HAZARDS) for finding in report.findings)
    for step in range(0, history.steps, 7):
        assert explain(history, step).endswith(".")


@pytest.mark.parametrize(
    "config", [{}, {"turns": True, "consumers": 2}, {"ctas": 2}, {"readers": "wgmma"}, {"stages": 1}]
)
def test_a_sound_program_has_no_finding_where_nothing_is_told(config: dict[str, object]) -> None:
    trace = simulate(baseline(BaselineConfig(**config)), seed=2)
    report = diagnose(unknowing(trace))
    assert report.findings == ()
    assert report.not_judged
    assert diagnose(History(untold(trace))).findings == ()


def test_who_is_to_arrive_is_not_made_up() -> None:
    """Stuck before anybody arrived on the barrier: without roles nobody can be said to owe it."""
    told = simulate(baseline(BaselineConfig(consumers=1, tiles=6)), seed=1)
    row = told.barrier_index["empty[0]"]
    cut = int(np.flatnonzero((told.events["kind"] == EventKind.ARRIVE) & (told.events["barrier"] == row))[0])
    trace = untold(replace(told, events=told.events[:cut].copy()))
    trace = replace(trace, meta=replace(trace.meta, ending=replace(trace.meta.ending, kind="deadlock")))
    (finding,) = diagnose(unknowing(trace)).findings
    assert (finding.verdict, finding.barrier) == ("STARVED", "empty[0]")
    assert "who was to bring the others is not known" in finding.cause
    assert finding.released_by == ("arrivals of whom it is not known",)
