"""A program without a GPU runs watched: what is recorded of it, and what it notices of that."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import visualizer
from tests.sources.attach.conftest import FakeInstrument, Heard, Watched
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.sources.attach.log_format import LEFT, Keep, LogLayout, read_log
from visualizer.sources.attach.options import LOG_MEMORY, AttachOptions, LogMemory, OnHang
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.attach.session import Session
from visualizer.sources.attach.shim_library import shim_library

Watch = Callable[..., Watched]
LOADED = ("load", "module.ptx")


@pytest.mark.parametrize("how", ["linked", "dlsym", "proc", "thread"])
@pytest.mark.parametrize("kind", ["load", "library", "file"])
@pytest.mark.parametrize("way", ["", "ex", "cooperative"])
def test_every_way_to_a_launch_is_seen(watch: Watch, how: str, kind: str, way: str) -> None:
    launch = ["launch", "gemm", *([way] if way else [])]
    watched = watch(how, kind, "module.ptx", *launch, *launch)
    assert watched.outcome.status == 0
    assert [line.split()[0] for line in watched.lines] == ["twin", "original"]
    assert [recorded.launch.shape.grid for recorded in watched.outcome.recorded] == [(2, 1, 1)]


def test_the_first_launch_of_each_kernel_with_mbarriers_is_recorded(watch: Watch, tmp_path: Path) -> None:
    watched = watch("proc", *LOADED, *["launch", "plain", "launch", "gemm", "launch", "gemm", "launch", "attention"])
    assert [line.split()[:2] for line in watched.lines] == [
        ["original", "plain"],
        ["twin", "gemm"],
        ["original", "gemm"],
        ["twin", "attention"],
    ]
    assert sorted(path.name for path in tmp_path.glob("*.pscope")) == ["attention.pscope", "gemm.pscope"]
    trace = load(tmp_path / "gemm.pscope")
    assert trace.meta.program == "gemm"
    assert trace.meta.command == "attach"
    assert trace.meta.source["elapsed_ms"] == 0.25
    assert trace.meta.source["log_memory"] == "host"
    assert trace.meta.ending.kind == "completed"
    assert {entry.kernel.name: entry.launches for entry in watched.outcome.kernels} == {
        "plain": 1,
        "gemm": 2,
        "attention": 1,
    }
    assert watched.heard.sentences == []


def test_a_chosen_launch_by_kernel_and_number(watch: Watch, tmp_path: Path) -> None:
    options = AttachOptions(kernel="^ge", launches=(2, 3), output=Path("out.pscope"))
    watched = watch("proc", *LOADED, *["launch", "attention"], *["launch", "gemm"] * 5, options=options)
    assert [line.split()[0] for line in watched.lines] == ["original"] * 3 + ["twin"] * 2 + ["original"]
    assert sorted(path.name for path in tmp_path.glob("*.pscope")) == ["out.launch2.pscope", "out.launch3.pscope"]


def test_variables_are_the_same_before_and_behind_the_twin(watch: Watch) -> None:
    watched = watch("proc", *LOADED, *["launch", "gemm"] * 3, options=AttachOptions(launches=(1, 1)))
    assert [line.split()[:4] for line in watched.lines] == [
        ["original", "gemm", "count", "1"],
        ["twin", "gemm", "count", "2"],
        ["original", "gemm", "count", "3"],
    ]


@pytest.mark.parametrize("kind", ["load", "library"])
def test_attributes_go_over_to_the_twin(watch: Watch, kind: str) -> None:
    watched = watch("proc", kind, "module.ptx", "dynamic", "gemm", "200000", "launch", "gemm")
    assert watched.lines == ["twin gemm count 1 shared 200000"]


@pytest.mark.parametrize("how", ["linked", "dlsym", "proc", "thread"])
def test_tensor_maps_among_the_parameters_are_told(watch: Watch, how: str) -> None:
    watched = watch(how, *LOADED, "map", "launch", "gemm")
    (launch,) = watched.instrument.launches
    assert launch.tensor_maps == (TensorMap(0, 6, (64, 128)),)


def test_exit_status_and_output_are_the_programs_own(watch: Watch) -> None:
    watched = watch("proc", *LOADED, "launch", "gemm", "exit", "7")
    assert watched.outcome.status == 7
    assert watched.lines == ["twin gemm count 1 shared 0"]


def test_a_child_is_followed(watch: Watch, tmp_path: Path) -> None:
    """One that was forked before anything happened, and one that a shell starts."""
    watched = watch("proc", "fork", *LOADED, "launch", "gemm")
    assert len(watched.outcome.recorded) == 1
    host = "./host proc load module.ptx launch gemm"
    watched = watch(command=["/bin/sh", "-c", f"RANK=1 {host}; RANK=0 {host}; exit 5"])
    assert watched.outcome.status == 5
    assert sorted(recorded.path.name for recorded in watched.outcome.recorded) == [
        "gemm.rank0.pscope",
        "gemm.rank1.pscope",
    ]
    watched = watch(command=["/bin/sh", "-c", f"RANK=1 {host}; RANK=0 {host}"], options=AttachOptions(ranks=(1,)))
    assert [recorded.launch.origin.rank for recorded in watched.outcome.recorded] == [1]


def test_a_forked_child_talks_for_itself(watch: Watch) -> None:
    watched = watch("proc", *LOADED, "launch", "plain", "fork", *LOADED, "launch", "gemm")
    assert watched.outcome.status == 0
    (recorded,) = watched.outcome.recorded
    assert recorded.launch.kernel.name == "gemm"


@pytest.mark.parametrize("memory", LOG_MEMORY)
def test_a_hang_is_told_while_it_hangs_and_then_ended(watch: Watch, memory: LogMemory) -> None:
    began = time.monotonic()
    options = AttachOptions(stall_s=0.3, log_memory=memory)
    watched = watch("proc", *LOADED, "launch", "stuck", "sync", options=options)
    assert time.monotonic() - began < 20
    assert watched.outcome.hung
    assert watched.outcome.status == 128 + 15
    (hung,) = watched.heard.hangs
    assert hung.trace.meta.ending.kind == "timeout"
    assert hung.path.exists()


def test_a_hang_can_be_left(watch: Watch) -> None:
    """The launch returns as it would have, and the program goes on."""
    options = AttachOptions(stall_s=0.3, on_hang="leave")
    watched = watch("proc", *LOADED, "launch", "stuck", "exit", "4", options=options)
    assert watched.outcome.status == 4
    assert len(watched.heard.hangs) == 1
    assert len(watched.outcome.recorded) == 1


def test_a_crash_keeps_what_was_logged(watch: Watch) -> None:
    watched = watch("proc", *LOADED, "launch", "broken", "sync")
    (recorded,) = watched.outcome.recorded
    assert recorded.trace.meta.ending.kind == "crash"
    assert recorded.trace.meta.ending.detail == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert watched.outcome.status == 98


def test_a_log_in_the_gpus_memory_goes_with_it_in_a_crash(watch: Watch) -> None:
    watched = watch("proc", *LOADED, "launch", "broken", "sync", options=AttachOptions(log_memory="device"))
    assert not any(watched.instrument.logs[0])


@pytest.mark.parametrize("environment", [{}, {"FAKE_FULL": "1"}])
@pytest.mark.parametrize("memory", LOG_MEMORY)
def test_wherever_the_log_is_it_is_read(watch: Watch, memory: LogMemory, environment: dict[str, str]) -> None:
    """A GPU without room for it leaves it to the host."""
    options = AttachOptions(log_memory=memory)
    watched = watch("proc", *LOADED, "launch", "gemm", options=options, environment=environment)
    assert watched.lines == ["twin gemm count 1 shared 0"]
    assert list(watched.instrument.logs[0][::8]) == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("made", [0, 2, 5000, 9000])
def test_of_a_log_in_the_gpus_memory_what_was_written_is_copied(watch: Watch, made: int) -> None:
    """Two streams of three have so many records; behind them the fake kernel writes what nobody should copy."""
    options = AttachOptions(log_memory="device")
    watched = watch("proc", *LOADED, "launch", "gemm", options=options, environment={"FAKE_MADE": str(made)}, room=5000)
    (recorded,) = watched.outcome.recorded
    layout = LogLayout(recorded.launch.shape, room=5000)
    log = read_log(layout, watched.instrument.contents[0])
    assert log.counts.ravel()[:4].tolist() == [LEFT, LEFT + made, LEFT + made, LEFT]
    for stream, rows in enumerate(log.records.view("u4").reshape(-1, 5000, 4)):
        known = min(made, 5000) if stream % 3 else 0
        assert (rows[:known] == 0x55555555).all()
        assert not rows[known:].any()


@pytest.mark.parametrize(("keep", "made", "room"), [(Keep.FIRST, 3000, 8000), (Keep.LAST, 1024, 1024)])
def test_while_a_kernel_hangs_only_what_is_new_is_copied(
    watch: Watch, tmp_path: Path, keep: Keep, made: int, room: int
) -> None:
    """One stream goes on; where it begins again, which of it is new nobody knows."""
    copies = tmp_path / "copies"
    environment = {"FAKE_WRITTEN": str(made), "FAKE_COPIES": str(copies)}
    options = AttachOptions(stall_s=0.3, log_memory="device")
    watched = watch("proc", *LOADED, "launch", "stuck", options=options, environment=environment, room=room, keep=keep)
    (recorded,) = watched.outcome.recorded
    layout = LogLayout(recorded.launch.shape, room, keep)
    log = read_log(layout, watched.instrument.contents[0])
    streams = log.records.view("u4").reshape(-1, room, 4)
    for stream, rows in enumerate(streams[2:], 2):
        known = made if stream % 3 and stream < len(streams) // 2 else 0
        assert (rows[:known] == 0x55555555).all()
        assert not rows[known:].any()
    assert (np.roll(streams[1], -made, axis=0)[:200] == 0x66666666).all()

    sizes = [int(size) for size in copies.read_text().split()]
    begins = [row for row, size in enumerate(sizes) if size == layout.streams_at]
    first, *_, last = (sum(sizes[begin:end]) for begin, end in itertools.pairwise([*begins, len(sizes)]))
    assert first < 3 * made * 16 * len(streams) // 2
    most = len(streams) // 2 * 64 + 256 if keep is Keep.FIRST else len(streams) // 2 * room
    assert last <= layout.streams_at + most * 16


def test_a_killed_program_keeps_what_was_logged(watch: Watch, machine: Path) -> None:
    killer = "./host proc load module.ptx launch stuck & p=$!; sleep 1; kill -9 $p; wait $p; exit $?"
    watched = watch(command=["/bin/sh", "-c", killer], options=AttachOptions(stall_s=60))
    assert watched.outcome.status == 137
    (recorded,) = watched.outcome.recorded
    assert recorded.trace.meta.ending.kind == "crash"
    (entry,) = watched.outcome.kernels
    assert entry.launches == 1


def test_whoever_watches_may_be_killed(machine: Path, tmp_path: Path) -> None:
    """The program goes on as if nobody had watched it; the next session clears up behind the one that was killed."""
    with tempfile.TemporaryDirectory(dir="/tmp") as short:  # a socket's path may not be long
        _kill_whoever_watches(machine, tmp_path, short)


def _kill_whoever_watches(machine: Path, tmp_path: Path, short: str) -> None:
    go, done = tmp_path / "go", tmp_path / "done"
    os.mkfifo(go)
    os.mkfifo(done)
    words = "./host proc load module.ptx launch plain"
    script = f"{words}; echo ready > {done}; read line < {go}; {words} > {tmp_path}/second; echo $? > {done}"
    environment = {
        "LD_LIBRARY_PATH": str(machine),
        "PATH": "/usr/bin:/bin",
        "XDG_CACHE_HOME": str(machine / "cache"),
        "PYTHONPATH": str(Path(visualizer.__file__).parent.parent),
        "TMPDIR": short,
    }
    attach = [sys.executable, "-m", "visualizer", "attach", "--kernel", "nothing", "--"]
    watching = subprocess.Popen([*attach, "/bin/sh", "-c", script], env=environment, cwd=machine)
    assert done.read_text() == "ready\n"
    watching.kill()
    watching.wait()
    go.write_text("go\n")
    assert done.read_text() == "0\n"
    assert (tmp_path / "second").read_text() == "original plain count 1 shared 0\n"
    assert len(list(Path(short).glob("phasescope-attach-*"))) == 1
    subprocess.run([*attach, "true"], env=environment, check=True)
    assert list(Path(short).glob("phasescope-attach-*")) == []


def test_cancelling_ends_the_program_and_all_it_started(watch: Watch) -> None:
    calls = iter(range(10**6))
    watched = watch(command=["/bin/sh", "-c", "sleep 1000 & sleep 1000; echo never"], cancelled=lambda: next(calls) > 2)
    assert watched.outcome.status == 128 + 15
    assert watched.lines == []


def test_launches_into_a_graph_are_counted_and_not_recorded(watch: Watch) -> None:
    watched = watch("proc", *LOADED, "launch", "gemm", "capture", "launch", "gemm")
    assert [line.split()[0] for line in watched.lines] == ["original", "twin"]
    (entry,) = watched.outcome.kernels
    assert (entry.launches, entry.captured) == (1, 1)


def test_listing_records_nothing(watch: Watch) -> None:
    watched = watch("proc", *LOADED, *["launch", "gemm"] * 3, options=AttachOptions(list_only=True))
    assert [line.split()[0] for line in watched.lines] == ["original"] * 3
    (entry,) = watched.outcome.kernels
    assert (entry.launches, entry.kernel.uses_mbarriers) == (3, True)


@pytest.mark.parametrize(
    ("kernel", "environment", "problem", "sentence"),
    [
        ("gemm", {"FAKE_SM": "80"}, "", "Fake GPU 0 has compute capability 8.0"),
        ("plain", {}, "", "it uses no mbarriers"),
        ("gemm", {}, "ptxas says no", "ptxas says no"),
        ("gemm", {"FAKE_NO_REGISTER": "1"}, "", "cuMemHostRegister failed (CUDA_ERROR_NOT_SUPPORTED)"),
        ("unlucky", {}, "", "cuLaunchKernel failed"),
    ],
)
def test_what_cannot_be_recorded_runs_as_it_was(
    watch: Watch, kernel: str, environment: dict[str, str], problem: str, sentence: str
) -> None:
    watched = watch(
        "proc",
        *LOADED,
        *["launch", kernel] * 2,
        options=AttachOptions(kernel=kernel),
        environment=environment,
        problem=problem,
    )
    ran = [line for line in watched.lines if line.startswith("original")]
    assert [line.split()[3] for line in ran] == ["1", "2"]
    assert watched.outcome.status == 0
    assert watched.outcome.recorded == ()
    (said,) = watched.heard.sentences
    assert sentence in said


def test_machine_code_alone_is_refused_with_the_flag_to_build_with(watch: Watch, machine: Path) -> None:
    (machine / "code.ptx").write_text(".entry gemm\nmbarrier.init\n")  # without .target it is no PTX
    watched = watch("proc", "load", "code.ptx", "launch", "gemm", options=AttachOptions(kernel="gemm"))
    (said,) = watched.heard.sentences
    assert said.startswith("gemm is not recorded: its image holds machine code only")
    assert "sm_90a" in said
    # Nobody asked for this one by name: no word about it.
    assert watch("proc", "load", "code.ptx", "launch", "gemm").heard.sentences == []


def test_modules_that_come_and_go(watch: Watch) -> None:
    watched = watch("proc", *[*LOADED, "launch", "gemm", "unload"] * 3)
    assert [line.split()[0] for line in watched.lines] == ["twin", "original", "original"]
    (entry,) = watched.outcome.kernels
    assert entry.launches == 3


def test_nothing_is_left_behind(watch: Watch, tmp_path: Path) -> None:
    folders = f"phasescope-attach-{os.getpid()}-*"
    files = len(os.listdir("/proc/self/fd"))
    watch("proc", *LOADED, "launch", "gemm")
    assert list(Path(tempfile.gettempdir()).glob(folders)) == []
    assert len(os.listdir("/proc/self/fd")) == files
    assert [path.name for path in tmp_path.iterdir() if path.name != "printed"] == ["gemm.pscope"]


@pytest.mark.parametrize("how", ["linked", "dlsym", "proc", "thread"])
def test_a_process_that_runs_already_can_be_watched_for_a_while(
    machine: Path, lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """It holds the driver's functions when watching begins."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine / "cache"))
    library = str(shim_library())
    heard = Heard()
    session = Session(AttachOptions(), FakeInstrument(lesson_trace), heard, folder=tmp_path)
    begun: list[subprocess.Popen[str]] = []

    def begin(socket: Path) -> None:
        words = ["load", "module.ptx", "launch", "attention", "watch", library, str(socket), "load", "module.ptx"]
        words += ["launch", "gemm", "launch", "gemm", "leave", library, "launch", "gemm"]
        words += ["watch", library, str(socket), "load", "module.ptx", "launch", "attention"]
        environment = {"LD_LIBRARY_PATH": str(machine)}
        begun.append(
            subprocess.Popen(
                [machine / "host", how, *words], env=environment, cwd=machine, stdout=subprocess.PIPE, text=True
            )
        )

    def left(seconds: float) -> bool:
        try:
            begun[0].wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    outcome = session.serve(begin, left)
    printed, _ = begun[0].communicate()
    assert [line.split()[:2] for line in printed.splitlines()] == [
        ["original", "attention"],
        ["twin", "gemm"],
        ["original", "gemm"],
        ["original", "gemm"],
        ["twin", "attention"],
    ]
    assert len(outcome.recorded) == 2
    assert heard.sentences == []


