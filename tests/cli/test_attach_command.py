"""`phasescope attach`: its words, its exit status, and what it says; the recording itself is tried in tests/sources."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome
from visualizer.cli import attach
from visualizer.playback.address import Address
from visualizer.recording.trace import Trace
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.recorded_launch import Origin, RecordedLaunch
from visualizer.sources.attach.session import Launches, Recorded, Session
from visualizer.sources.attach.session import Outcome as SessionOutcome

Phasescope = Callable[..., Outcome]


def kernel(name: str, *, uses_mbarriers: bool | None = True, lacks_ptx: bool = False) -> Kernel:
    return Kernel(0, name, "", {}, uses_mbarriers=uses_mbarriers, lacks_ptx=lacks_ptx)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, lesson_trace: Trace) -> list[tuple[AttachOptions, list[str]]]:
    """What sessions were asked for. Each says that it recorded the lesson; one for `hang`, that it hung."""
    seen: list[tuple[AttachOptions, list[str]]] = []

    def run(self: Session, command: list[str], cancelled: Callable[[], bool]) -> SessionOutcome:
        seen.append((self._options, command))
        gemm = kernel("_Z4gemmPf")
        launch = RecordedLaunch(0, gemm, Origin(1), 0, Shape((1, 1, 1), (32, 1, 1)), 64)
        recorded = Recorded(Path("gemm.pscope"), launch, lesson_trace)
        self._listener.recorded(recorded)
        hung = "hang" in command
        if hung:
            self._listener.hung(recorded)
        counts = (
            Launches(gemm, 3, 1),
            Launches(kernel("plain", uses_mbarriers=False), 9, 0),
            Launches(kernel("other", uses_mbarriers=None, lacks_ptx=True), 2, 0),
        )
        return SessionOutcome(5, (recorded,), counts, hung)

    monkeypatch.setattr(Session, "run", run)
    return seen


def test_options_reach_the_session(phasescope: Phasescope, asked: list[tuple[AttachOptions, list[str]]]) -> None:
    words = "--kernel fmha --launch 3:5 --ctas 131,0,1 --level waits --keep-last 50 --stall 2 --on-hang leave"
    words += " --log-memory host --rank 1 --time 20 --list -o out.pscope -- sh train.py --launch 9"
    outcome = phasescope("attach", *words.split())
    assert outcome.status == 5
    ((options, command),) = asked
    assert options == AttachOptions(
        kernel="fmha",
        launches=(3, 5),
        ctas=(0, 1, 131),
        level="waits",
        keep_last=50,
        stall_s=2.0,
        on_hang="leave",
        log_memory="host",
        ranks=(1,),
        rounds=20,
        output=Path("out.pscope"),
        list_only=True,
    )
    assert command == ["sh", "train.py", "--launch", "9"]


def test_what_it_says_goes_to_stderr(phasescope: Phasescope, asked: list[tuple[AttachOptions, list[str]]]) -> None:
    outcome = phasescope("attach", "--", "true")
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert lines[0].startswith("phasescope: gemm.pscope: ")
    assert lines[1:] == [
        "phasescope: gemm: 3 launches, 1 more into CUDA graphs, which are not recorded  gemm(float*)",
        "phasescope: 1 kernel without PTX was not looked into",
    ]


def test_a_hang_is_diagnosed_and_has_a_status_of_its_own(
    phasescope: Phasescope, asked: list[tuple[AttachOptions, list[str]]]
) -> None:
    outcome = phasescope("attach", "--", "true", "hang")
    assert outcome.status == attach.EXIT_HUNG
    assert "findings" in outcome.err or "finding" in outcome.err
    assert phasescope("attach", "--on-hang", "leave", "--", "true", "hang").status == 5


def test_what_was_recorded_is_shown_once_the_program_has_ended(
    phasescope: Phasescope,
    asked: list[tuple[AttachOptions, list[str]]],
    lesson_trace: Trace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The window is imported while the program runs; the exit status stays the program's."""
    happened: list[object] = []
    imported = threading.Event()
    watch = Session.run

    def run(self: Session, command: list[str], cancelled: Callable[[], bool]) -> SessionOutcome:
        assert imported.wait(20)
        happened.append("ended")
        return watch(self, command, cancelled)

    def run_app(address: Address, *, together: Sequence[Path], trace: Trace, language: str | None) -> int:
        happened.append((address.path, together, trace))
        return 0

    monkeypatch.setattr(Session, "run", run)
    monkeypatch.setattr("visualizer.app.run.import_window", imported.set)
    monkeypatch.setattr("visualizer.app.run.run_app", run_app)
    assert phasescope("attach", "--open", "--", "true").status == 5
    assert happened == ["ended", (Path("gemm.pscope"), [], lesson_trace)]
    assert phasescope("attach", "--open", "--", "true", "hang").status == attach.EXIT_HUNG
    assert len(happened) == 4
    assert phasescope("attach", "--", "true").status == 5
    assert len(happened) == 5


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "attach needs the program to watch"),
        ("-- no-such-program", "no such program"),
        ("--kernel ( -- true", "--kernel (: not a regular expression"),
        ("--launch 5:3 -- true", "'5:3' is not N or N:M"),
        ("--ctas 1-4 -- true", "'1-4' is not a list of numbers"),
        ("--keep-first 1 --keep-last 1 -- true", "--keep-first and --keep-last exclude each other"),
        ("--time 2 -- true", "--time is 2; it must be 6..1000 rounds"),
        ("--keep-first 0 -- true", "'0' is not a whole number of at least 1"),
        ("--stall -1 -- true", "'-1' is not"),
        ("-o /no/such/folder/x.pscope -- true", "does not exist"),
    ],
)
def test_bad_input_is_one_sentence(phasescope: Phasescope, words: str, sentence: str) -> None:
    outcome = phasescope("attach", *words.split())
    assert outcome.status == 2
    assert sentence in outcome.err
    assert "Traceback" not in outcome.err


def test_a_program_without_kernels(tmp_path: Path) -> None:
    """In a process of its own, since its output is the program's."""
    done = subprocess.run(
        [sys.executable, "-m", "visualizer", "attach", "--", "sh", "-c", "echo hello; exit 3"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "hello\n")
    assert done.stderr == "phasescope: no kernel that uses mbarriers was launched\n"
