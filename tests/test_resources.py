"""Recordings that come with phasescope are meant by their bare names; files of a person's own come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from visualizer.resources import recording_path, shipped_recording


def test_a_bare_name_means_what_comes_along() -> None:
    assert recording_path(Path("gemm")) == shipped_recording("gemm")
    assert shipped_recording("gemm").is_file()


@pytest.mark.parametrize("other", ["gemm.pscope", "runs/gemm", "./none", "none", "/gemm", ".."])
def test_everything_else_is_left_alone(other: str) -> None:
    assert recording_path(Path(other)) == Path(other)


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gemm").touch()
    assert recording_path(Path("gemm")) == Path("gemm")
