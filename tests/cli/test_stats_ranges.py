"""Statistics of any stretch of a recording, also one in which some agents, or all, did nothing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from visualizer.cli import stats
from visualizer.cli.main import main
from visualizer.recording.file import load
from visualizer.resources import resource_dir

RECORDINGS = sorted(Path(str(resource_dir("assets"))).glob("traces/*.pscope"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_range_of_a_recording_has_statistics(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats, "open_history", cache(stats.open_history))  # forty command lines, read and replayed once
    duration, random = load(path).duration_ps, Random(path.stem)
    for _ in range(20):
        first = random.randint(0, duration - 1)
        last = min(first + random.choice((1, 20_000, 10**6, duration)), duration)
        arguments = ["stats", str(path), "--range", f"{first}ps:{last}ps"]
        assert main(arguments) == 0
        assert capsys.readouterr().out
        assert main([*arguments, "--json"]) == 0
        json.loads(capsys.readouterr().out)


def test_what_is_absent_is_a_dash(lesson_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(lesson_file), "--range", "0:1ps"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["time", "per", "tile", "0", "-", "-", "-", "-", "-", "-"] in rows
