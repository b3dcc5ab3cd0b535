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


def test_each_outcome_is_diagnosed_with_its_rule_agent_barrier_and_line(phasescope: Command) -> None:
    outcome = phasescope("explore", "--program", "baseline", "--fault", "F07", "--schedules", 60)
    assert outcome.status == 1
    assert "read-before-data: C0, Read of tile 0\n1. EARLY PASS (error): C0 on full[0] at tile 0" in outcome.out
    assert "Look at: wait (baseline.py:91)" in outcome.out
    document = json.loads(phasescope("explore", "--program", "baseline", "--fault", "F07", "--json").out)
    assert document["findings"] == document["not_judged"] == []
    for witness in (document["witness"], *document["witnesses"]):
        first = witness["findings"][0]
        assert first["agent"] == "C0"
        assert first["barrier"].startswith(("full", "empty"))
        assert first["site"]["file"] == "baseline.py"


WRONG_TILE = """
from visualizer.programs.builder import Builder

def program():
    b = Builder("wrong-tile")
    full, empty = b.barriers("full", 1, count=1), b.barriers("empty", 1, count=1)
    p, c = b.agent("P", role="producer", stages=1, phase=1), b.agent("C", role="consumer", stages=1)
    p.init_all()
    p.sync()
    c.sync()
    for _ in p.tiles(4):
        p.wait(empty[0], p.phase)
        p.arrive_expect_tx(full[0], 64)
        p.copy(full[0], 0, 64)
        p.advance()
    for tile in range(4):
        c.tile = tile + (tile > 2)
        c.wait(full[0], c.phase)
        c.read(0, 64)
        c.arrive(empty[0])
        c.advance()
    return b.build()
"""


def test_what_is_wrong_with_a_schedule_that_ends_well_is_told(phasescope: Command, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG_TILE, encoding="utf-8")
    outcome = phasescope("explore", "--program", path, "--exhaustive")
    assert outcome.status == 1
    assert outcome.out.startswith("No schedule of this program deadlocks or races.\n")
    assert (
        "A schedule that ends well shows that something is wrong all the same:\n1. WRONG TILE (error): C" in outcome.out
    )
    document = json.loads(phasescope("explore", "--program", path, "--json").out)
    assert [finding["verdict"] for finding in document["findings"]] == ["WRONG TILE"]


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
