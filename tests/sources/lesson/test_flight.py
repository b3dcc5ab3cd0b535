"""The flight recorder: what a log holds while its kernel runs, hangs, crashes, or after its worker was killed."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending
from visualizer.sources.lesson import launcher
from visualizer.sources.lesson.launcher import record_gpu, records_per_warp
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import (
    ANCHOR_DTYPE,
    CAPACITY_STEP,
    RECORD_DTYPE,
    SPAN_DTYPE,
    TILE_WORDS,
    LogLevel,
    RawLog,
)
from visualizer.sources.lesson.unfinished_log import FlightLayout
from visualizer.sources.lesson.window import Window
from visualizer.sources.runner.flight import FlightFile
from visualizer.sources.runner.protocol import RUNNING
from visualizer.sources.runner.watch import LOOK_EVERY_S, REST, FlightWatch

LOG = RawLog.load(Path(__file__).parents[2] / "data" / "lesson-h200.raw.npz")


def flight(tmp_path: Path, log: RawLog = LOG) -> FlightFile:
    return FlightFile(tmp_path / "flight.log", FlightLayout(log.level, log.ctas, log.warps, log.capacity))


def write(file: FlightFile, log: RawLog, stored: list[int], *, closed: bool, copies: int = 0) -> None:
    """Fill the file as a kernel does: the first `stored` records of each slice, start anchors, and counts if closed.

    Or as a worker that has copied it so often.
    """
    memory = file.create()
    memory[file.offsets()["end"]] = copies
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
    assert look(1.0) == "it hung: no event for 3 s after 32 events"


def test_a_copied_log_stands_still_only_if_a_further_copy_says_so(tmp_path: Path) -> None:
    file, now = replace(flight(tmp_path), copied=True), [0.0]
    watch = FlightWatch(file, 3.0, None, clock=lambda: now[0])

    def look(seconds: float) -> str:
        now[0] += seconds
        return watch()

    assert look(60) == "", "nothing has been copied yet"
    write(file, LOG, [20, 5, 4, 3], closed=False, copies=1)
    assert look(1) == ""
    assert look(60) == "", "the worker takes its time, not the kernel"
    write(file, LOG, [20, 5, 4, 4], closed=False, copies=2)
    assert look(1) == ""
    write(file, LOG, [20, 5, 4, 4], closed=False, copies=3)
    assert look(2) == ""
    write(file, LOG, [20, 5, 4, 4], closed=False, copies=4)
    assert look(1) == "it hung: no event for 3 s after 33 events"
    assert watch.hung


def test_a_look_that_takes_long_is_followed_by_a_long_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, now, looks = flight(tmp_path), [0.0], []

    def slow_mark(_: FlightFile) -> int:
        looks.append(now[0])
        now[0] += 2.0
        return len(looks)

    monkeypatch.setattr(FlightFile, "mark", slow_mark)
    watch = FlightWatch(file, 3.0, None, clock=lambda: now[0])
    while now[0] < 60:
        watch()
        now[0] += 0.5
    assert np.diff(looks).tolist() == [2 + 2 * REST] * 2


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

    def replace_by(body: str) -> None:
        (tmp_path / "stand_in_flight_worker.py").write_text(PROLOGUE + body, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(launcher, "WORKER_MODULE", "stand_in_flight_worker")

    return replace_by


def test_a_hung_kernel_is_ended_and_its_log_opens(worker: Callable[[str], None]) -> None:
    worker("running(); fly(); time.sleep(600)")
    said: list[str] = []
    options = GpuOptions(level="words", watchdog_ms=0, hang_s=1)
    trace = record_gpu(LessonConfig(), options, progress=lambda _, message: said.append(message))
    assert trace.meta.ending.kind == "timeout"
    assert "no event for 1 s after 32 events" in trace.meta.ending.detail
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
    file = FlightFile(tmp_path / "flight.log", FlightLayout("full", ctas=1, warps=4, capacity=capacity))
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
    assert "no event for 1 s after 7 events" in trace.meta.ending.detail
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


def test_with_the_log_in_device_memory_an_early_crash_has_no_events(worker: Callable[[str], None]) -> None:
    worker("assert not job['mapped']; running(); os.kill(os.getpid(), 9)")
    trace = record_gpu(LessonConfig(), GpuOptions(log_memory="device"))
    assert len(trace) == 0
    assert "went with it before it could be copied: record again with --log-memory host" in trace.meta.ending.detail


def test_a_large_log_stays_in_device_memory(worker: Callable[[str], None]) -> None:
    worker("running(); say(done=dict(source={}, versions={}, crash='host' if job['mapped'] else 'device'))")
    config = LessonConfig(ctas=132, tiles=100)
    assert record_gpu(config, GpuOptions(level="words")).meta.ending.detail.startswith("device;")
    assert record_gpu(config, GpuOptions(level="words", log_memory="host")).meta.ending.detail == "host"


OWN_FILE = """
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.lesson.job import Job, flight_file
file = flight_file(LessonConfig.from_dict(job['config']), Job(**job))
assert file.copied
"""
COPYING = f"""{OWN_FILE}
import numpy as np
from visualizer.sources.runner.mirror import Mirror
kernel = np.memmap(os.environ['STAND_IN_FLIGHT'], np.uint8, 'r')  # the log as it is when the kernel hangs
stored, now = 0, 0.0
def read(name):
    begin = file.offsets()[name]
    array = kernel[begin : begin + np.prod(file.layout.arrays()[name][1]) * file.layout.arrays()[name][0].itemsize]
    if name == 'records':
        array = array.reshape(4, -1).copy()
        array[:, stored * {RECORD_DTYPE.itemsize}:] = 0
    yield array.ravel()
