"""`phasescope stats`: text and JSON of a recording or a range, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from two_ring_traces import two_rings

from visualizer.cli.main import main
from visualizer.recording.file import save
from visualizer.recording.trace import Trace


def test_the_text_names_the_bound_and_every_number(lesson_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(lesson_file)]) == 0
    text = capsys.readouterr().out
    for word in ("back-pressure", "starved", "time per tile", "copy latency", "critical path", "stages full"):
        assert word in text
    times = [line for line in text.splitlines() if line.startswith(("time per tile", "copy latency"))]
    assert len({word for line in times for word in line.split() if word in ("ns", "µs")}) == 1
    assert "bound" in text.splitlines()[1] or "balanced" in text.splitlines()[1].lower()


def test_the_json_is_of_the_range_asked_for(
    lesson_file: Path, lesson_trace: Trace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(lesson_file), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["range_ns"] == [0, lesson_trace.duration_ps / 1000]
    assert main(["stats", str(lesson_file), "--range", "2us:5000", "--json"]) == 0
    part = json.loads(capsys.readouterr().out)
    assert part["range_ns"] == [2000, 5000]
    assert part["copy_latency_ns"]["count"] < whole["copy_latency_ns"]["count"] == 8
    assert {role["role"] for role in part["roles"]} == {"producer", "consumer"}
    assert main(["stats", str(lesson_file), "--range", ":1us", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["range_ns"] == [0, 1000]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5us", "give two times with a colon"),
        ("5us:2us", "must end after it begins"),
        ("x:2us", "'x' is not a time"),
        ("1s:2s", "begins after the recording ends"),
        ("9e400:", "'9e400' is not a time"),
        ("9" * 5000 + ":", "is not a time"),
    ],
)
def test_a_wrong_range_is_explained(
    lesson_file: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    assert main(["stats", str(lesson_file), "--range", text]) == 2
    assert said in capsys.readouterr().err


def test_several_ctas_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ctas.pscope"
    assert main(["record", "--ctas", "3", "-o", str(path)]) == 0
    capsys.readouterr()
    assert main(["stats", str(path)]) == 0
    assert "across 3 CTAs" in capsys.readouterr().out


def test_of_several_rings_one_can_be_asked_for(
    tmp_path: Path, lesson_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rings.pscope"
    save(two_rings(), path)
    assert main(["stats", str(path), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert main(["stats", str(path), "--ring", "V", "--json"]) == 0
    own = json.loads(capsys.readouterr().out)
    assert own == {"range_ns": whole["range_ns"], "ring": "V", **whole["rings"]["V"]}
    assert main(["stats", str(path), "--ring", "V"]) == 0
    text = capsys.readouterr().out
    assert "ring V: back-pressure" in text
    assert "ring K" not in text
    for word in ("time per tile", "copy latency", "critical path: ", "stages full"):
        assert word in text
    assert main(["stats", str(path), "--ring", "Q"]) == 2
    assert "--ring Q: " in (said := capsys.readouterr().err)
    assert "it has K, V" in said
    assert main(["stats", str(lesson_file), "--ring", "Q"]) == 2
    assert "one ring, without a name" in capsys.readouterr().err
