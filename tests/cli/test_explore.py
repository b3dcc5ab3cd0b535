"""`phasescope explore`: exit statuses, the text, the JSON that scripts rely on, and the witness file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from visualizer.recording.file import load

Command = Callable[..., Any]


def test_the_lesson_is_proved_clean(phasescope: Command) -> None:
    outcome = phasescope("explore", "--exhaustive")
    assert outcome.status == 0
    assert outcome.out.startswith("No schedule of this program deadlocks or races.\n")


def test_random_schedules_of_the_baseline_as_json(phasescope: Command) -> None:
    outcome = phasescope("explore", "--program", "baseline", "--schedules", 20, "--json")
    assert outcome.status == 0
    document = json.loads(outcome.out)
    assert document["schedules"] == document["clean"] == 20
    assert document["exhaustive"] is False
    assert (document["deadlock"], document["race"], document["other"], document["witness"]) == (0, 0, 0, None)


def test_a_deadlock_is_status_1_and_its_witness_a_recording(phasescope: Command, tmp_path: Path) -> None:
    path = tmp_path / "stuck.pscope"
    outcome = phasescope("explore", "--producer-phase", 0, "--schedules", 10, "--witness", path)
    assert outcome.status == 1
    assert "Some schedules of this program end in: deadlock." in outcome.out
    assert "deadlock  10         100.0%" in outcome.out
    assert "producer: empty[0] parity 0" in outcome.out
    assert str(path) in outcome.out
    trace = load(path)
    assert trace.meta.ending.kind == "deadlock"
    assert trace.meta.command.startswith("phasescope explore --producer-phase 0")
    assert phasescope("show", path, "--step", len(trace) - 1).status == 0


def test_the_outcome_to_show_can_be_chosen(phasescope: Command, tmp_path: Path) -> None:
    path = tmp_path / "race.pscope"
    words = ("explore", "--consumer-phase", 1, "--stages", 2, "--tiles", 4, "--schedules", 100, "--json")
    outcome = phasescope(*words, "--witness", path, "--outcome", "write-after-read")
    assert outcome.status == 1
    document = json.loads(outcome.out)
    assert document["race"] >= document["races"]["write-after-read"] > 0
    assert document["witness"]["outcome"] == document["witnesses"][0]["outcome"]
    assert document["witness"]["choices"]
    assert load(path).meta.source["outcome"] == "write-after-read"


def test_a_clean_program_writes_no_witness(phasescope: Command, tmp_path: Path) -> None:
    path = tmp_path / "none.pscope"
    assert phasescope("explore", "--schedules", 5, "--witness", path).status == 0
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--exhaustive", "--seed", 1), "--seed applies to random schedules only"),
        (("--limit-states", 5), "--limit-states applies to --exhaustive only"),
        (("--outcome", "stale"), "--outcome applies to --witness only"),
        (("--schedules", 0), "--schedules is 0; it must be at least 1"),
        (("--exhaustive", "--limit-states", 9), "that is not all of them"),
        (("--schedules", 5, "--exhaustive"), "not allowed with argument"),
        (("--witness", "/no/such/place/x.pscope"), "the directory /no/such/place does not exist"),
        (("--program", "nonesuch"), "nonesuch"),
        (("--program", "nonesuch.py"), "nonesuch.py"),
        (("--stages", 99), "--stages is 99"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(phasescope: Command, words: tuple[object, ...], sentence: str) -> None:
    outcome = phasescope("explore", *words)
    assert outcome.status == 2
    assert sentence in outcome.err
    assert "Traceback" not in outcome.err


def test_an_outcome_that_was_not_found_is_refused(phasescope: Command, tmp_path: Path) -> None:
    words = ("explore", "--producer-phase", 0, "--schedules", 5, "--witness", tmp_path / "x.pscope")
    outcome = phasescope(*words, "--outcome", "stale")
    assert outcome.status == 2
    assert "found were deadlock" in outcome.err
