"""A short soak in every run of the suite, and that it would notice what it is for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.batch import ROOT
from tests.fuzz.soak import Flat, Notes, write_notes
from visualizer.children import child_environment


def test_a_short_soak_loses_nothing_and_holds_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.fuzz.soak", "--recordings", "24", "--runs", "24", "--kills", "3"],
        env=child_environment(), cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["recordings", "runs", "notes"]


def test_what_a_killed_window_left_goes_with_the_next_note(tmp_path: Path) -> None:
    """Only what is a minute old: who makes a younger file may not have locked it yet."""
    (tmp_path / ".phasescope-0123456789abcdef.tmp").write_text("half a f")
    assert write_notes(1, 0, tmp_path).damaged == []


def _flat(**changed: list[int]) -> Flat:
    held = {"bytes": [100 << 20] * 50, "threads": [4] * 50, "files": [10] * 50} | changed
    return Flat("planted", **held)


def test_what_stays_as_it_is_passes() -> None:
    _flat().check()
    _flat(bytes=[50 << 20] * 4 + [100 << 20] * 46).check()  # when everything is used for the first time


@pytest.mark.parametrize(
    "growing",
    [
        {"bytes": [(100 + row) << 20 for row in range(50)]},
        {"threads": [4 + row // 5 for row in range(50)]},
        {"files": [10 + row // 5 for row in range(50)]},
    ],
)
def test_what_grows_is_noticed(growing: dict[str, list[int]]) -> None:
    with pytest.raises(AssertionError, match="grows"):
        _flat(**growing).check()


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        (Notes(kills=2, confirmed=9, lost=["0-1-3"]), "lost: .*0-1-3"),
        (Notes(kills=2, confirmed=9, damaged=["half of it"]), "half of it"),
        (Notes(kills=2, confirmed=1), "hardly anything"),
    ],
)
def test_a_lost_note_is_noticed(notes: Notes, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        notes.check()
