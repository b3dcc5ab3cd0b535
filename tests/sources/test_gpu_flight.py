"""The flight recorder: what a log holds while its kernel runs, hangs, crashes, or after its worker was killed."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.gpu import process
from visualizer.sources.gpu.flight import FlightFile
from visualizer.sources.gpu.launcher import record_gpu, records_per_warp
from visualizer.sources.gpu.options import GpuOptions
from visualizer.sources.gpu.protocol import RUNNING
from visualizer.sources.gpu.watch import LOOK_EVERY_S, FlightWatch
from visualizer.trace.raw import (
    ANCHOR_DTYPE,
    CAPACITY_STEP,
    RECORD_DTYPE,
    SPAN_DTYPE,
    TILE_WORDS,
    LogLayout,
    LogLevel,
    RawLog,
)
from visualizer.trace.schema import EventKind
from visualizer.trace.violations import violations

LOG = RawLog.load(Path(__file__).parents[1] / "data" / "lesson-h200.raw.npz")


def flight(tmp_path: Path, log: RawLog = LOG) -> FlightFile:
    return FlightFile(tmp_path / "flight.log", LogLayout(log.level, log.ctas, log.warps, log.capacity))


def write(file: FlightFile, log: RawLog, stored: list[int], *, closed: bool) -> None:
    """Fill the file as a kernel does: the first `stored` records of each slice, start anchors, and counts if closed."""
    memory = file.create()
    offsets = file.offsets()

    def put(name: str, array: np.ndarray) -> None:
        data = np.ascontiguousarray(array).view(np.uint8).ravel()
        memory[offsets[name] : offsets[name] + len(data)] = data

    records = np.zeros_like(log.records)
    for slice_, count in enumerate(stored):
        records[slice_, :count] = log.records[slice_, :count]
    anchors = log.anchors.copy()
    if not closed:
        anchors[:, 1] = 0
    put("records", records)
    put("anchors", anchors)
    if closed:
        put("attempted", log.attempted)
        put("status", log.status)
    memory.flush()
    file.save_calibration(log.calibration)


def test_nothing_before_the_worker_made_the_file(tmp_path: Path) -> None:
    assert flight(tmp_path).events_so_far() == 0
    assert flight(tmp_path).read() is None
    flight(tmp_path).create()
    assert flight(tmp_path).read() is None, "no CTA has started"


def test_a_kernel_that_came_back_reads_as_its_log(tmp_path: Path) -> None:
    file = flight(tmp_path)
    write(file, LOG, LOG.stored.tolist(), closed=True)
    raw = file.read()
    assert raw is not None
    for name in ("attempted", "anchors", "calibration", "status"):
        assert np.array_equal(getattr(raw, name), getattr(LOG, name)), name
    assert np.array_equal(raw.records[0, : raw.stored[0]], LOG.records[0, : LOG.stored[0]])


def test_warps_that_never_left_end_where_they_stand(tmp_path: Path) -> None:
    file = flight(tmp_path)
    write(file, LOG, [20, 5, 4, 3], closed=False)
    raw = file.read()
    assert raw is not None
    assert raw.attempted.tolist() == [20, 5, 4, 3]
    assert file.events_so_far() == 32
    assert raw.status.tolist() == [0]


def test_half_a_record_does_not_count(tmp_path: Path) -> None:
    file = flight(tmp_path)
    write(file, LOG, [20, 5, 4, 3], closed=False)
    memory = np.memmap(file.path, dtype=np.uint8, mode="r+")
    memory[:].view(np.uint8)[20 * RECORD_DTYPE.itemsize] = 7  # the clock's first byte, its kind not yet
    memory.flush()
    raw = file.read()
    assert raw is not None
    assert raw.attempted[0] == 20


def test_the_watch_tells_events_and_ends_a_run_that_stands_still(tmp_path: Path) -> None:
    file, now, said = flight(tmp_path), [0.0], []
    watch = FlightWatch(file, 3.0, lambda _, message: said.append(message), clock=lambda: now[0])

    def look(seconds: float) -> str:
        now[0] += seconds
        return watch()

    assert look(LOOK_EVERY_S) == ""
    write(file, LOG, [20, 5, 4, 3], closed=False)
    assert look(2.5) == ""
    assert said == [f"{RUNNING}: 32 events"]
    assert look(2.5) == ""
    assert look(1.0) == "it hung: no event for 3 s after 32"


PROLOGUE = f"""
import json, os, shutil, sys, time
job = json.loads(sys.stdin.read())
def say(**line): print(json.dumps(line), flush=True)
def running(): say(progress=0.4, message={RUNNING!r}, source={{'kind': 'gpu', 'gpu': 'NVIDIA H200'}}, versions={{}})
def fly():
    shutil.copy(os.environ['STAND_IN_FLIGHT'], job['flight'])
    shutil.copy(os.environ['STAND_IN_CALIBRATION'], job['flight'][:-4] + '.calibration.npy')
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Replace the worker by one that runs the given lines after a kernel has logged for a while."""
    file = flight(tmp_path)
    write(file, LOG, [20, 5, 4, 3], closed=False)
    monkeypatch.setenv("STAND_IN_FLIGHT", str(file.path))
    monkeypatch.setenv("STAND_IN_CALIBRATION", str(tmp_path / "flight.calibration.npy"))

    def replace(body: str) -> None:
        (tmp_path / "stand_in_flight_worker.py").write_text(PROLOGUE + body, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(process, "WORKER_MODULE", "stand_in_flight_worker")

    return replace


def test_a_hung_kernel_is_ended_and_its_log_opens(worker: Callable[[str], None]) -> None:
    worker("running(); fly(); time.sleep(600)")
    said: list[str] = []
    options = GpuOptions(level="words", watchdog_ms=0, hang_s=1)
    trace = record_gpu(LessonConfig(), options, progress=lambda _, message: said.append(message))
    assert trace.meta.ending.kind == "timeout"
    assert "no event for 1 s after 32" in trace.meta.ending.detail
    assert trace.meta.source["gpu"] == "NVIDIA H200"
    logged = trace.events[np.isin(trace.events["agent"], range(4)) & (trace.events["kind"] != EventKind.PHASE_COMPLETE)]
    assert len(logged) == 32
    assert not any(violations(trace).values())
    assert f"{RUNNING}: 32 events" in said


def test_a_hang_of_plain_waits_is_ended_and_shows_the_wait_of_every_warp(
    tmp_path: Path, worker: Callable[[str], None]
) -> None:
    """With plain waits nothing in the kernel gives up. Its consumers hang at tile 1, its producer at tile 4."""
    capacity = -(-records_per_warp(LessonConfig(), "full") // CAPACITY_STEP) * CAPACITY_STEP
    file = FlightFile(tmp_path / "flight.log", LogLayout("full", ctas=1, warps=4, capacity=capacity))
    memory = file.create()
    records = memory[: math.prod(file.layout.arrays()["records"][1]) * 4].view("<u4")
    records[: 4 * 4] = 1000 + 100 * np.arange(16)
    for warp in range(3):
        records[4 * capacity + 2 * capacity * warp :][:2] = (1010, 1500)
    spans = memory[file.offsets()["spans"] :][: 4 * SPAN_DTYPE.itemsize].view(SPAN_DTYPE)
    spans["begin"] = 990
    anchors = memory[file.offsets()["anchors"] :][: 2 * ANCHOR_DTYPE.itemsize].view(ANCHOR_DTYPE)
    anchors["clock"][0], anchors["globaltimer"][0] = 900, 10**18
    memory.flush()
    worker("assert job['watchdog_ms'] == 0; running(); fly(); time.sleep(600)")
    trace = record_gpu(LessonConfig(), GpuOptions(watchdog_ms=0, hang_s=1))
    assert trace.meta.ending.kind == "timeout"
    assert "no event for 1 s after 7" in trace.meta.ending.detail
    assert EventKind.TIMEOUT not in trace.events["kind"]
    for agent in range(4):
        mine = trace.events[(trace.events["agent"] == agent) & (trace.events["kind"] != EventKind.PHASE_COMPLETE)]
        assert (mine["kind"][-1], mine["tile"][-1]) == (EventKind.WAIT_BEGIN, 1 if agent else 4)
    assert not any(violations(trace).values())


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (
            "say(done=dict(source={'kind': 'gpu'}, versions={}, crash='cudaErrorLaunchFailure'))",
            "cudaErrorLaunchFailure",
        ),
        ("os.kill(os.getpid(), 9)", "status -9"),
    ],
    ids=["launch failure", "killed"],
)
def test_a_crash_keeps_what_was_logged(worker: Callable[[str], None], last: str, words: str) -> None:
    worker(f"running(); fly(); {last}")
    trace = record_gpu(LessonConfig(), GpuOptions(level="words"))
    assert trace.meta.ending.kind == "crash"
    assert words in trace.meta.ending.detail
    assert len(trace) >= 32


def test_with_the_log_in_device_memory_a_crash_has_no_events(worker: Callable[[str], None]) -> None:
    worker("assert job['flight'] == ''; running(); os.kill(os.getpid(), 9)")
    assert len(record_gpu(LessonConfig(), GpuOptions(log_memory="device"))) == 0


def test_a_large_log_stays_in_device_memory(worker: Callable[[str], None]) -> None:
    worker("running(); say(done=dict(source={}, versions={}, crash=job['flight'] or 'device'))")
    config = LessonConfig(ctas=132, tiles=100)
    assert record_gpu(config, GpuOptions(level="words")).meta.ending.detail == "device"
    assert record_gpu(config, GpuOptions(level="words", log_memory="host")).meta.ending.detail.endswith("flight.log")


def test_calibration_is_optional(tmp_path: Path) -> None:
    file = flight(tmp_path)
    write(file, LOG, LOG.stored.tolist(), closed=True)
    (tmp_path / "flight.calibration.npy").unlink()
    raw = file.read()
    assert raw is not None
    assert raw.calibration.dtype == ANCHOR_DTYPE
    assert len(raw.calibration) == 0


@pytest.mark.parametrize("level", ["phases", "standard", "full"])
def test_clocks_fly_too(tmp_path: Path, level: LogLevel) -> None:
    """Records of clocks are whole once there; a warp without its own is as far as the one that speaks for it."""
    file = FlightFile(tmp_path / "flight.log", LogLayout(level, ctas=2, warps=3, capacity=8))
    memory = file.create()
    records = memory[: math.prod(file.layout.arrays()["records"][1]) * 4].view("<u4").reshape(2, -1)
    producer, consumer = TILE_WORDS[level]
    records[1, : 3 * producer] = 7  # three records of CTA 1's producer
    records[1, 8 * producer : 8 * producer + 2 * consumer] = 9  # two of its first consumer
    anchors = memory[file.offsets()["anchors"] :][: 4 * ANCHOR_DTYPE.itemsize].view(ANCHOR_DTYPE)
    anchors["globaltimer"][0] = 1
    memory.flush()
    raw = file.read()
    assert raw is not None
    others = 2 if level == "phases" else 0
    assert raw.attempted.tolist() == [0, 0, 0, 3, 2, others]
    assert raw.clocks(0)[1, :4, 0].tolist() == [7, 7, 7, 0]
    assert file.events_so_far() == 5 + others
