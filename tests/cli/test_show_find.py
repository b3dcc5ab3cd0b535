"""`phasescope show TRACE --find QUERY` and addresses on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_the_events_of_a_query_are_listed(phasescope: Command, lesson_file: Path) -> None:
    outcome = phasescope("show", lesson_file, "--find", "barrier == full[1] and kind == phase_complete")
    lines = outcome.out.splitlines()
    assert outcome.status == 0
    assert lines[0].split() == ["step", "time", "agent", "kind", "barrier", "stage", "tile", "parity", "amount", "site"]
    assert lines[-1] == f"{len(lines) - 3} events found"
    assert all("phase_complete" in line and "full[1]" in line for line in lines[1:-2])
    assert len({line.split()[2] for line in lines[1:-2]}) == 1, "a column has one unit"


def test_the_same_as_json(phasescope: Command, lesson_file: Path) -> None:
    rows = json.loads(phasescope("show", lesson_file, "--find", "wait > 500 ns and role == consumer", "--json").out)
    assert rows
    assert all(row["kind"] == "wait_end" and row["agent"].startswith("consumer") for row in rows)
    assert set(rows[0]) == {
        "step", "time_ps", "kind", "agent", "barrier", "barrier_title", "stage", "tile", "parity", "amount", "site",
    }  # fmt: skip


def test_words_are_found_and_nothing_is_no_error(phasescope: Command, lesson_file: Path) -> None:
    assert phasescope("show", lesson_file, "--find", "tma copy_done").out.endswith("8 events found\n")
    outcome = phasescope("show", lesson_file, "--find", "tile > 1000")
    assert (outcome.status, outcome.out) == (0, "0 events found\n")


def test_a_wrong_query_is_pointed_at(phasescope: Command, lesson_file: Path) -> None:
    outcome = phasescope("show", lesson_file, "--find", "kind == phase_complet")
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.splitlines() == [
        "phasescope: --find: This recording has no kind phase_complet. Did you mean phase_complete?",
        "  kind == phase_complet",
        "          ^^^^^^^^^^^^^",
    ]


def test_an_address_shows_its_step(phasescope: Command, lesson_file: Path) -> None:
    by_address = phasescope("show", f"{lesson_file}#step=12&lane=full[1]", "--json")
    assert json.loads(by_address.out) == json.loads(phasescope("show", lesson_file, "--step", 12, "--json").out)


@pytest.mark.parametrize(
    ("address", "options", "words"),
    [
        ("{file}#step=x", (), "comes step=N"),
        ("#step=3", (), "name the recording as well"),
        ("{file}#step=3", ("--step", 4), "leave out --step"),
        ("{file}#step=3", ("--find", "blocked"), "leave out --step"),
        ("{file}#step=999", (), "outside 0..261"),
        ("{file}", ("--find", "blocked", "--table"), "not allowed with argument"),
    ],
)
def test_what_does_not_go_together_is_said(
    phasescope: Command, lesson_file: Path, address: str, options: tuple[object, ...], words: str
) -> None:
    outcome = phasescope("show", address.format(file=lesson_file), *options)
    assert outcome.status == 2
    assert words in outcome.err


def test_open_takes_an_address(phasescope: Command, lesson_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("visualizer.app.run.run_app", lambda address, **_: opened.append(str(address)) or 0)
    assert phasescope(f"{lesson_file}#step=120&lane=full[1]").status == 0
    assert opened == [f"{lesson_file}#step=120&lane=full[1]"]
    wrong = phasescope("open", f"{lesson_file}#tile=3")
    assert wrong.status == 2
    assert "comes step=N" in wrong.err
