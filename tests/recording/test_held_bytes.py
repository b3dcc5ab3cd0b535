"""A recording that is open stays what it was when another program writes into its file."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from visualizer.recording import held_bytes
from visualizer.recording.file import load

PROGRAM = """
import sys, pathlib
from visualizer.recording import held_bytes
from visualizer.recording.file import load
held_bytes.READ_UP_TO = int(sys.argv[2])
path = pathlib.Path(sys.argv[1])
events = load(path).events
before = events.tobytes()
path.write_bytes(b"cut short")
assert events.tobytes() == before
"""


@pytest.mark.parametrize("read_up_to", [held_bytes.READ_UP_TO, 0], ids=["read", "mapped"])
def test_the_file_may_be_cut_short_while_it_is_open(lesson_file: Path, tmp_path: Path, read_up_to: int) -> None:
    path = tmp_path / "run.pscope"
    path.write_bytes(lesson_file.read_bytes())
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path), str(read_up_to)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes() == b"cut short"


def test_a_mapping_is_watched_while_it_is_used(lesson_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_bytes, "READ_UP_TO", 0)
    trace = load(lesson_file)
    watching = [thread for thread in threading.enumerate() if thread.name == "file-lease"]
    assert len(watching) == 1
    events = trace.events[3:]
    del trace
    gc.collect()
    assert watching[0].is_alive()
    assert events["time"][0] >= 0
    del events
    gc.collect()
    watching[0].join(10)
    assert not watching[0].is_alive()


def test_without_a_lease_a_large_file_is_read(lesson_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_bytes, "READ_UP_TO", 0)
    monkeypatch.setattr(held_bytes, "_PIECE", 1000)
    with lesson_file.open("r+b") as file:  # somebody writes: there is no lease
        assert held_bytes.held_bytes(file).tobytes() == lesson_file.read_bytes()
        trace = load(lesson_file)
    assert not [thread for thread in threading.enumerate() if thread.name == "file-lease"]
    assert len(trace)
