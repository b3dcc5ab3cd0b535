"""Files that are none, given by hand or left where one is looked for: one sentence at once, from every reader.

/dev/null stands for all of them: unlike /dev/zero and a FIFO it ends, also for a reader that does not look.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from visualizer.resources import shipped_recording

Command = Callable[..., Any]
_STORY = 'title = {{ en = "A", zh = "A" }}\nstories = [{names}]\n'


@pytest.mark.parametrize(
    "words",
    [
        "show odd.pscope",
        "show odd.csv",
        "import odd.csv -o run.pscope",
        "decode odd.toml",
        "diagnose odd.toml",
        "story check odd.toml",
        "story check part.toml",
        "record --program odd.py -o run.pscope",
        "compare odd.pscope odd.pscope",
    ],
)
def test_a_file_that_is_none_is_not_read(
    words: str, tmp_path: Path, phasescope: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("odd.pscope", "odd.csv", "odd.toml", "odd.py"):
        Path(name).symlink_to("/dev/null")
    Path("part.toml").write_text(_STORY.format(names='"odd.toml"'))
    done = phasescope(*words.split())
    assert done.status == 2
    assert "not a regular file" in done.err
    assert done.err.count("\n") == 1
    assert not Path("run.pscope").exists()


def test_notes_that_are_no_file_are_not_read(tmp_path: Path, phasescope: Command) -> None:
    path = tmp_path / "run.pscope"
    copyfile(shipped_recording("lesson"), path)
    (tmp_path / "run.pscope.notes.json").symlink_to("/dev/null")
    done = phasescope("show", path)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "run.pscope.notes.json cannot be read: not a regular file" in done.err


def test_a_part_of_a_story_that_cannot_be_a_name_is_refused(tmp_path: Path, phasescope: Command) -> None:
    path = tmp_path / "story.toml"
    path.write_text(_STORY.format(names='"a\\u0000b.toml"'))
    done = phasescope("story", "check", path)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "cannot be the name of a file" in done.err
