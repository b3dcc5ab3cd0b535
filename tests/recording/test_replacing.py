"""Files appear whole or not at all, keep their permissions, and what a killed process left is swept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from visualizer.recording.file import save
from visualizer.recording.replacing import replacing
from visualizer.recording.trace import Trace

WRITER = """
import sys, pathlib
from visualizer.recording.replacing import replacing
with replacing(pathlib.Path(sys.argv[1])) as file:
    print("writing", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_new_file_has_the_old_ones_permissions(mode: int, lesson_trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    path.write_bytes(b"old")
    path.chmod(mode)
    save(lesson_trace, path)
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_bytes() != b"old"


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with replacing(tmp_path / "link") as file:
        file.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"x"


def _make_old(path: Path) -> None:
    os.utime(path, (0, 0))


def test_a_file_that_is_just_made_is_not_swept(tmp_path: Path) -> None:
    """Between its making and its locking nobody can tell it from one that was left."""
    made = tmp_path / ".phasescope-0123456789abcdef.tmp"
    made.touch()
    with replacing(tmp_path / "other") as file:
        file.write(b"1")
    assert made.exists()


def test_many_write_into_one_folder_at_a_time(tmp_path: Path) -> None:
    def write(name: int) -> None:
        for _ in range(20):
            with replacing(tmp_path / str(name)) as file:
                file.write(b"x")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert sorted(os.listdir(tmp_path)) == ["0", "1", "2", "3"]


def test_what_a_killed_process_left_is_swept_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "x")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        (unfinished,) = tmp_path.iterdir()
        _make_old(unfinished)
        with replacing(tmp_path / "other") as file:
            file.write(b"1")
        assert len(os.listdir(tmp_path)) == 2, "the file that is being written stays"
        writer.send_signal(signal.SIGTERM)
        writer.wait()
    assert len(os.listdir(tmp_path)) == 2, "a killed process leaves its file"
    _make_old(unfinished)
    with replacing(tmp_path / "other") as file:
        file.write(b"2")
    assert os.listdir(tmp_path) == ["other"]
