"""`phasescope export`: files by their ending, parts of a recording, and every way it can be refused."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from visualizer.export.formats import FORMATS


def test_it_writes_and_says_how_much(phasescope: Callable, lesson_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    outcome = phasescope("export", lesson_file, "-o", path)
    assert outcome.status == 0
    assert outcome.out == f"{path}: {path.stat().st_size:,} bytes\n"
    assert json.loads(path.read_text())["otherData"]["program"] == "lesson"


def test_a_range_and_lanes(phasescope: Callable, lesson_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "part.csv"
    assert phasescope("export", lesson_file, "-o", path, "--range", "10:60", "--lanes", "producer").status == 0
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["agent"] for row in rows} == {"producer"}
    assert all(10 <= int(row["step"]) <= 60 for row in rows)


def test_pictures_need_no_screen(lesson_file: Path, tmp_path: Path) -> None:
    """In a process of its own: this one has Qt started already."""
    command = [sys.executable, "-m", "visualizer", "export", str(lesson_file), "--step", "12", "--theme", "dark", "-o"]
    for suffix in (".png", ".svg", ".pdf"):
        path = tmp_path / f"step{suffix}"
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        assert path.stat().st_size > 1000


def test_without_pyside6_pictures_say_what_to_do_and_the_rest_works(lesson_file: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['PySide6'] = None; from visualizer.cli.main import main;"
        f"sys.exit(main(['export', {str(lesson_file)!r}, '-o', sys.argv[1]]))"
    )
    for name, status in (("run.html", 0), ("run.vcd", 0), ("run.png", 2)):
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
    assert "pictures are painted with PySide6" in done.stderr
    assert "phasescope doctor" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "x.xls"], "x.xls: no format has this ending"),
        (["-o", "x.csv", "--range", "5"], "--range 5: expected A:B"),
        (["-o", "x.csv", "--lanes", "nobody"], "--lanes nobody: no lane has this name"),
        (["-o", "x.csv", "--step", "3"], "--step is for pictures"),
        (["-o", "x.png", "--step", "9999"], "--step 9999 is outside 0.."),
        (["-o", "gone/x.csv"], "gone/x.csv cannot be written"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    phasescope: Callable,
    lesson_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = phasescope("export", lesson_file, *words)
    assert outcome.status == 2
    assert outcome.err.startswith(f"phasescope: {says}")
    assert outcome.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_recording(phasescope: Callable, tmp_path: Path) -> None:
    (tmp_path / "x.pscope").write_bytes(b"nothing")
    outcome = phasescope("export", tmp_path / "x.pscope", "-o", tmp_path / "x.csv")
    assert outcome.status == 2
    assert "not a phasescope recording" in outcome.err


def test_the_help_and_the_docs_name_every_format(phasescope: Callable) -> None:
    shown = phasescope("export", "--help").out
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
    for suffix in FORMATS:
        assert suffix in shown
        assert f"`{suffix}`" in page


@pytest.mark.parametrize("through", ["itself", "a link"])
def test_the_recording_is_never_what_is_written(
    phasescope: Callable, lesson_file: Path, tmp_path: Path, through: str
) -> None:
    recording = tmp_path / "run.csv"
    recording.write_bytes(lesson_file.read_bytes())
    output = recording
    if through == "a link":
        output = tmp_path / "link.csv"
        output.symlink_to(recording)
    outcome = phasescope("export", recording, "-o", output)
    assert outcome.status == 2
    assert "is the file that is read, and would be lost: choose another name" in outcome.err
    assert recording.read_bytes() == lesson_file.read_bytes()


def test_nor_is_a_program(phasescope: Callable, tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text("def program(): ...\n")
    for command in (["record", "-o"], ["explore", "--witness"]):
        outcome = phasescope(*command, program, "--program", program)
        assert outcome.status == 2
        assert "is the file that is read" in outcome.err
    assert program.read_text() == "def program(): ...\n"
