"""A driver and a program without a GPU, built once, and an instrument that any kernel fits."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.sources.attach.instrument import Twin
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import CONTROL_SYMBOL, Keep, LogLayout
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.recorded_launch import RecordedLaunch
from visualizer.sources.attach.session import Outcome, Recorded, Session
from visualizer.sources.errors import SourceError

HERE = Path(__file__).resolve().parent
MODULE = """.version 8.8
.target sm_90a
//variable counter 4
.entry gemm
    mbarrier.try_wait
.entry attention
    mbarrier.init
.entry stuck hang
    mbarrier.try_wait
.entry broken fault
    mbarrier.try_wait
.entry unlucky refused
    mbarrier.try_wait
.entry fragile once
    mbarrier.try_wait
.entry plain
    ret
"""


class FakeInstrument:
    """Twins of the fake driver's kernels; every log reads as the simulated lesson."""

    def __init__(self, lesson: Trace) -> None:
        self._lesson = lesson
        self.launches: list[RecordedLaunch] = []
        self.logs: list[bytes] = []  # what the kernel wrote
        self.problem = ""
        self.room = 15
        self.keep = Keep.FIRST
        self.contents: list[bytes] = []  # whole logs

    def twin(self, kernel: Kernel, shape: Shape) -> Twin:
        if self.problem:
            raise SourceError(self.problem)
        assert kernel.ptx is not None
        body = kernel.ptx.entry(kernel.name).splitlines()[0]
        text = f"{body}\n//variable {CONTROL_SYMBOL} 64\n//variable counter 4\n"
        return Twin(text.encode(), kernel.name, (("global", "counter"),))

    def layout(self, twin: Twin, shape: Shape) -> LogLayout:
        return LogLayout(shape, self.room, self.keep)

    def progress(self, twin: Twin, layout: LogLayout, launch: RecordedLaunch) -> int:
        return sum(number != 0 for number in launch.log()[1024:1088])

    def trace(self, twin: Twin, layout: LogLayout, launch: RecordedLaunch, ending: Ending) -> Trace:
        self.launches.append(launch)
        self.logs.append(launch.log()[1024:1088])
        self.contents.append(launch.log()[:])
        meta = replace(self._lesson.meta, program=launch.kernel.short, ending=ending)
        return replace(self._lesson, meta=meta)


@dataclass
class Heard:
    """What a session told."""

    sentences: list[str] = field(default_factory=list)
    recordings: list[Recorded] = field(default_factory=list)
    hangs: list[Recorded] = field(default_factory=list)

    def said(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def recorded(self, recorded: Recorded) -> None:
        self.recordings.append(recorded)

    def hung(self, recorded: Recorded) -> None:
        self.hangs.append(recorded)


@dataclass
class Watched:
    """One program that was watched."""

    outcome: Outcome
    heard: Heard
    instrument: FakeInstrument
    lines: list[str]  # that it printed


def build_machine(folder: Path) -> Path:
    """Put a driver, the program `host` and a module that it can load into a folder."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    driver = folder / "libcuda.so.1"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", driver, HERE / "fake_cuda.c", "-ldl"],
        check=True,
    )
    subprocess.run([compiler, "-o", folder / "host", HERE / "host.c", driver, "-ldl"], check=True)
    (folder / "module.ptx").write_text(MODULE)
    return folder


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the driver, the program `host` and a module that it can load."""
    return build_machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture
def watch(
    machine: Path, lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Watched]:
    """`watch("dlsym", "load", "module.ptx", "launch", "gemm")` runs the program under a session."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine / "cache"))

    def run(
        *words: str,
        command: Sequence[str] = (),
        options: AttachOptions | None = None,
        environment: dict[str, str] | None = None,
        problem: str = "",
        room: int = 15,
        keep: Keep = Keep.FIRST,
        cancelled: Callable[[], bool] | None = None,
    ) -> Watched:
        instrument, heard = FakeInstrument(lesson_trace), Heard()
        instrument.problem, instrument.room, instrument.keep = problem, room, keep
        session = Session(options or AttachOptions(), instrument, heard, command="attach", folder=tmp_path)
        printed = tmp_path / "printed"
        with printed.open("wb") as output:
            outcome = session.run(
                command or [str(machine / "host"), *words],
                {"LD_LIBRARY_PATH": str(machine), "PATH": "/usr/bin:/bin", **(environment or {})},
                machine,
                output,
                cancelled,
            )
        return Watched(outcome, heard, instrument, printed.read_text().splitlines())

    return run
