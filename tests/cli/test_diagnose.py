"""`phasescope diagnose`: text, JSON and exit statuses that a script can rely on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KEYS = [
    "verdict", "severity", "agent", "barrier", "title", "stage", "ring", "tile", "phase_wanted", "phase_now", "parity",
    "pending", "expected", "tx", "arrived", "owed", "released_by", "first_divergence", "cause", "site", "step",
    "blamed", "certain", "advice", "counting",
]  # fmt: skip


def test_a_clean_recording_says_so_and_exits_0(phasescope: Callable[..., Any], lesson_file: Path) -> None:
    outcome = phasescope("diagnose", lesson_file)
    assert (outcome.status, outcome.out) == (0, "clean: the run completed, no findings\n")


def test_clean_json_has_no_findings(phasescope: Callable[..., Any], lesson_file: Path) -> None:
    outcome = phasescope("diagnose", lesson_file, "--json")
    assert outcome.status == 0
    assert json.loads(outcome.out) == {
        "ended": "completed",
        "lost_events": 0,
        "findings": [],
        "not_judged": [],
        "schedules": None,
    }


def test_a_fault_is_told_in_the_template(phasescope: Callable[..., Any]) -> None:
    outcome = phasescope("diagnose", "--program", "baseline", "--fault", "F14")
    assert outcome.status == 1
    lines = outcome.out.splitlines()
    assert lines[0] == "1 cause, 2 findings (1 error, 1 note): the run ended in a deadlock"
    assert lines[2].startswith("1. STARVED (error): C0 is blocked at tile 0, step ")
    assert lines[2].endswith(" on full[0], waiting for phase #0 (parity 0)")
    assert lines[3] == "   full[0] is in phase #0: arrived 1/1, 4096 bytes to come."
    assert "   Arrived in this phase: P (1). Still owed: nobody." in lines
    assert "   Released only by: nothing that can still happen." in lines
    assert any(line.startswith("   First divergence: step ") for line in lines)
    assert any(line.startswith("   Cause: full[0] expects 8192 bytes for phase #0") for line in lines)
    assert any(line.startswith("   Look at: arrive.expect_tx (") or "Look at:" in line for line in lines)


def test_the_json_of_a_finding_has_every_key(phasescope: Callable[..., Any]) -> None:
    outcome = phasescope("diagnose", "--fault", "F21", "--json")
    assert outcome.status == 1
    document = json.loads(outcome.out)
    assert list(document) == ["ended", "lost_events", "findings", "not_judged", "schedules"]
    assert document["ended"] == "deadlock"
    assert all(list(finding) == [*KEYS, "effects"] for finding in document["findings"])
    assert all(list(effect) == KEYS for finding in document["findings"] for effect in finding["effects"])
    root = document["findings"][0]
    assert (root["verdict"], root["agent"], root["barrier"]) == ("STARVED", "P", "empty[0]")
    assert (root["phase_wanted"], root["phase_now"], root["pending"], root["expected"]) == (0, 0, 1, 2)
    assert [(a["agent"], a["arrivals"]) for a in root["arrived"]] == [("C0", 1)]
    assert root["owed"] == [{"agent": "C1", "state": "blocked on full[0]", "next": "none"}]
    assert root["released_by"] == []
    assert set(root["site"]) == {"file", "line", "op"}


def test_a_recording_of_a_fault_gives_the_same_as_the_program(phasescope: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "stuck.pscope"
    phasescope("record", "--fault", "F20", "-o", path)
    recorded, run = phasescope("diagnose", path, "--json"), phasescope("diagnose", "--fault", "F20", "--json")
    assert recorded.status == run.status == 1
    assert json.loads(recorded.out)["findings"] == json.loads(run.out)["findings"]


def test_the_lessons_parameters_can_be_wrong_too(phasescope: Callable[..., Any]) -> None:
    outcome = phasescope("diagnose", "--program", "lesson", "--consumer-arrivals", 97)
    assert outcome.status == 1
    assert "empty[0] is initialised for 97 arrivals per phase, but only 96 come" in outcome.out


def test_a_users_program_is_run_and_judged(phasescope: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from visualizer.programs.builder import Builder\n"
        "def program():\n"
        "    b = Builder('mine')\n"
        "    full = b.barriers('full', 1, count=2)\n"
        "    p = b.agent('producer', role='producer')\n"
        "    p.init_all()\n"
        "    p.sync()\n"
        "    p.arrive(full[0])\n"
        "    c = b.agent('consumer', role='consumer')\n"
        "    c.sync()\n"
        "    c.wait(full[0], 0)\n"
        "    return b.build()\n",
        encoding="utf-8",
    )
    outcome = phasescope("diagnose", "--program", path)
    assert outcome.status == 1
    assert "full[0] is initialised for 2 arrivals per phase, but only 1 comes (producer)" in outcome.out
    assert "(mine.py:6)" in outcome.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nothing.pscope"], "nothing.pscope"),
        ([], "needs a recording, or --program NAME or FILE.py"),
        (["--program", "nope"], "there is no 'nope'"),
        (["--fault", "F99"], "there is no 'F99'"),
        (["--program", "baseline", "--seed", "-1"], "--seed is -1; it must be 0 or more"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(
    phasescope: Callable[..., Any], words: list[str], complaint: str
) -> None:
    outcome = phasescope("diagnose", *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert complaint in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("extra", [["--fault", "F06"], ["--program", "lesson"], ["--seed", "1"], ["--stages", "2"]])
def test_a_recording_takes_no_program_options(
    phasescope: Callable[..., Any], lesson_file: Path, extra: list[str]
) -> None:
    outcome = phasescope("diagnose", lesson_file, *extra)
    assert outcome.status == 2
    assert "is a recording" in outcome.err


LUCKY = """
from visualizer.programs.builder import Builder
def program():
    b = Builder('lucky')
    flag, back = b.barrier('flag', count=1), b.barrier('back', count=1)
    a = b.agent('a')
    a.init_all()
    a.sync()
    a.arrive(flag)
    a.delay(5000)
    a.arrive(flag)
    c = b.agent('c')
    c.sync()
    c.wait(flag, 0)
    c.arrive(back)
    return b.build()
