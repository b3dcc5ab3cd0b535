"""`phasescope predict`: the table, JSON, Verify, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from two_ring_traces import two_rings

from visualizer.cli.main import main
from visualizer.recording.file import save


def test_the_table_marks_the_knee_and_the_recorded_count(lesson_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", str(lesson_file)]) == 0
    text = capsys.readouterr().out
    assert text.count("knee") == 1
    assert "3 stages" in text.splitlines()[0]
    assert "recorded" in next(line for line in text.splitlines() if line.startswith("3 "))


def test_verify_shows_the_measurement_beside_the_prediction(
    lesson_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", str(lesson_file), "--stages", "1..3", "--verify", "--source", "simulator"]
    assert main([*command, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    runs = document["verified"]["runs"]
    assert [run["stages"] for run in runs] == [1, 2, 3]
    assert all(abs(run["error"]) < 0.1 for run in runs)
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "simulated: 64 tiles" in text
    assert "measured" not in text


def test_other_delays_and_copy_times_change_it(lesson_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    per_tile = []
    for options in ([], ["--consumer-delay", "3000"], ["--copy-time", "9000"]):
        assert main(["predict", str(lesson_file), "--stages", "2", "--json", *options]) == 0
        per_tile.append(json.loads(capsys.readouterr().out)["predicted"][0]["per_tile_ns"])
    assert per_tile[1] == pytest.approx(per_tile[0] + 3000, rel=0.05)
    assert per_tile[2] > 4500


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--stages", "0..3"], "must lie within 1..8"),
        (["--stages", "many"], "give a number or a range"),
        (["--consumer-delay", "-1"], "--consumer-delay is -1"),
        (["--source", "gpu"], "--source applies to --verify only"),
        (["--copy-time", "900", "--verify", "--source", "simulator"], "another copy time cannot be verified"),
    ],
)
def test_wrong_options_are_explained(
    lesson_file: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["predict", str(lesson_file), *options]) == 2
    assert said in capsys.readouterr().err


def test_too_short_a_recording_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.pscope"
    assert main(["record", "--tiles", "2", "-o", str(path)]) == 0
    assert main(["predict", str(path)]) == 2
    error = capsys.readouterr().err
    assert "short.pscope: only" in error
    assert "record more tiles" in error


def test_of_several_rings_one_has_to_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rings.pscope"
    save(two_rings(20), path)
    for options, said in (
        ([], "several rings in a CTA (K, V)"),
        (["--ring", "Q"], "it has K, V"),
    ):
        assert main(["predict", str(path), *options]) == 2
        assert said in capsys.readouterr().err
