"""Every run of a window is kept: told from the others, held against a reference, and let go of last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from simulated import run as simulate_lesson

from visualizer.app.session import runs as runs_module
from visualizer.app.session.document import Document
from visualizer.app.session.runs import Runs
from visualizer.diagnosis.diagnose import diagnose
from visualizer.recording.trace import Trace
from visualizer.replay.history import History


def _document(trace: Trace, **values: object) -> Document:
    return replace(Document(History(trace), path=None, saved=False), **values)


@pytest.fixture
def runs() -> Runs:
    return Runs()


def test_a_document_is_one_run_whatever_becomes_known_of_it(runs: Runs) -> None:
    document = _document(simulate_lesson(stages=2, tiles=3))
    runs.show(document)
    assert [run.errors for run in runs.all] == [None]
    runs.show(replace(document, report=diagnose(document.history)))
    assert [(run.number, run.errors, run.sound) for run in runs.all] == [(1, 0, True)]
    runs.show(_document(simulate_lesson(stages=3, tiles=3)))
    runs.show(document)
    assert [(run.number, run.errors) for run in runs.all] == [(1, 0), (2, None)]
    assert runs.shown is runs.all[0]


def test_titles_follow_what_the_others_have(runs: Runs) -> None:
    """A parameter is told as long as another run of the program has it otherwise."""
    for stages in (2, 2, 3):
        runs.show(_document(simulate_lesson(stages=stages, tiles=3)))
    assert [runs.title(run) for run in runs.all] == ["lesson · stages=2", "lesson · stages=2", "lesson · stages=3"]
    runs.show(_document(simulate_lesson(stages=2, tiles=3)))
    runs.let_go(runs.all[2])
    assert {runs.title(run) for run in runs.all} == {"lesson"}


def test_titles_say_what_differs(runs: Runs) -> None:
    for stages in (2, 3):
        runs.show(_document(simulate_lesson(stages=stages, tiles=3)))
    assert [runs.title(run) for run in runs.all] == ["lesson · stages=2", "lesson · stages=3"]
    faulty = simulate_lesson(stages=3, tiles=3)
    meta = replace(faulty.meta, config=faulty.meta.config | {"fault": "F06"})
    runs.show(_document(replace(faulty, meta=meta)))
    assert runs.title(runs.all[2]) == "lesson · F06 · stages=3"


def test_what_a_story_made_is_no_run(runs: Runs) -> None:
    runs.show(_document(simulate_lesson(tiles=3), saved=True))
    assert runs.all == []
    assert runs.shown is None


def test_a_reference_is_what_others_are_held_against(runs: Runs) -> None:
    slow, fast = (_document(simulate_lesson(stages=stages, tiles=8)) for stages in (1, 4))
    runs.show(slow)
    runs.show(fast)
    first, second = runs.all
    assert runs.held_against_reference(second) == ""
    runs.pin(first)
    ratio = second.duration_ps / first.duration_ps
    assert ratio < 0.95
    assert runs.held_against_reference(second) == f"{ratio:.2f} x the time"
    assert runs.held_against_reference(first) == ""
    runs.show(slow)  # known anew, and still the reference
    assert runs.reference is runs.all[0]
    runs.let_go(runs.all[1])
    assert len(runs.all) == 1


def test_a_hang_is_not_compared_by_its_time(runs: Runs) -> None:
    sound, other = simulate_lesson(tiles=3), simulate_lesson(tiles=4)
    hung = replace(other, meta=replace(other.meta, ending=replace(other.meta.ending, kind="deadlock")))
    runs.show(_document(sound))
    runs.show(_document(hung))
    runs.pin(runs.all[0])
    assert runs.held_against_reference(runs.all[1]) == ""
    assert runs.all[1].outcome == "deadlock"


def test_the_oldest_that_can_be_made_again_are_let_go_of(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    traces = [simulate_lesson(tiles=tiles) for tiles in (3, 4, 5, 6)]
    gpu = replace(traces[0], meta=replace(traces[0].meta, source={"kind": "gpu", "gpu": "NVIDIA H200"}))
    monkeypatch.setattr(runs_module, "MOST_BYTES", traces[2].events.nbytes)
    for trace in (gpu, *traces[1:]):
        runs.show(_document(trace))
    assert [run.number for run in runs.all] == [1, 3, 4]  # the second is in no file, and its seed makes it again
    assert [run.number for run in runs.unsaved] == [1]


def test_of_many_the_oldest_are_let_go_of_but_what_is_held_against(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    traces = [simulate_lesson(tiles=tiles) for tiles in range(3, 9)]
    gpu = replace(traces[0], meta=replace(traces[0].meta, source={"kind": "gpu", "gpu": "NVIDIA H200"}))
    monkeypatch.setattr(runs_module, "MOST", 2)
    runs.show(_document(gpu))
    runs.show(_document(traces[1]))
    runs.pin(runs.all[1])
    runs.show(_document(traces[2], path=tmp_path / "saved.pscope", saved=True))
    for trace in traces[3:]:
        runs.show(_document(trace))
    assert [run.number for run in runs.all] == [1, 2, 4, 5, 6]  # lost if it went, the reference, the newest
    assert runs.reference is runs.all[1]
    runs.pin(None)
    runs.show(_document(traces[1]))
    assert [run.number for run in runs.all] == [1, 2, 5, 6]


def test_a_saved_run_is_read_from_its_file(runs: Runs, tmp_path: Path) -> None:
    trace = simulate_lesson(tiles=3)
    gpu = replace(trace, meta=replace(trace.meta, source={"kind": "gpu", "gpu": "NVIDIA H200"}))
    runs.show(_document(gpu))
    assert runs.all[0].trace is gpu
    runs.saved(runs.all[0], tmp_path / "kept.pscope")
    assert runs.all[0].trace is None
    assert runs.unsaved == []
    assert runs.shown is runs.all[0]
    assert runs.title(runs.all[0]) == "kept.pscope"
