"""What stands in a stranger's file is quoted in a line, however long or deep it is."""

from __future__ import annotations

from functools import reduce

import pytest

from visualizer.recording.quoting import abridged, quoted, shortened

DEEP: object = reduce(lambda inner, _: [inner], range(100_000), None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "'a'"),
        (12, "12"),
        (-(10**39), f"-1{'0' * 39}"[:37] + "..."),
        (10**40, "..."),
        pytest.param(-(10**6000), "...", id="thousands of digits"),
        pytest.param([10**6000], "...", id="thousands of digits in a list"),
        ([1, "b"], "[1, 'b']"),
        pytest.param(DEEP, "[[[...]]]", id="deep"),
        ({"k": [1, {"l": [2]}]}, "{'k': [1, {...}]}"),
        ("x" * 100, "'" + "x" * 36 + "..."),
        (True, "True"),
    ],
)
def test_a_value_is_quoted_in_a_line(value: object, text: str) -> None:
    assert quoted(value) == text


def test_more_is_quoted_where_more_is_asked_for() -> None:
    assert quoted("x" * 58, most=60) == repr("x" * 58)
    assert quoted("x" * 59, most=60) == "'" + "x" * 56 + "..."


def test_a_text_of_just_the_length_stays() -> None:
    assert shortened("x" * 40) == "x" * 40
    assert shortened("x" * 41) == "x" * 37 + "..."


def test_of_a_long_name_its_beginning_and_its_end_stay() -> None:
    assert abridged("short") == "short"
    assert abridged("a" * 60 + "7.pscope", 20) == "a" * 13 + "…pscope"
    assert len(abridged("x" * 300)) == 40
