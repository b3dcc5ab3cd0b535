"""Numbers in words."""

from __future__ import annotations

import pytest

from visualizer.diagnosis.wording import duration, listed, sentence


@pytest.mark.parametrize(
    ("ps", "text"),
    [(0, "0.0 ns"), (21_535, "21.5 ns"), (99_999.6, "100 ns"), (1_378_170, "1378 ns"), (14_320_000, "14.32 µs")],
)
def test_duration(ps: float, text: str) -> None:
    assert duration(ps) == text


def test_a_column_has_the_unit_of_its_longest() -> None:
    spans = [0, 21_535, 1_378_170, 14_320_000]
    assert [duration(ps, max(spans)) for ps in spans] == ["0.000 µs", "0.022 µs", "1.378 µs", "14.320 µs"]
    assert [duration(ps, 9_999_000) for ps in spans[:3]] == ["0.0 ns", "21.5 ns", "1378 ns"]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (list("abc"), "a, b and c"),
        (list("abcdefgh"), "a, b, c, d, e and 3 more"),
    ],
)
def test_listed(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_a_sentence_keeps_the_names_in_it() -> None:
    assert sentence("it gives up on CTA1.full[0]") == "It gives up on CTA1.full[0]"