@pytest.mark.parametrize("memory", LOG_MEMORY)
def test_a_launch_is_repeated_to_time_it(watch: Watch, tmp_path: Path, memory: LogMemory) -> None:
    """The driver's clock has 200 us for an original and 250 for a twin; the recording stays the first launch's."""
    options = AttachOptions(rounds=6, log_memory=memory)
    watched = watch("proc", *LOADED, "launch", "gemm", options=options)
    assert [line.split()[0] for line in watched.lines] == ["twin"] + ["original", "twin"] * 6
    assert watched.heard.sentences == []
    cost = load(tmp_path / "gemm.pscope").meta.cost
    assert cost["pairs"] == 6
    assert cost["slowdown_percent"] == pytest.approx(25)
    assert (cost["off_ns"], cost["on_ns"]) == (pytest.approx(200_000), pytest.approx(250_000))
    assert watched.instrument.logs == [bytes(byte for number in range(1, 9) for byte in (number, *[0] * 7))]


def test_what_ends_while_it_is_repeated_was_recorded_all_the_same(watch: Watch, tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    options = AttachOptions(rounds=6, stall_s=0)
    watched = watch(
        "proc", *LOADED, "launch", "fragile", options=options, cancelled=lambda: "original" in printed.read_text()
    )
    (recorded,) = watched.outcome.recorded
    assert recorded.trace.meta.ending.kind == "completed"


@pytest.mark.parametrize(("on_hang", "status"), [("end", 128 + 15), ("leave", 4)])
def test_a_launch_that_cannot_be_repeated(watch: Watch, on_hang: OnHang, status: int) -> None:
    options = AttachOptions(rounds=6, stall_s=0.3, on_hang=on_hang)
    words = ["launch", "fragile", *(["sync"] if on_hang == "end" else []), "exit", "4"]
    watched = watch("proc", *LOADED, *words, options=options)
    assert watched.outcome.status == status
    (recorded,) = watched.outcome.recorded
    assert recorded.trace.meta.ending.kind == "completed"
    assert recorded.trace.meta.cost == {}
    (sentence,) = watched.heard.sentences
    assert sentence.startswith("launch 0 of fragile is recorded, but cannot be repeated to time it (it hangs)")