"""


def test_a_run_that_another_schedule_would_break_is_not_clean(phasescope: Callable[..., Any], tmp_path: Path) -> None:
    """By luck of the delay c looks between the two arrivals; after both it waits for ever."""
    path = tmp_path / "lucky.py"
    path.write_text(LUCKY, encoding="utf-8")
    lucky = phasescope("diagnose", "--program", path)
    assert lucky.status == 1
    assert "this run went well; the findings are of another schedule of the same program" in lucky.out
    assert "c is blocked" in lucky.out
    path.write_text(LUCKY.replace("a.delay(5000)", "a.wait(back, 0)"), encoding="utf-8")
    sound = phasescope("diagnose", "--program", path, "--json")
    assert sound.status == 0, "all schedules were explored, which judges what no rule could"
    tried = json.loads(sound.out)["schedules"]
    assert (tried["all"], tried["bad"]) == (True, False)


def test_how_many_schedules_were_explored_is_said(phasescope: Callable[..., Any]) -> None:
    small = phasescope("diagnose", "--program", "lesson", "--stages", 1, "--tiles", 1, "--consumer-warps", 1)
    assert small.out.splitlines()[-1] == "Explored: all of the program's schedules; none deadlocks or races."
    faulty = phasescope("diagnose", "--program", "baseline", "--fault", "F14")
    assert faulty.out.splitlines()[-1].startswith("Explored: ")
    assert faulty.out.splitlines()[-1].endswith("; there are some that end badly.")


def test_what_cannot_be_explored_is_not_judged(phasescope: Callable[..., Any]) -> None:
    outcome = phasescope("diagnose", "--program", "cp-async")
    assert "Not judged: Other schedules: " in outcome.out
    assert outcome.status == 3
    assert phasescope("diagnose", "--program", "cp-async", "--partial").status == 0


def test_a_recording_may_be_given_its_program(phasescope: Callable[..., Any], tmp_path: Path) -> None:
    program, path = tmp_path / "mine.py", tmp_path / "mine.pscope"
    program.write_text(LUCKY, encoding="utf-8")
    phasescope("record", "--program", program, "-o", path)
    assert phasescope("diagnose", path, "--program", program).status in (0, 3)
    program.write_text(LUCKY.replace("'back'", "'other'"), encoding="utf-8")
    outcome = phasescope("diagnose", path, "--program", program)
    assert outcome.status == 2
    assert "has other barriers or agents than the program 'lucky'" in outcome.err
