"""`phasescope open`: what it says when the window cannot be shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from visualizer.app.run import explain_import_error


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
