"""Files appear whole or not at all, keep their permissions, and what a killed process left is swept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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


def test_what_a_killed_process_left_is_swept_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "x")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        with replacing(tmp_path / "other") as file:
            file.write(b"1")
        assert len(os.listdir(tmp_path)) == 2, "the file that is being written stays"
        writer.send_signal(signal.SIGTERM)
        writer.wait()
    assert len(os.listdir(tmp_path)) == 2, "a killed process leaves its file"
    with replacing(tmp_path / "other") as file:
        file.write(b"2")
    assert os.listdir(tmp_path) == ["other"]
