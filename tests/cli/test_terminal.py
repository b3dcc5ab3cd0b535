"""What reaches the terminal is text, whatever a file's names say, and Ctrl+C is never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from visualizer.children import child_command, child_environment
from visualizer.cli.terminal import plain_output, printable
from visualizer.recording.file import save
from visualizer.recording.trace import Trace

EVIL = "\x1b]0;owned\x07\r\x9b31m\u202ered\0"


@pytest.fixture
def evil_file(lesson_trace: Trace, tmp_path: Path) -> Path:
    """A recording whose every name would do something to a terminal."""
    agents = [replace(agent, name=f"{agent.name}{EVIL}") for agent in lesson_trace.agents]
    barriers = [replace(barrier, name=f"{EVIL}{barrier.name}") for barrier in lesson_trace.barriers]
    sites = [replace(site, op=EVIL, file=EVIL) for site in lesson_trace.sites]
    meta = replace(lesson_trace.meta, program=EVIL, command=EVIL, created=EVIL, versions={"x": EVIL})
    path = tmp_path / "evil.pscope"
    save(replace(lesson_trace, agents=agents, barriers=barriers, sites=sites, meta=meta), path)
    return path


@pytest.mark.parametrize(
    "words",
    [("show",), ("show", "--step", "20"), ("show", "--find", "wait > 0 ns"), ("show", "--table"), ("stats",),
     ("diagnose",), ("predict",), ("show", "--find", "agent == x")],
    ids=" ".join,
)  # fmt: skip
def test_names_reach_the_terminal_as_text(phasescope: Callable, evil_file: Path, words: tuple[str, ...]) -> None:
    outcome = phasescope(words[0], evil_file, *words[1:])
    text = outcome.out + outcome.err
    assert text
    assert not {character for character in text if not character.isprintable()} - {"\n", "\t"}


def test_control_characters_are_spelled() -> None:
    assert printable("a\x1b[1m\n\tb\x9b\u202e\x7f") == "a\\x1b[1m\n\tb\\x9b\\u202e\\x7f"


def test_the_streams_are_what_they_were_afterwards() -> None:
    before = sys.stdout, sys.stderr
    with plain_output(), plain_output():
        pass
    assert (sys.stdout, sys.stderr) == before


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_the_terminal_has_no_signs_for_is_spelled(encoding: str, lesson_file: Path, tmp_path: Path) -> None:
    name = os.fsdecode(b"r\xc3\xbcn\xff.pscope")  # a file's name may be bytes that are no text
    (tmp_path / name).write_bytes(lesson_file.read_bytes())
    environment = child_environment(PYTHONIOENCODING=encoding)
    done = subprocess.run(
        child_command("visualizer", "show", str(tmp_path / name), "--lang", "zh"), env=environment, capture_output=True
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    done = subprocess.run(child_command("visualizer", "show", name + "x"), env=environment, capture_output=True)
    assert done.returncode == 2
    assert b"no such file" in done.stderr


_INTERRUPTED = """
import signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "visualizer.cli":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in a shell's background ignores it
from visualizer.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_while_the_libraries_are_read_is_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED], env=child_environment(), capture_output=True)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, b"")
