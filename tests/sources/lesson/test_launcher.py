"""The launcher against stand-in workers: every way a worker can end becomes one sentence or one recording."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.lesson import launcher
from visualizer.sources.lesson.job import COMPARING, Outcome, log_layout
from visualizer.sources.lesson.launcher import record_gpu, trace_of_log
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, LogLevel, RawLog
from visualizer.sources.lesson.window import Window
from visualizer.sources.runner import find_gpu as find_gpu_module
from visualizer.sources.runner.find_gpu import find_gpu
from visualizer.sources.runner.protocol import RUNNING

LOG = Path(__file__).parents[2] / "data" / "lesson-h200.raw.npz"
SOURCE = "{'kind': 'gpu', 'gpu': 'NVIDIA H200'}"
PROLOGUE = f"""
import json, sys, time, shutil
job = sys.stdin.read()
def say(**line): print(json.dumps(line), flush=True)
def running(): say(progress=0.4, message={RUNNING!r})
def done(**more): say(done=dict(source={SOURCE}, versions={{}}, **more))
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Replace the worker by one that runs the given lines of Python."""

    def replace(body: str) -> None:
        (tmp_path / "stand_in_worker.py").write_text(PROLOGUE + body, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        for module in (launcher, find_gpu_module):
            monkeypatch.setattr(module, "WORKER_MODULE", "stand_in_worker")

    return replace


def test_a_run_becomes_a_trace(worker, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shutil.copy(LOG, tmp_path / "log.npz")
    worker(f"running(); shutil.copy({str(tmp_path / 'log.npz')!r}, json.loads(job)['output']); done(checked=65536)")
    seen: list[tuple[float, str]] = []
    trace = record_gpu(LessonConfig(), progress=lambda fraction, message: seen.append((fraction, message)))
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.check == {"mode": "exact", "checked": 65536, "errors": 0}
    assert trace.meta.source["gpu"] == "NVIDIA H200"
    assert 10_000 < trace.meta.source["kernel_ns"] < 30_000
    assert len(trace) > 200
    assert (0.4, RUNNING) in seen


def test_what_recording_cost_is_kept(worker, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shutil.copy(LOG, tmp_path / "log.npz")
    cost = {"slowdown_percent": 1.5, "spread_percent": 0.25, "pairs": 20}
    worker(
        f"running(); shutil.copy({str(tmp_path / 'log.npz')!r}, json.loads(job)['output']);"
        f" say(progress=0.7, message={COMPARING!r}); time.sleep(1.5); done(cost={cost})"
    )
    # Longer without an event than a hang may last: but the kernel has been back for as long.
    trace = record_gpu(LessonConfig(), GpuOptions(ab_pairs=20, hang_s=0.5))
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.cost == cost


def test_a_recording_that_cannot_fit_is_refused_before_any_worker_starts(worker) -> None:  # type: ignore[no-untyped-def]
    worker("done()")
    with pytest.raises(SourceError, match="million events"):
        record_gpu(LessonConfig(tiles=10_000_000, ctas=132))


def test_what_the_worker_cannot_do_is_its_own_sentence(worker) -> None:  # type: ignore[no-untyped-def]
    worker("say(failed='no-gpu', message='this machine has no NVIDIA GPU')")
    with pytest.raises(SourceError, match="this machine has no NVIDIA GPU") as caught:
        record_gpu(LessonConfig())
    assert caught.value.kind == "no-gpu"


def test_a_worker_that_dies_early_is_an_error_with_its_last_words(worker) -> None:  # type: ignore[no-untyped-def]
    worker("sys.exit('libcuda is broken')")
    with pytest.raises(SourceError, match=r"status 1 \(libcuda is broken\)"):
        record_gpu(LessonConfig())


def test_a_worker_that_dies_in_the_kernel_is_a_crashed_recording(worker) -> None:  # type: ignore[no-untyped-def]
    worker("running(); sys.exit(3)")
    trace = record_gpu(LessonConfig())
    assert trace.meta.ending.kind == "crash"
    assert "status 3" in trace.meta.ending.detail
    assert len(trace) == 0


def test_a_launch_failure_is_a_crashed_recording(worker) -> None:  # type: ignore[no-untyped-def]
    worker("running(); done(crash='cudaErrorLaunchFailure: unspecified launch failure')")
    trace = record_gpu(LessonConfig())
    assert (trace.meta.ending.kind, trace.meta.source["gpu"]) == ("crash", "NVIDIA H200")
    assert "cudaErrorLaunchFailure" in trace.meta.ending.detail


def test_a_kernel_beyond_the_time_limit_is_a_recording_that_timed_out(worker) -> None:  # type: ignore[no-untyped-def]
    worker("running(); time.sleep(600)")
    trace = record_gpu(LessonConfig(), GpuOptions(time_limit_s=2))
    assert trace.meta.ending.kind == "timeout"
    assert "2 s" in trace.meta.ending.detail


def test_a_worker_that_never_starts_the_kernel_is_an_error(worker) -> None:  # type: ignore[no-untyped-def]
    worker("time.sleep(600)")
    with pytest.raises(SourceError, match=r"time limit of 0\.5 s"):
        record_gpu(LessonConfig(), GpuOptions(time_limit_s=0.5))


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ({"log_memory": "device"}, "record again with --log-memory host"),
        ({"log_memory": "host"}, ""),
        ({"level": "off"}, ""),
    ],
)
def test_a_hang_whose_log_is_lost_says_how_to_see_it(worker, values: dict[str, Any], advice: str) -> None:  # type: ignore[no-untyped-def]
    worker("running(); time.sleep(600)")
    trace = record_gpu(LessonConfig(), GpuOptions(time_limit_s=2, **values))
    assert trace.meta.ending.kind == "timeout"
    assert trace.meta.ending.detail.startswith("it took longer than the time limit of 2 s")
    assert advice in trace.meta.ending.detail
    assert ("record again" in trace.meta.ending.detail) == bool(advice)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (GpuOptions(), 0),
        (GpuOptions(level="phases"), 0),
        (GpuOptions(level="standard"), 0),
        (GpuOptions(level="full"), 0),
        (GpuOptions(level="words"), 1000),
        (GpuOptions(level="off"), 0),
        (GpuOptions(window=Window(keep_last=8)), 0),
        (GpuOptions(level="full", watchdog_ms=1000), 1000),
        (GpuOptions(probe="words"), 1000),
        (GpuOptions(watchdog_ms=50), 50),
        (GpuOptions(level="words", watchdog_ms=0), 0),
    ],
)
def test_waits_are_bounded_where_records_are_of_events_or_on_request(worker, options: GpuOptions, wanted: int) -> None:  # type: ignore[no-untyped-def]
    worker("running(); done(crash=str(json.loads(job)['watchdog_ms']))")
    assert record_gpu(LessonConfig(tiles=64), options).meta.ending.detail.split(";")[0] == str(wanted)


def test_cancelling_ends_the_worker(worker) -> None:  # type: ignore[no-untyped-def]
    worker("running(); time.sleep(600)")
    messages: list[str] = []
    with pytest.raises(Cancelled):
        record_gpu(
            LessonConfig(), progress=lambda _, message: messages.append(message), cancelled=lambda: bool(messages)
        )


def test_the_probe_answers_or_says_why_not(worker) -> None:  # type: ignore[no-untyped-def]
    worker("say(done={'gpu': 'NVIDIA H200'})")
    assert find_gpu() == {"gpu": "NVIDIA H200"}
    worker("say(failed='no-cupy', message='CuPy cannot be imported: install it')")
    with pytest.raises(SourceError, match="CuPy cannot be imported"):
        find_gpu()


@pytest.mark.parametrize(
    ("values", "option"),
    [
        ({"check": "twice"}, "--check"),
        ({"level": "loud"}, "--level"),
        ({"log_capacity": -1}, "--log-capacity"),
        ({"watchdog_ms": -1}, "--watchdog-ms"),
        ({"log_memory": "disk"}, "--log-memory"),
        ({"hang_s": 0}, "--hang"),
        ({"time_limit_s": 0}, "--time-limit"),
        ({"ab_pairs": 5}, "--ab is 5; it must be 6..1000"),
    ],
)
def test_options_out_of_range_name_themselves(values: dict[str, object], option: str) -> None:
    with pytest.raises(SourceError, match=option):
        GpuOptions(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("level", "fault", "logged"),
    [(None, 0, "full"), (None, 8, "words"), ("phases", 0, "phases"), ("words", 8, "words")],
)
def test_a_mistake_in_the_kernel_is_logged_in_words(worker, level: LogLevel, fault: int, logged: str) -> None:  # type: ignore[no-untyped-def]
    worker("running(); say(done=dict(source={}, versions={}, crash=json.loads(job)['level']))")
    assert record_gpu(LessonConfig(), GpuOptions(level=level), fault=fault).meta.ending.detail == logged


def test_clocks_cannot_show_a_mistake_in_the_kernel() -> None:
    with pytest.raises(SourceError, match="--level full cannot show a fault"):
        record_gpu(LessonConfig(), GpuOptions(level="full"), fault=8)


def test_off_has_no_events_but_its_checks() -> None:
    config = LessonConfig()
    arrays = {name: np.zeros(shape, dtype) for name, (dtype, shape) in log_layout(config, "off", 0).arrays().items()}
    raw = RawLog(**arrays, calibration=np.zeros((0, 2), ANCHOR_DTYPE), level="off")
    trace = trace_of_log(config, GpuOptions(level="off"), raw, Outcome({"kind": "gpu"}, {}, checked=9, errors=2))
    assert len(trace) == 0
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.check == {"mode": "exact", "checked": 9, "errors": 2}
