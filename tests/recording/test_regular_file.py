"""Files from others are read if they are files: what waits for a writer, or never ends, is refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from visualizer.recording.regular_file import open_regular, read_regular


def test_no_more_is_read_than_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_bytes(b"0123456789")
    assert read_regular(path, 4) == b"0123"
    assert read_regular(path, 99) == b"0123456789"
    (tmp_path / "link").symlink_to(path)
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"0123456789"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, said in ((fifo, "not a regular file"), (tmp_path, "a directory"), ("/dev/zero", "not a regular file")):
        with pytest.raises(OSError, match=str(path)) as refused:
            open_regular(path)
        assert refused.value.strerror == said
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")
    with pytest.raises(ValueError, match="null"):
        open_regular("a\0b")


def test_a_file_that_became_a_fifo_does_not_hold_its_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fifo, plain = tmp_path / "fifo", tmp_path / "plain"
    os.mkfifo(fifo)
    plain.touch()
    was = os.stat(plain)
    monkeypatch.setattr("visualizer.recording.regular_file.os.stat", lambda path: was)
    assert read_regular(fifo, 9) == b""
