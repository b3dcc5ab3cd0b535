"""FILE.py as a program: whatever is wrong with it is one sentence with the file and the line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from visualizer.programs.errors import ProgramError
from visualizer.programs.load import LoadCancelled, load_program
from visualizer.programs.operations import Arrive, Copy, Exit, Wait
from visualizer.programs.registry import find_program
from visualizer.programs.run_file import run_file
from visualizer.sources.errors import Cancelled
from visualizer.sources.source import Request

_START = """from visualizer.programs.builder import Builder

def program():
    b = Builder("mine", ctas=2)
    full = b.barriers("full", 2, count=1)
    peer = b.barriers("full", 2, count=1, cta=1)
    a = b.agent("P", role="producer", stages=2, phase=1)
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_becomes_a_program_with_its_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        _START
        + """    for _ in a.tiles(3):
        a.wait(full[a.index], a.phase)
        a.copy(full[a.index], a.index, 64, multicast=[full[0], peer[0]])
        a.advance()
    a.arrive(peer[1], 2, no_complete=True)
    return b.build()
""",
    )
    program = find_program(str(path))
    (agent,) = program.agents
    waits = [operation for operation in agent.operations if isinstance(operation, Wait)]
    assert [(wait.barrier, wait.parity, wait.tile) for wait in waits] == [(0, 1, 0), (1, 1, 1), (0, 0, 2)]
    assert {program.sites[wait.site].line for wait in waits} == {9}
    copy = next(operation for operation in agent.operations if isinstance(operation, Copy))
    assert (copy.barrier, copy.destinations) == (0, ((0, 0), (2, 1)))
    assert agent.operations[-2:] == (Arrive(3, 2, -1, agent.operations[-2].site, True), Exit())
    assert [barrier.name for barrier in program.barriers] == [
        "CTA0.full[0]", "CTA0.full[1]", "CTA1.full[0]", "CTA1.full[1]"
    ]  # fmt: skip
    assert [engine.name for engine in program.copy_engines] == ["CTA0.tma", "CTA1.tma"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("a.wait(full, 0)", "this is a list of barriers, one per stage; choose one of them"),
        ("a.wait(full[0], 2)", "parity is 2; it must be 0..1"),
        ("a.wait(3, 0)", "3 is not a barrier of this program"),
        ("a.wait(Builder('x').barrier('y', count=1), 0)", "is not a barrier of this program"),
        ("a.arrive(full[0], 0)", "count is 0; it must be 1..1048575"),
        ("a.arrive_expect_tx(full[0], -1)", "bytes is -1; it must be 1..1048575"),
        ("a.expect_tx(full[0], 1.5)", "bytes must be a whole number, not 1.5"),
        ("a.copy(full[0], -1, 64)", "stage is -1; it must be 0..1023"),
        ("a.named_sync(16, 2)", "id is 16; it must be 0..15"),
        ("a.named_sync(1, 33)", "agents is 33; it must be 1..32"),
        ("a.bar_sync(1, 48)", "threads is 48; a warp has 32, so it must be a multiple of that"),
        ("a.bar_arrive(1, 0)", "threads is 0; it must be 32..1024"),
        ("b.agent('Q', threads=16)", "threads is 16; it must be 32..1024"),
        ("b.agent('Q', threads=48)", "threads is 48; a warp has 32, so it must be a multiple of that"),
        (
            "a.bar_sync(0, 64); a.syncthreads()",
            "named barrier 0 counts 0 threads here and 64 elsewhere (0: the whole CTA)",
        ),
        ("a.wgmma_wait(-1)", "keep is -1; it must be 0..1024"),
        ("a.exit(); a.fence()", "CTA0.P has left with .exit(); nothing can follow"),
        ("b.agent('P')", "there is an agent 'CTA0.P' already"),
        ("b.agent('Q', role='boss')", "role is 'boss'; it must be one of producer, consumer, mma, epilogue, other"),
        ("b.agent('Q', cta=2)", "cta is 2; it must be 0..1"),
        ("b.barriers('full', 1, count=1)", "there is a barrier 'CTA0.full[0]' already"),
        ("b.barriers('x', 1, count=0)", "count is 0; it must be 1..1048575"),
        ("a.read(2, 64); b.build()", "CTA0.P uses stage 2, but no barrier belongs to it; the program has 2 stages"),
        ("Builder('empty').build()", "the program has no agents"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("a.wiat(full[0], 0)", "AttributeError: 'AgentBuilder' object has no attribute 'wiat'"),
        ("a.wait(full[0])", "TypeError: AgentBuilder.wait() missing 1 required positional argument: 'parity'"),
        ("full[5]", "IndexError: list index out of range"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    path = written(tmp_path, f"{_START}    {line}\n    return b.build()\n")
    with pytest.raises(ProgramError, match=f"^{re.escape(f'{path}:8: ')}.*{re.escape(why)}") as caught:
        run_file(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("x = (\n", 1, "not valid Python: '(' was never closed"),
        ("\n\ndef program(:\n", 3, "not valid Python"),
        ("import nothing_of_this_name\n", 1, "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("x = 1\n", 1, "defines no function program()"),
        ("program = 1\n", 1, "defines no function program()"),
        ("\ndef program():\n    return None\n", 2, "program() must return what Builder.build() makes, not NoneType"),
        ("def program(x):\n    return x\n", 1, "TypeError: program() missing 1 required positional argument"),
        ("a = '\0'\n", 1, "not valid Python"),
        (
            "from visualizer.programs.baseline import baseline\ndef program():\n    return baseline()\n",
            1,
            "the program calls itself 'baseline', which is a built-in's name",
        ),
    ],
)
def test_a_file_that_is_no_program_is_refused(tmp_path: Path, text: str, line: int, why: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ProgramError, match=f"^{re.escape(f'{path}:{line}: ')}.*{re.escape(why)}"):
        find_program(str(path))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"none\.py: No such file or directory; name a Python file"):
        find_program(str(tmp_path / "none.py"))
    (tmp_path / "bytes.py").write_bytes(b"x = '\xff'\n")
    with pytest.raises(ProgramError, match=r"bytes\.py: not a Python file: its text is not UTF-8"):
        find_program(str(tmp_path / "bytes.py"))


def test_what_a_file_would_ignore_is_refused(tmp_path: Path) -> None:
    path = str(written(tmp_path, "raise AssertionError('is not run')\n"))
    with pytest.raises(
        ProgramError, match=r"--stages is a parameter of lesson, .*; --program .*mine\.py does not have"
    ):
        find_program(path, {"stages": 2})
    with pytest.raises(ProgramError, match=r"--fault changes lesson or baseline; write the mistake into .*mine\.py"):
        find_program(path, fault="F06")
    with pytest.raises(ProgramError, match=r"--consumer-warps is a parameter of lesson, multicast; --program baseline"):
        find_program("baseline", {"consumer_warps": 2})


def test_a_mistake_is_told_by_the_process_that_made_it(tmp_path: Path) -> None:
    for line, why in (("1 / 0", "ZeroDivisionError: division by zero"), ("exit()", "SystemExit")):
        with pytest.raises(ProgramError, match=rf"mine\.py:8: {why}"):
            load_program(written(tmp_path, f"{_START}    {line}\n    return b.build()\n"))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("import os; os._exit(7)", r"mine\.py:8: Python ended while it ran the file \(status 7\)"),
        ("import os; os.kill(os.getpid(), 11)", r"mine\.py:8: .*\(status -11\)"),
        ("import os; os.kill(os.getpid(), 9)", r"mine\.py: .*\(status -9\)"),
        ("import os; os.closerange(0, 100); os._exit(0)", r"\(status 0\)"),
        ("import pathlib; b = Builder('x', config={'a': pathlib.Path()}); b.agent('A')", r"holds what no program does"),
    ],
)
def test_what_it_does_to_its_python_stays_there(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(ProgramError, match=why):
        load_program(written(tmp_path, f"{_START}    {line}\n    return b.build()\n"))


@pytest.mark.parametrize(
    "line",
    ["while True: pass", "list(iter(int, 1))", "for _ in a.tiles(10**9): a.delay(1)", "import time; time.sleep(99)"],
)
def test_one_that_runs_for_ever_is_ended_and_its_line_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(
        ProgramError, match=r"mine\.py:8: (it still ran after 3 s|there is no memory left|the program has)"
    ):
        load_program(written(tmp_path, f"{_START}    {line}\n    return b.build()\n"), longest_s=3, most=2 << 30)


def test_children_that_stay_do_not_keep_it(tmp_path: Path) -> None:
    line = "import os\n    if not os.fork():\n        while True: pass\n    os.kill(os.getpid(), 9)"
    with pytest.raises(ProgramError, match=r"\(status -9\)"):
        load_program(written(tmp_path, f"{_START}    {line}\n"))


@pytest.mark.parametrize("line", ["a = 'x' * 10**11", "x = []\n    while True: x.append({})"])
def test_one_that_allocates_without_end_is_ended_and_its_line_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(ProgramError, match=r"mine\.py:[89]: there is no memory left for what it makes"):
        load_program(written(tmp_path, f"{_START}    {line}\n    return b.build()\n"), most=1 << 30)


def test_what_it_prints_is_no_answer(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = "import os; print('hello'); os.write(1, b'there')"
    assert load_program(written(tmp_path, f"{_START}    {line}\n    return b.build()\n")).name == "mine"
    out, err = capfd.readouterr()
    assert (out, sorted(err.split())) == ("", ["hello", "there"])


@pytest.mark.parametrize("line", ["while True: pass", "import os\n    os.fork()\n    while True: pass"])
def test_one_that_never_ends_is_ended_with_what_it_started(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, f"{_START}    open({str(tmp_path / 'began')!r}, 'w').close()\n    {line}\n")
    with pytest.raises(LoadCancelled):
        load_program(path, lambda: (tmp_path / "began").exists())
    with pytest.raises(Cancelled):
        Request(str(path)).lay_out(lambda: True)


def test_an_answer_runs_no_code(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    line = f"b = type('B', (Builder,), {{'__reduce__': lambda self: (open, ({str(mark)!r}, 'w'))}})('x')"
    path = written(tmp_path, f"{_START}    {line}\n    b.agent('A')\n    import dataclasses\n"
                   "    return dataclasses.replace(b.build(), config={'x': b})\n")  # fmt: skip
    with pytest.raises(ProgramError, match=r"holds what no program does: \S*open"):
        load_program(path)
    assert not mark.exists()
