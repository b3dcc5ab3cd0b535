"""Stories whose TOML would hold the parser for hours are refused before it begins; texts with dots are none."""

from __future__ import annotations

from time import process_time

import pytest

from visualizer.playback.stories.load import parse_story
from visualizer.playback.stories.model import StoryError
from visualizer.playback.stories.toml_bounds import MOST_PARTS, has_endless_key


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 300_000) + " = 1",
        "[" + ".".join(["b"] * 300_000) + "]",
        " . ".join(['"a"'] * 100_000) + " = 1",
        "x = { " + ".".join(["'c'"] * 100_000) + " = 1 }",
        'y = "a" # "\n' + ".".join("d" * 300_000),
        '"' + '\\"' * 300_000,
        '"""' * 99_999,
        "'" * 299_999,
        '"""' + "\\" * 300_001,
        '"' + "\\" * 300_001,
    ],
)
def test_nothing_holds_the_reader(text: str) -> None:
    began = process_time()
    with pytest.raises(StoryError, match=r"nested too deeply|is not TOML"):
        parse_story(text)
    assert process_time() - began < 2


@pytest.mark.parametrize(
    "text",
    [
        'a = "' + "b." * 200 + '"',
        "a = '" + "b." * 200 + "'",
        'a = """\n' + "b. \\\" '\n" * 200 + '"""',
        "a = '''\n" + 'b. " \\\n' * 200 + "'''",
        "a = 1 # " + "b." * 200,
        "a = [" + "1.5, " * 200 + "]",
        ".".join("a" * (MOST_PARTS)) + " = 1",
    ],
)
def test_dots_elsewhere_are_no_key(text: str) -> None:
    assert not has_endless_key(text)
