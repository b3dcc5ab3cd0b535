"""`phasescope doctor`: each line says ok or missing, and what to install."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from visualizer.cli import doctor
from visualizer.sources.errors import SourceError

_QT = {"pyside": "6.11.0", "fixed_font": "DejaVu Sans Mono", "chinese_font": "Noto Sans CJK SC"}


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set what the two probes answer."""

    def answer(*, qt: dict[str, str] | str = "", gpu: dict[str, str] | str = "") -> None:
        def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            if isinstance(qt, str):
                return subprocess.CompletedProcess(command, 1, "", f"Traceback\n{qt}\n")
            return subprocess.CompletedProcess(command, 0, json.dumps(qt), "")

        def find_gpu() -> dict[str, str]:
            if isinstance(gpu, str):
                raise SourceError(gpu)
            return gpu

        monkeypatch.setattr(doctor.subprocess, "run", run)
        monkeypatch.setattr("visualizer.sources.runner.find_gpu.find_gpu", find_gpu)

    return answer


def test_all_is_well(phasescope: Callable, computer: Callable) -> None:
    computer(qt=_QT, gpu={"gpu": "NVIDIA H200", "driver": "580"})
    outcome = phasescope("doctor")
    assert outcome.status == 0
    assert "missing" not in outcome.out
    assert "NVIDIA H200" in outcome.out
    assert "Noto Sans CJK SC" in outcome.out


@pytest.mark.parametrize(
    ("qt", "gpu", "said"),
    [
        (_QT | {"chinese_font": ""}, {}, "fonts-noto-cjk"),
        (_QT | {"fixed_font": ""}, {}, "fonts-dejavu-core"),
        ("ModuleNotFoundError: No module named 'PySide6'", {}, "pip install 'phasescope[app]'"),
        ("ImportError: libEGL.so.1: cannot open shared object file", {}, "apt install libegl1"),
        (_QT, "install the NVIDIA driver", "install the NVIDIA driver"),
    ],
)
def test_what_is_missing_is_named_with_its_remedy(
    phasescope: Callable, computer: Callable, qt: dict[str, str] | str, gpu: dict[str, str] | str, said: str
) -> None:
    computer(qt=qt, gpu=gpu)
    outcome = phasescope("doctor")
    assert outcome.status == 1
    assert "missing" in outcome.out
    assert said in outcome.out


def test_json(phasescope: Callable, computer: Callable) -> None:
    computer(qt=_QT, gpu="no GPU")
    outcome = phasescope("doctor", "--json")
    document = json.loads(outcome.out)
    assert outcome.status == 1
    assert document["ok"] is False
    by_name = {finding["name"]: finding for finding in document["findings"]}
    assert by_name["Qt"]["ok"] is True
    assert by_name["GPU"] == {
        "name": "GPU", "ok": False, "detail": "recording on a GPU does not work; the simulator does", "remedy": "no GPU"
    }  # fmt: skip


def test_a_qt_that_hangs_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(doctor.subprocess, "run", run)
    (finding,) = doctor.examine_qt()
    assert not finding.ok
    assert "did not start" in finding.detail


def test_the_real_qt_of_this_environment_is_found() -> None:
    findings = {finding.name: finding for finding in doctor.examine_qt()}
    assert findings["Qt"].ok
    assert findings["Qt"].detail.startswith("PySide6 6.")
