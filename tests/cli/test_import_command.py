"""`phasescope import`, and that commands take another tool's file as they take a recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sources.imports import logs


@pytest.mark.parametrize("name", logs.FILES)
def test_import_writes_a_recording(phasescope: Callable, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(logs.FILES[name])
    outcome = phasescope("import", tmp_path / name, "-o", tmp_path / "run.pscope")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{tmp_path / 'run.pscope'}: ")
    for file in ("run.pscope", name):
        shown = phasescope("show", tmp_path / file)
        assert shown.status == 0
        assert f"file {name}" in shown.out
        assert "as the file has it" in shown.out
        assert phasescope("diagnose", tmp_path / file, "--partial").status == 0


def test_wrong_words(phasescope: Callable, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(logs.CSV)
    output = tmp_path / "run.pscope"
    assert "--launch is -1" in phasescope("import", log, "-o", output, "--launch", -1).err
    assert "--launch is for synclog" in phasescope("import", log, "-o", output, "--launch", 1).err
    assert "would be lost" in phasescope("import", log, "-o", log).err
    gone = phasescope("import", tmp_path / "gone", "-o", output)
    assert (gone.status, gone.err) == (
        2,
        f"phasescope: {tmp_path / 'gone'}: it cannot be read: No such file or directory\n",
    )
    assert not output.exists()
