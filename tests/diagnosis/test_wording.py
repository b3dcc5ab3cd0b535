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
