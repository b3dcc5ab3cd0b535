"""TOML that would hold the parser for hours is refused before it begins, whoever reads it; texts with dots are none."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

import visualizer
from visualizer.recording.bounded_toml import MOST_PARTS, has_endless_key, read_toml


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
    with pytest.raises((RecursionError, ValueError)):
        read_toml(text)
    assert process_time() - began < 2


def test_nobody_else_reads_toml() -> None:
    package = Path(visualizer.__file__).parent
    readers = {path.stem for path in package.rglob("*.py") if "tomllib" in path.read_text(encoding="utf-8")}
    assert readers == {"bounded_toml"}


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
