"""A story, or a recording in a story, is data: the file of a program that it names is not run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from visualizer.cli.main import main
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.load import load_story
from visualizer.playback.stories.telling import Telling
from visualizer.recording.file import save
from visualizer.recording.trace import Trace

STEP = """
[[chapter.step]]
focus = 0
text = {{ en = "{text}", zh = "{text}" }}
"""
STORY = """
title = {{ en = "A", zh = "B" }}
[[chapter]]
id = "one"
title = {{ en = "A", zh = "B" }}
{source}
""" + STEP  # fmt: skip


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program file that leaves a mark if it is run."""
    path = tmp_path / "trap.py"
    path.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    return path


def _story(folder: Path, source: str, text: str = "x") -> Path:
    path = folder / "story.toml"
    path.write_text(STORY.format(source=source, text=text))
    return path


@pytest.mark.parametrize(
    ("source", "text"),
    [("program = {trap!r}", "x"), ("program = 'lesson'\nothers.two = {{ program = {trap!r} }}", "{{two: run.events}}")],
    ids=["a chapter's", "another's"],
)
def test_a_storys_program_is_a_built_in(trap: Path, tmp_path: Path, source: str, text: str) -> None:
    path = _story(tmp_path, source.format(trap=str(trap)), text.replace("{{", "{").replace("}}", "}"))
    problems = "\n".join(check_story(load_story(path)))
    assert "stories and recordings may name built-in programs only" in problems
    assert main(["story", "check", str(path)]) == 1
    assert main(["story", "export", str(path), "-o", str(tmp_path / "x.html")]) == 2
    assert main(["story", "present", str(path)]) == 2
    assert not (tmp_path / "sprung").exists()


def test_nor_is_that_of_a_recording_run_again_with_other_parameters(
    trap: Path, tmp_path: Path, lesson_trace: Trace
) -> None:
    meta = replace(lesson_trace.meta, program=str(trap))
    save(replace(lesson_trace, meta=meta), tmp_path / "run.pscope")
    telling = Telling(load_story(_story(tmp_path, "recording = 'run.pscope'")))
    telling.told(0, 0)
    telling.change_parameters(0, {"stages": 2})
    with pytest.raises(StoryError, match="may name built-in programs only"):
        telling.told(0, 0)
    assert not (tmp_path / "sprung").exists()
