"""`phasescope open`: what it says when the window cannot be shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from visualizer.app.run import explain_import_error
from visualizer.playback.address import Address
from visualizer.resources import shipped_recording


def test_a_file_that_is_not_there(phasescope: Callable, tmp_path: Path) -> None:
    missing = tmp_path / "gone.pscope"
    outcome = phasescope("open", missing)
    assert outcome.status == 2
    assert str(missing) in outcome.err


def test_missing_system_libraries_are_named_with_the_apt_line() -> None:
    error = ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")
    sentence = explain_import_error(error)
    assert "libEGL.so.1" in sentence
    assert "apt install libegl1" in sentence


def test_a_missing_package_is_named_with_the_extra() -> None:
    sentence = explain_import_error(ModuleNotFoundError("No module named 'PySide6'", name="PySide6"))
    assert sentence == "the window needs PySide6, which is not installed: pip install 'phasescope[app]'"


def test_files_of_a_job_open_together(phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[Path | None, list[Path]]] = []

    def run_app(address: Address, *, together: Sequence[Path], language: str | None) -> int:
        opened.append((address.path, list(together)))
        return 0

    monkeypatch.setattr("visualizer.app.run.run_app", run_app)
    paths = [tmp_path / f"gemm.rank{rank}.pscope" for rank in (0, 1)]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert phasescope("open", empty).status == 2
    for path in paths:
        path.touch()
    for words in (paths, (tmp_path,)):
        assert phasescope("open", *words).status == 0
    assert phasescope("open", f"{paths[1]}#step=3").status == 0
    assert opened == [(paths[0], paths), (paths[0], paths), (paths[1], [])]
    opened.clear()
    for word in ("gemm", "gemm#step=7"):  # what comes with phasescope, by its name
        assert phasescope(word).status == 0
    assert opened == [(shipped_recording("gemm"), [])] * 2
    assert "no recording (*.pscope) is in this folder" in phasescope("open", empty).err