file.save_calibration(np.load(os.environ['STAND_IN_CALIBRATION']))
mirror = Mirror(file, read, clock=lambda: now)
running()
"""
"""A worker that copies a log in device memory, one record a warp more with every copy."""


def test_a_hang_with_the_log_in_device_memory_is_ended_and_loses_nothing(worker: Callable[[str], None]) -> None:
    worker(
        COPYING + "for turn in range(10000):\n"
        "    now += 1; stored = min(stored + 4, 20); mirror(); time.sleep(0.1)\n"
        "    assert os.path.exists(file.path)"
    )
    said: list[str] = []
    options = GpuOptions(level="words", log_memory="device", watchdog_ms=0, hang_s=1)
    trace = record_gpu(LessonConfig(), options, progress=lambda _, message: said.append(message))
    assert trace.meta.ending == Ending("timeout", "it hung: no event for 1 s after 32 events")
    logged = trace.events[np.isin(trace.events["agent"], range(4)) & (trace.events["kind"] != EventKind.PHASE_COMPLETE)]
    assert len(logged) == 32
    assert not any(violations(trace).values())
    assert f"{RUNNING}: 32 events" in said


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        ("time.sleep(600)", "timeout"),
        ("say(done=dict(source={'kind': 'gpu'}, versions={}, crash='cudaErrorLaunchFailure'))", "crash"),
    ],
)
def test_a_kernel_that_ends_between_two_copies_says_that_its_last_events_may_be_missing(
    worker: Callable[[str], None], last: str, kind: str
) -> None:
    """No further copy comes, so nothing tells that it hangs."""
    worker(COPYING + f"now, stored = 1.0, 20; mirror(); {last}")
    options = GpuOptions(level="words", log_memory="device", hang_s=0.2, time_limit_s=4)
    trace = record_gpu(LessonConfig(), options)
    assert trace.meta.ending.kind == kind
    assert "as it was last copied while the kernel ran" in trace.meta.ending.detail
    assert len(trace) >= 32


def test_a_ring_of_clocks_that_hangs_does_not_say_which_tiles_it_holds(worker: Callable[[str], None]) -> None:
    worker(
        OWN_FILE + "memory, at = file.create(), file.offsets()\n"
        "memory[at['anchors'] : at['status']] = 1; running()\n"
        "while True: memory[at['end']] += 1; time.sleep(0.2)"
    )
    options = GpuOptions(window=Window(keep_last=2), log_memory="device", hang_s=1)
    trace = record_gpu(LessonConfig(tiles=64), options)
    assert (trace.meta.ending.kind, len(trace)) == ("timeout", 0)
    assert trace.meta.ending.detail.startswith("it hung: no event for 1 s after 0 events; its ring")


@pytest.mark.parametrize("free", [0, 1 << 40])
def test_a_copied_log_goes_where_there_is_room(
    worker: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    worker("running(); say(done=dict(source={}, versions={}, crash=job['flight']))")
    monkeypatch.setattr(launcher.shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    detail = record_gpu(LessonConfig(), GpuOptions(log_memory="device")).meta.ending.detail
    assert detail.startswith(f"{launcher.FLIGHT_DIRECTORY if free else tempfile.gettempdir()}/phasescope-")


def test_without_a_file_system_in_memory_a_log_is_copied_to_an_ordinary_file(
    tmp_path: Path, worker: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(COPYING + "now, stored = 1.0, 20; mirror(); say(done=dict(source={}, versions={}, crash='it crashed'))")
    monkeypatch.setattr(launcher, "FLIGHT_DIRECTORY", tmp_path / "none")
    assert len(record_gpu(LessonConfig(), GpuOptions(level="words"))) >= 32


def test_a_log_that_is_full_tells_no_hang(worker: Callable[[str], None]) -> None:
    worker("running(); fly(); time.sleep(600)")
    options = GpuOptions(level="words", log_capacity=LOG.capacity, hang_s=0.2, time_limit_s=3)
    detail = record_gpu(LessonConfig(tiles=64), options).meta.ending.detail
    assert detail == "it took longer than the time limit of 3 s"


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
    file = FlightFile(tmp_path / "flight.log", FlightLayout(level, ctas=2, warps=3, capacity=8))
    memory = file.create()
    records = memory[: math.prod(file.layout.arrays()["records"][1]) * 4].view("<u4").reshape(2, -1)
    producer, consumer = TILE_WORDS[level]
    memory[file.offsets()["spans"] :][: 6 * SPAN_DTYPE.itemsize].view(SPAN_DTYPE)["begin"] = 990
    records[1, : 3 * producer] = 7  # three records of CTA 1's producer
    records[1, 8 * producer : 8 * producer + 2 * consumer] = 9  # two of its first consumer
    anchors = memory[file.offsets()["anchors"] :][: 4 * ANCHOR_DTYPE.itemsize].view(ANCHOR_DTYPE)
    anchors["globaltimer"][[0, 2]] = 1
    memory.flush()
    raw = file.read()
    assert raw is not None
    others = 2 if level == "phases" else 0
    assert raw.attempted.tolist() == [0, 0, 0, 3, 2, others]
    assert raw.clocks(0)[1, :4, 0].tolist() == [7, 7, 7, 0]
    assert file.events_so_far() == 5 + others
