"""What a recording's maker may fill as it likes is read with its type checked, once, when the file is opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from recording_files import members_of, refusal, with_value

from visualizer.recording.facts import OBJECTS
from visualizer.recording.file import load

KEYS = [(name, key) for name, kind in OBJECTS.items() for key in get_type_hints(kind)]
WRONG: tuple[Any, ...] = ([[1]], {"mode": []}, 1e300, -(10**30))
"""No key may have any of these."""


@pytest.mark.parametrize(("name", "key"), KEYS)
@pytest.mark.parametrize("value", WRONG, ids=["list", "object", "huge", "low"])
def test_a_known_key_of_another_type_is_refused_by_name(
    name: str, key: str, value: Any, lesson_file: Path, repack: Callable[..., Path]
) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    content = with_value(document, ("meta", name), {key: value})
    assert f"meta.{name}.{key}" in refusal(repack({"meta.json": content}))


def test_other_keys_are_kept_unread(lesson_file: Path, repack: Callable[..., Path]) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    content = with_value(document, ("meta", "check"), {"mode": "exact", "mine": [{"x": None}]})
    assert load(repack({"meta.json": content})).meta.check == {"mode": "exact", "mine": [{"x": None}]}


@pytest.mark.parametrize("runs_lost", ["many", [], None, 1.5])
def test_what_lies_within_an_object_is_checked_too(
    runs_lost: Any, lesson_file: Path, repack: Callable[..., Path]
) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    content = with_value(document, ("meta", "source"), {"kind": "gpu", "probe": {"runs_lost": runs_lost}})
    assert "meta.source.probe.runs_lost" in refusal(repack({"meta.json": content}))
