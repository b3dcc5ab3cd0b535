"""docs/course.md: every story, recording and command that it names is there and does what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS
from visualizer.cli.main import build_parser, main
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.resources import recording_path, resource_dir

TEXT = (Path(__file__).parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \d \| `phasescope story present (\w+)` \|.*`phasescope ?(\w*)`", TEXT, re.MULTILINE)


def test_it_tells_every_story_once() -> None:
    names = [name for name, _ in ROWS]
    assert sorted([*names, "course"]) == sorted(built_in_stories())
    parts = [load_story(story_path(name)) for name in names]
    course = load_story(story_path("course"))
    assert [chapter.steps for chapter in course.chapters] == [one.steps for part in parts for one in part.chapters]
    for language in ("en", "zh"):
        told = [chapter.title.spoken(language) for chapter in course.chapters]
        assert all(any(title.startswith(f"{part.title.spoken(language)} - ") for title in told) for part in parts)
    for story, recording in ROWS:
        assert story == (recording or "lesson")
        assert recording_path(Path(story)).is_file()
        assert story == "lesson" or (resource_dir("kernels") / f"{story}.cu").is_file()


@pytest.mark.parametrize("command", re.findall(r"phasescope ((?:diagnose|explore|stats) [\w -]+)", TEXT))
def test_its_commands_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = build_parser().parse_args(shlex.split(command))
    assert args.run(args) == (EXIT_FINDINGS if "--fault" in command else EXIT_CLEAN)
    assert capsys.readouterr().out


def test_one_page_has_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "course.html"
    (command,) = re.findall(r"phasescope (story export course -o) course\.html", TEXT)
    assert main([*command.split(), str(page)]) == EXIT_CLEAN
    capsys.readouterr()
    text = page.read_text(encoding="utf-8")
    assert len(text) < 5_000_000
    inside = re.search(r'id="document">(.*?)</script>', text, re.DOTALL)
    assert inside is not None
    document = json.loads(inside[1])
    course = load_story(story_path("course"))
    assert document["title"] == {"en": "From the lesson to FlashAttention", "zh": "从 lesson 到 FlashAttention"}
    assert [chapter["id"] for chapter in document["chapters"]] == [chapter.id for chapter in course.chapters]
    assert len({chapter["id"] for chapter in document["chapters"]}) == len(course.chapters)


def test_it_is_told_by_one_command() -> None:
    (command,) = re.findall(r"phasescope (story present course)", TEXT)
    assert build_parser().parse_args(command.split()).story == "course"
    assert check_story(load_story(story_path("course"))) == []
