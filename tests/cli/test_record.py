"""`phasescope record`: every option reaches the program, the summary tells the truth, and the exit status too."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.recording.file import load
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError

_NOT_THE_LESSON = {
    "stages": 2,
    "tiles": 4,
    "tile_rows": 64,
    "tile_columns": 128,
    "consumer_warps": 2,
    "arrive_per_warp": True,
    "ctas": 2,
    "source_tiles": 2,
    "producer_delay": 100,
    "consumer_delay": 200,
    "producer_arrivals": 1,
    "consumer_arrivals": 2,
    "transaction_bytes": 16384,
    "producer_phase": 1,
    "consumer_phase": 0,
}


def test_records_the_lesson(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", "-o", path)
    trace = load(path)
    assert outcome.status == 0
    assert outcome.err == ""
    assert outcome.out == (
        f"{path}: {len(trace)} events, completed, not checked, 0 events lost, {trace.duration_ps / 1e6:.3f} µs\n"
    )
    assert trace.meta.config == LessonConfig().as_dict()
    assert trace.meta.command == f"phasescope record -o {path}"


def test_every_parameter_is_an_option(phasescope: Callable, tmp_path: Path) -> None:
    assert set(_NOT_THE_LESSON) == {parameter.name for parameter in PARAMETERS}
    words: list[object] = ["--tile", "64x128"]
    for parameter in PARAMETERS:
        if parameter.is_switch:
            words.append(parameter.option)
        elif parameter.option != "--tile":
            words += [parameter.option, _NOT_THE_LESSON[parameter.name]]
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", *words, "--seed", 7, "-o", path)
    assert outcome.status == 0, outcome.err
    trace = load(path)
    assert trace.meta.config == _NOT_THE_LESSON
    assert trace.meta.source["seed"] == 7


def test_a_program_has_options_of_its_own(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", "--program", "attention", "--k-stages", 1, "--v-stages", 4, "-o", path)
    assert outcome.status == 0, outcome.err
    told = {"tiles": 8, "tile_rows": 128, "tile_columns": 64, "k_stages": 1, "v_stages": 4}
    assert load(path).meta.config == told
    outcome = phasescope("record", "--program", "gemm", "--stages", 2, "-o", path)
    assert (outcome.status, load(path).meta.config) == (0, {"stages": 2})


def test_the_help_tells_the_default_of_each_program_that_has_another(phasescope: Callable) -> None:
    told = " ".join(phasescope("record", "--help").out.split())
    assert "stage buffers in the ring (1..8; default: 3, gemm 4, pingpong 5)" in told
    assert "stages of K's ring (1..8; default: 2)" in told
    assert told.count("--k-stages N") == 2, "in the usage and with its help"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--stages", "9"), "--stages"),
        (("--program", "gemm", "--stages", "5"), "--stages 5: gemm needs 279552 bytes"),
        (("--k-stages", "3"), "--k-stages is a parameter of attention; --program lesson does not have it"),
        (("--source", "gpu", "--v-stages", "3"), "--v-stages is a parameter of attention; --program lesson"),
        (("--tiles", "many"), "--tiles"),
        (("--tile", "128"), "--tile"),
        (("--tile", "128x65"), "--tile"),
        (("--stages", "8", "--tile", "256x512"), "shared memory"),
        (("--program", "lessons"), "--program"),
        (("--seed", "-1"), "--seed"),
        (("--check", "off"), "--check applies to --source gpu only"),
        (("--source", "gpu", "--seed", "1"), "--seed applies to --source simulator only"),
        (("--source", "gpu", "--time-limit", "soon"), "--time-limit"),
        (("--source", "gpu", "--watchdog-ms", "-1"), "--watchdog-ms"),
    ],
)
def test_bad_options_are_named_and_nothing_is_written(
    phasescope: Callable, tmp_path: Path, words: tuple[str, ...], names: str
) -> None:
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", *words, "-o", path)
    assert outcome.status == 2
    assert names in outcome.err
    assert not path.exists()


def test_an_output_that_cannot_be_written_is_refused_before_the_run(phasescope: Callable, tmp_path: Path) -> None:
    assert "directory" in phasescope("record", "-o", tmp_path).err
    outcome = phasescope("record", "-o", tmp_path / "none" / "run.pscope")
    assert outcome.status == 2
    assert "make it first" in outcome.err


def test_a_deadlock_is_saved_and_exits_1(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "deadlock.pscope"
    outcome = phasescope("record", "--producer-phase", "0", "-o", path)
    assert outcome.status == 1
    assert "deadlock" in outcome.out
    assert load(path).meta.ending.kind == "deadlock"


def _gpu(monkeypatch: pytest.MonkeyPatch, deliver: Callable[..., Trace]) -> None:
    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", deliver)


def test_gpu_options_reach_the_launcher(
    phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lesson_trace: Trace
) -> None:
    seen: dict[str, Any] = {}

    def record_gpu(config: LessonConfig, options: Any, **_: object) -> Trace:
        seen.update(config=config, options=options)
        return lesson_trace

    _gpu(monkeypatch, record_gpu)
    outcome = phasescope(
        "record", "--source", "gpu", "--check", "checksum", "--log-capacity", 99, "--watchdog-ms", 5,
        "--level", "standard", "--time-limit", 7.5, "--tiles", 16, "-o", tmp_path / "run.pscope",
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    assert seen["config"] == LessonConfig(tiles=16)
    options = seen["options"]
    assert options.level == "standard"
    assert (options.check, options.log_capacity, options.watchdog_ms, options.time_limit_s) == ("checksum", 99, 5, 7.5)


def test_wrong_results_exit_1(
    phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lesson_trace: Trace
) -> None:
    meta = replace(lesson_trace.meta, check={"mode": "exact", "checked": 100, "errors": 3})
    _gpu(monkeypatch, lambda *_, **__: replace(lesson_trace, meta=meta))
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", "--source", "gpu", "-o", path)
    assert outcome.status == 1
    assert "3 errors" in outcome.out
    assert path.exists()


def test_a_crash_names_its_code(
    phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lesson_trace: Trace
) -> None:
    meta = replace(lesson_trace.meta, ending=Ending("crash", "CUDA_ERROR_LAUNCH_FAILED (719)"))
    _gpu(monkeypatch, lambda *_, **__: replace(lesson_trace, meta=meta))
    outcome = phasescope("record", "--source", "gpu", "-o", tmp_path / "run.pscope")
    assert outcome.status == 1
    assert "crash (CUDA_ERROR_LAUNCH_FAILED (719))" in outcome.out


def test_no_gpu_is_one_sentence(phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def record_gpu(*_: object, **__: object) -> Trace:
        raise SourceError("there is no NVIDIA driver; use --source simulator")

    _gpu(monkeypatch, record_gpu)
    outcome = phasescope("record", "--source", "gpu", "-o", tmp_path / "run.pscope")
    assert outcome.status == 2
    assert outcome.err == "phasescope: there is no NVIDIA driver; use --source simulator\n"


def test_ctrl_c_ends_a_long_run_in_order(tmp_path: Path) -> None:
    """On a terminal, because only there the progress line tells that the run has begun."""
    path = tmp_path / "long.pscope"
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "visualizer", "record", "--tiles", "30000", "-o", str(path)]
    with (
        os.fdopen(controller, "rb", buffering=0) as screen,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True) as process,
    ):
        os.close(terminal)
        ready, _, _ = select.select([screen], [], [], 60)
        if not ready or b"%" not in screen.read(4096):
            process.kill()
            pytest.fail("no progress within a minute")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        said = screen.read(4096).decode()
    assert process.returncode == 130
    assert out == ""
    assert "cancelled; nothing was saved" in said
    assert not path.exists()
