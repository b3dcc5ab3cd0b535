"""The command as a whole: help, version, unknown words, and that none of it needs PySide6."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

from visualizer import __version__
from visualizer.cli import main as main_module
from visualizer.cli import version as version_module
from visualizer.playback.address import Address

_WITHOUT_QT = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("PySide6", "shiboken6"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Blocker())
from visualizer.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def _run_without_qt(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _WITHOUT_QT, *map(str, words)], capture_output=True, text=True, timeout=120
    )


def test_version(phasescope: Callable) -> None:
    outcome = phasescope("--version")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert lines[0] == f"phasescope {__version__}"
    assert [line.split()[0] for line in lines[1:]] == ["Python", "numpy", "PySide6", "CuPy", "cuda-bindings", "NVIDIA"]
    assert f"  numpy {numpy.__version__}" in lines


def test_the_version_of_a_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "version"
    monkeypatch.setattr(version_module, "_DRIVER", file)
    assert version_module.driver_version() == ""
    assert "NVIDIA driver not installed" in version_module.version_text()
    module = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (dvs)\n"
    file.write_text(f"{module}GCC version: 12.3.0\n")
    assert version_module.driver_version() == "580.159.04"


@pytest.mark.parametrize("words", [(), *((name,) for name in main_module.COMMANDS)])
def test_every_help_has_a_description_and_examples(phasescope: Callable, words: tuple[str, ...]) -> None:
    outcome = phasescope(*words, "--help")
    assert outcome.status == 0
    assert "examples:" in outcome.out
    assert "phasescope" in outcome.out


def test_the_word_open_may_be_left_out(phasescope: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[Address] = []

    def run_app(address: Address, *, together: object, language: str | None) -> int:
        opened.append(address)
        return 0

    monkeypatch.setattr("visualizer.app.run.run_app", run_app)
    recording = tmp_path / "a.pscope"
    recording.touch()
    for words in ((), ("open",), (recording,), ("open", recording)):
        assert phasescope(*words).status == 0
    assert opened == [Address(None), Address(None), Address(recording), Address(recording)]


def test_a_word_that_is_no_command_and_no_file(phasescope: Callable) -> None:
    outcome = phasescope("recrod")
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.startswith("phasescope: recrod: no such recording, and no command of that name")


def test_an_unknown_option_exits_2(phasescope: Callable) -> None:
    outcome = phasescope("record", "--colour", "blue", "-o", "x.pscope")
    assert outcome.status == 2
    assert "--colour" in outcome.err


def test_python_m_visualizer_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "visualizer", "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith(f"phasescope {__version__}\n")


def test_recording_and_showing_need_no_qt(tmp_path: Path) -> None:
    recording = tmp_path / "lesson.pscope"
    recorded = _run_without_qt("record", "-o", recording)
    assert (recorded.returncode, recorded.stderr) == (0, "")
    shown = _run_without_qt("show", recording, "--table")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "pipe_write" in shown.stdout


def test_the_window_without_qt_says_what_to_install(lesson_file: Path) -> None:
    done = _run_without_qt("open", lesson_file)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "pip install 'phasescope[app]'" in done.stderr
