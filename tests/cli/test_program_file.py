"""--program NAME|FILE.py and --fault on the command line: what they run, what they refuse, and that a fault exits 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program, rebuild_program
from visualizer.recording.file import load
from visualizer.recording.trace import Trace

_MINE = """from visualizer.programs.builder import Builder

def program():
    b = Builder("mine")
    flag = b.barrier("flag", count=1)
    a = b.agent("A")
    a.init(flag)
    a.arrive(flag)
    a.wait(flag, 0)
    return b.build()
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(_MINE, encoding="utf-8")
    return path


def test_a_file_is_recorded_with_its_source(phasescope: Callable, tmp_path: Path, mine: Path) -> None:
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", "--program", mine, "-o", path)
    assert (outcome.status, outcome.err) == (0, "")
    trace = load(path)
    assert trace.meta.program == "mine"
    assert trace.source_files == {"mine.py": _MINE}
    shown = phasescope("show", path, "--step", 1)
    assert shown.status == 0
    assert "mine.py:8 arrive" in shown.out


def test_a_mistake_in_a_file_is_one_sentence_with_the_line(phasescope: Callable, tmp_path: Path, mine: Path) -> None:
    mine.write_text(_MINE.replace("a.wait(flag, 0)", "a.wait(flag, 2)"), encoding="utf-8")
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", "--program", mine, "-o", path)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"phasescope: {mine}:9: parity is 2; it must be 0..1\n"
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (("--program", "baseline"), find_program("baseline")),
        (("--fault", "F24"), find_program("baseline", fault="F24")),
        (("--fault", "parity-never-flips"), find_program("baseline", fault="F08")),
        (("--program", "lesson", "--fault", "F03"), find_program("lesson", fault="F03")),
        (
            ("--program", "lesson", "--stages", "2", "--fault", "f20"),
            find_program("lesson", {"stages": 2}, "F20"),
        ),
    ],
)
def test_names_and_faults_choose_the_program(
    phasescope: Callable, tmp_path: Path, words: tuple[str, ...], program: Any
) -> None:
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", *words, "-o", path)
    assert outcome.status == int("--fault" in words)
    trace = load(path)
    assert trace.meta.config == program.config
    assert tuple(trace.barriers) == program.barriers
    assert rebuild_program(trace.meta.program, trace.meta.config) == program


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fault", "F99"), "--fault: there is no 'F99'; known are F01, F02"),
        (("--program", "none.py"), "--program none.py: No such file or directory"),
        (
            ("--program", "baseline", "--tiles", "9"),
            "is a parameter of lesson, cp-async, attention, multicast; --program baseline does not",
        ),
        (("--program", "lesson", "--fault", "F31"), "--fault F31 needs ctas = 2, which the lesson does not have"),
        (("--source", "gpu", "--program", "baseline"), "--program baseline needs the simulator (--source simulator)"),
        (("--source", "gpu", "--program", "mine.py"), "--program mine.py needs the simulator (--source simulator)"),
        (("--source", "gpu", "--fault", "F40"), "--fault F40 "),
        (("--program", "lesson", "--fault", "F06", "--producer-phase", "1"), "--producer-phase is 1, but --fault F06"),
        (("--source", "gpu", "--fault", "F06", "--producer-phase", "1"), "--producer-phase is 1, but --fault F06"),
    ],
)
def test_what_does_not_fit_is_refused(phasescope: Callable, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    path = tmp_path / "run.pscope"
    outcome = phasescope("record", *words, "-o", path)
    assert outcome.status == 2
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
    assert not path.exists()


def test_a_fault_of_parameters_runs_on_the_gpu(
    phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lesson_trace: Trace
) -> None:
    seen: list[LessonConfig] = []

    def deliver(config: LessonConfig, *others: Any, **named: Any) -> Trace:
        seen.append(config)
        return lesson_trace

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", deliver)
    path = tmp_path / "run.pscope"
    phasescope("record", "--source", "gpu", "--fault", "F06", "--stages", 2, "-o", path)
    assert seen == [LessonConfig(stages=2, producer_phase=0)]
    assert load(path).meta.config == {**LessonConfig(stages=2).as_dict(), "fault": "F06"}


@pytest.mark.parametrize("command", ["diagnose", "show", "stats", "predict"])
def test_a_program_in_place_of_a_recording_is_pointed_to_its_option(
    phasescope: Callable, mine: Path, command: str
) -> None:
    outcome = phasescope(command, mine)
    assert outcome.status == 2
    assert outcome.err == (
        f"phasescope: {mine} is a program, not a recording: diagnose or record it with --program {mine}\n"
    )
