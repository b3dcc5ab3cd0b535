"""docs/course.md: every story, recording and command that it names is there and does what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS
from visualizer.cli.main import build_parser
from visualizer.playback.stories.load import built_in_stories
from visualizer.resources import recording_path, resource_dir

TEXT = (Path(__file__).parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \d \| `phasescope story present (\w+)` \|.*`phasescope ?(\w*)`", TEXT, re.MULTILINE)


def test_it_tells_every_story_once() -> None:
    assert sorted(name for name, _ in ROWS) == sorted(built_in_stories())
    for story, recording in ROWS:
        assert story == (recording or "lesson")
        assert recording_path(Path(story)).is_file()
        assert story == "lesson" or (resource_dir("kernels") / f"{story}.cu").is_file()


@pytest.mark.parametrize("command", re.findall(r"phasescope ((?:diagnose|explore|stats) [\w -]+)", TEXT))
def test_its_commands_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = build_parser().parse_args(shlex.split(command))
    assert args.run(args) == (EXIT_FINDINGS if "--fault" in command else EXIT_CLEAN)
    assert capsys.readouterr().out
