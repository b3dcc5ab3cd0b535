"""Names with * and ?: what a regular expression would say, in time that does not run away."""

from __future__ import annotations

import re
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from visualizer.playback.query.wild import wild_matcher


@given(st.text("ab*?[", max_size=8), st.text("ab[", max_size=10))
def test_it_says_what_a_regular_expression_says(pattern: str, name: str) -> None:
    regex = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    assert wild_matcher(pattern)(name) == bool(regex.fullmatch(name))


def test_a_pattern_made_to_be_slow_is_not() -> None:
    began = process_time()
    assert not wild_matcher("*a" * 900 + "b")("a" * 2000)
    assert not wild_matcher("*?a" * 600 + "b")("a" * 2000)
    assert process_time() - began < 1
