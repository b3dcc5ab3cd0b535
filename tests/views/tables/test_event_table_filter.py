"""The filter line: each kind of term, their combination, and what a line that cannot be read is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pane_testing import hand_history, two_cta_history

from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.views.tables.event_table_filter import FILTER_KEYS, FilterError, filtered_steps


@pytest.fixture(scope="module")
def history() -> History:
    return hand_history()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind:copy_issue", [10, 15]),
        ("kind:copy", [10, 15, 21, 37]),  # no kind is called so: those that contain it
        ("kind:arrive", [27, 31]),  # exactly arrive, not arrive_expect_tx
        ("barrier:empty[0] agent:producer", [2, 5, 6, 17, 34]),
        ("agent:w2 kind:read", [25, 30]),
        ("w2 READ", [25, 30]),
        ("tile:2", [17, 34]),
        ("tile:1..2 kind:wait", [12, 13, 17, 29, 34]),
        ("stage:1 parity:0 kind:phase_complete", [36]),
        ("amount:4096", [18]),
        ("step:3..5", [3, 4, 5]),
        ("site:producer_acquire kind:wait_end", [6, 13, 34]),
        ("full[1] complete", [35, 36]),
    ],
)
def test_terms(history: History, text: str, expected: list[int]) -> None:
    steps = filtered_steps(history, text)
    assert steps is not None
    assert steps.tolist() == expected


def test_a_blank_line_matches_all_without_listing_them(history: History) -> None:
    assert filtered_steps(history, "  ") is None


def test_free_text_that_nothing_is_called_matches_nothing(history: History) -> None:
    steps = filtered_steps(history, "nonesuch")
    assert steps is not None
    assert len(steps) == 0


def test_a_warp_is_not_its_longer_namesake() -> None:
    history = two_cta_history()
    trace = history.trace
    steps = filtered_steps(history, "agent:consumer.w1 cta:1")
    assert steps is not None
    assert {trace.agents[row].name for row in trace.events["agent"][steps]} == {"CTA1.consumer.w1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bar:full[0]", "unknown key 'bar': use agent, kind, barrier, site, step, cta, stage, tile, parity, amount"),
        ("tile:five", "tile:five is not a number or a range: write tile:5 or tile:2..6"),
        ("kind:", "kind: needs a value, for example kind:phase_complete"),
        ("kind:flip", "no kind is called 'flip'; try kind:phase_complete"),
    ],
)
def test_what_is_wrong_is_said(history: History, text: str, message: str) -> None:
    with pytest.raises(FilterError) as error:
        filtered_steps(history, text)
    assert message in str(error.value)


_TERMS = st.lists(
    st.sampled_from(["producer", "kind:wait", "tile:0", "stage:0..1", "barrier:full[0]", "step:4..30", "w1"]),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(first=_TERMS, second=_TERMS)
def test_terms_narrow_and_their_order_does_not_matter(first: list[str], second: list[str]) -> None:
    history = hand_history()

    def steps(terms: list[str]) -> set[int]:
        found = filtered_steps(history, " ".join(terms))
        return set(range(history.steps)) if found is None else set(found.tolist())

    both = steps(first + second)
    assert both == steps(second + first) == steps(first) & steps(second)


def test_every_key_works_on_an_empty_recording(history: History) -> None:
    trace = history.trace
    empty = History(Trace(trace.meta, trace.agents, trace.barriers, trace.sites, trace.events[:0]))
    for key in FILTER_KEYS:
        value = {"agent": "producer", "kind": "arrive", "barrier": "full[0]", "site": "copy"}.get(key, "0")
        steps = filtered_steps(empty, f"{key}:{value}")
        assert steps is not None
        assert np.array_equal(steps, [])
