"""Queries: what each means, against plain Python over every event, and what wrong ones say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pane_testing import hand_history, two_cta_history

from visualizer.playback.query.columns import COLUMNS
from visualizer.playback.query.complete import complete
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.evaluate import matching_steps
from visualizer.playback.query.events import Events
from visualizer.playback.query.parse import parse
from visualizer.playback.query.search import find_steps
from visualizer.programs.attention import attention
from visualizer.recording.file import load
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.replay.history import History
from visualizer.resources import resource_dir
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

_DOCS = Path(__file__).parents[2] / "docs" / "queries.md"


def _found(history: History, text: str) -> list[int]:
    return matching_steps(parse(text), Events(history)).tolist()


def _naive(history: History, accept: Callable[[dict[str, Any]], bool]) -> list[int]:
    """The same by looking at one event after the other."""
    trace = history.trace
    began: dict[int, int] = {}
    found = []
    for step in range(history.steps):
        event = trace.events[step]
        barrier, agent = int(event["barrier"]), int(event["agent"])
        facts: dict[str, Any] = {name: int(event[name]) for name in ("stage", "tile", "parity", "amount", "time")}
        facts["kind"] = kind_name(int(event["kind"]))
        facts["barrier"] = trace.barriers[barrier].name if barrier >= 0 else ""
        facts["agent"], facts["role"] = trace.agents[agent].name, trace.agents[agent].role
        facts["blocked"] = bool(event["flags"] & EventFlag.BLOCKED)
        if event["kind"] == EventKind.WAIT_BEGIN:
            began[agent] = facts["time"]
        facts["wait"] = facts["time"] - began[agent] if event["kind"] == EventKind.WAIT_END else -1
        state = history.barrier_at(barrier, step) if barrier >= 0 else None
        facts["pending"] = state.pending if state else None
        facts["tx"] = state.tx if state else None
        facts["phase"] = state.phase if state else None
        if accept(facts):
            found.append(step)
    return found


_MEANINGS: dict[str, Callable[[dict[str, Any]], bool]] = {
    'barrier == "full[1]" and kind == "phase_complete"': lambda e: e["barrier"] == "full[1]" and "phase" in e["kind"],
    "barrier == FULL[1]": lambda e: e["barrier"] == "full[1]",
    "barrier != full[1]": lambda e: e["barrier"] not in ("", "full[1]"),
    "not barrier == full[1]": lambda e: e["barrier"] != "full[1]",
    "barrier == none": lambda e: e["barrier"] == "",
    "barrier != none and stage == none": lambda e: e["barrier"] != "" and e["stage"] < 0,
    'barrier ~ "full[*]"': lambda e: e["barrier"].startswith("full"),
    "barrier !~ full[?]": lambda e: e["barrier"].startswith("empty"),
    "wait > 500 ns": lambda e: e["wait"] > 500_000,
    "wait >= 0 and wait < 0.5us": lambda e: 0 <= e["wait"] < 500_000,
    "wait == none and role == producer": lambda e: e["wait"] < 0 and e["role"] == "producer",
    "blocked": lambda e: e["blocked"],
    "not blocked and kind == wait_end": lambda e: not e["blocked"] and e["kind"] == "wait_end",
    "blocked == true or blocked != false": lambda e: e["blocked"],
    "tile in 2..4": lambda e: 2 <= e["tile"] <= 4,
    "tile in (1, 3) and kind in (arrive, wait_end)": lambda e: (
        e["tile"] in (1, 3) and e["kind"] in ("arrive", "wait_end")
    ),
    "tile < 2": lambda e: 0 <= e["tile"] < 2,
    "stage != 1": lambda e: e["stage"] >= 0 and e["stage"] != 1,
    "stage == 0 or stage == 1 and parity == 1": lambda e: e["stage"] == 0 or (e["stage"] == 1 and e["parity"] == 1),
    "(stage == 0 or stage == 1) and parity == 1": lambda e: e["stage"] in (0, 1) and e["parity"] == 1,
    "pending == 0": lambda e: e["pending"] == 0,
    "tx > 0 and phase >= 1": lambda e: e["tx"] is not None and e["tx"] > 0 and e["phase"] >= 1,
    "tx <= 0": lambda e: e["tx"] is not None and e["tx"] <= 0,
    "time >= 1 us": lambda e: e["time"] >= 1_000_000,
    "amount > 99999999999999999999": lambda e: False,
}


@pytest.mark.parametrize("text", _MEANINGS)
def test_a_query_means_what_a_person_would_count(lesson_history: History, text: str) -> None:
    found = _found(lesson_history, text)
    assert found == _naive(lesson_history, _MEANINGS[text])


def test_two_columns_can_be_compared() -> None:
    history = hand_history()
    assert _found(history, "measured != time") == []
    assert _found(history, "pending == expected") == [
        step
        for step in range(history.steps)
        if (row := int(history.trace.events["barrier"][step])) >= 0
        and history.barrier_at(row, step).pending == history.barrier_at(row, step).expected
    ]


def test_the_flags_and_durations_of_known_events() -> None:
    history = hand_history()
    assert _found(history, "estimated and derived") == [35]
    assert _found(history, "copy > 100 ns") == [21, 37]
    assert _found(history, "copy == 110 ns") == [21]
    assert _found(history, "wait == 150 ns") == [22, 23]
    assert _found(history, "line == 5 and tile == 0") == [10]
    assert _found(history, 'site == "kernels/async_pipeline.cu:5" and op == copy and step < 12') == [10]


def test_a_stages_state_is_the_one_the_panes_show(lesson_history: History) -> None:
    found = set(_found(lesson_history, "stage.state == reading"))
    events = lesson_history.trace.events
    for step in range(lesson_history.steps):
        stage = int(events["stage"][step])
        if stage >= 0:
            assert (step in found) == (lesson_history.state_at(step).stage_state[stage] == 3)


def test_overwritten_stages_are_found_in_a_faulty_run_only(lesson_history: History) -> None:
    text = "stage.overwritten_unread or stage.overwritten_unreleased"
    assert _found(lesson_history, text) == []
    from visualizer.programs.registry import find_program

    faulty = History(simulate(find_program("lesson", {}, "F28")))
    found = _found(faulty, text)
    assert found
    assert set(faulty.kinds[found].tolist()) == {EventKind.COPY_ISSUE}


def test_a_name_without_its_cta_is_that_name_in_every_cta() -> None:
    history = two_cta_history()
    both = _found(history, "barrier == full[0]")
    assert both == _found(history, "barrier == CTA0.full[0] or barrier == CTA1.full[0]")
    assert _found(history, "barrier ~ full[0]") == both
    assert _found(history, "cta == 1 and barrier == full[0]") == _found(history, "barrier == CTA1.full[0]")


@pytest.mark.parametrize(
    ("text", "pointed", "words"),
    [
        ("", "^", "A condition begins with a column"),
        ("barier == full[0]", "^^^^^^", "Did you mean barrier?"),
        ("kind == phase_complet", "        ^^^^^^^^^^^^^", "Did you mean phase_complete?"),
        ("barrier == full[9]", "           ^^^^^^^", "This recording has no barrier full[9]."),
        ("wait > 500", "       ^^^", "needs a unit"),
        ("wait > 0.3 ps", "       ^^^", "whole number"),
        ("tile > 1.5", "       ^^^", "whole number"),
        ("tile = 3", "     ^", "write =="),
        ("blocked && derived", "        ^", "write and"),
        ("kind < arrive", "     ^", "kind takes == != ~ !~"),
        ("blocked > 3", "        ^", "blocked takes == !="),
        ("blocked == 3", "           ^", "true or false"),
        ("barrier", "^^^^^^^", "has to be compared"),
        ("barrier == 'full", "           ^^^^^", "no closing quote"),
        ("(blocked", "^", "not closed"),
        ("blocked)", "       ^", "closes nothing"),
        ("blocked derived", "        ^^^^^^^", "Join conditions with and, or"),
        ("kind in arrive", "        ^^^^^^", "a list in parentheses"),
        ("kind in (arrive", "        ^", "not closed"),
        ("tile in 2", "         ^", "A range has two ends"),
        ("tile == wait", "        ^^^^", "cannot be compared with"),
        ("kind ==", "       ^", "Here comes a name"),
        ("tile ==", "       ^", "Here comes a number"),
        ("import os; os.system('x')", "         ^", "means nothing in a query"),
        ("__import__", "^^^^^^^^^^", "There is no column"),
        ("not " * 100 + "blocked", None, "nested too deeply"),
        ("(" * 100 + "blocked" + ")" * 100, None, "nested too deeply"),
        ("blocked or " * 300 + "blocked", None, "at most 2000 characters"),
    ],
)
def test_a_wrong_query_says_where_and_what(lesson_history: History, text: str, pointed: str | None, words: str) -> None:
    with pytest.raises(QueryError) as raised:
        _found(lesson_history, text)
    assert words in str(raised.value)
    if pointed is not None:
        assert raised.value.pointed.splitlines()[1] == pointed


_WORDS = ["kind", "wait", "(", ")", "and", "or", "not", "==", "<", "5", "ns", "~", "..", "in", ",", "arrive"]


@given(st.text(max_size=40) | st.lists(st.sampled_from(_WORDS)).map(" ".join))
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    place = None
    try:
        steps = _found(_HAND, text)
    except QueryError as error:
        place = error.start
    if place is None:
        assert steps == sorted(steps)
    else:
        assert 0 <= place <= max(len(text), 1)


_HAND = hand_history()


def test_the_docs_list_every_column_as_it_is() -> None:
    text = _DOCS.read_text(encoding="utf-8")
    for column in COLUMNS:
        assert f"| `{column.name}` | {column.type} | {column.help} | `{column.example}` |" in text


def _documented_queries() -> list[str]:
    text = _DOCS.read_text(encoding="utf-8")
    return [line for block in re.findall(r"```query\n(.*?)```", text, re.S) for line in block.splitlines()]


@pytest.mark.parametrize("text", [*_documented_queries(), *(column.example for column in COLUMNS)])
def test_every_documented_query_runs_on_the_lesson_that_comes_along(text: str) -> None:
    history = History(load(resource_dir("assets") / "traces" / "lesson.pscope"))
    steps = matching_steps(parse(text), Events(history))
    assert np.all(np.diff(steps) > 0)


def test_the_documented_mistakes_are_word_for_word(lesson_history: History) -> None:
    text = _DOCS.read_text(encoding="utf-8")
    for wrong in ("barier == full[0]", "wait > 500", "kind == phase_complet"):
        with pytest.raises(QueryError) as raised:
            _found(lesson_history, wrong)
        assert raised.value.pointed in text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", {"kind", "barrier", "wait", "not"}),
        ("bar", {"barrier", "barrier.kind"}),
        ("barrier ", {"==", "~", "in"}),
        ("barrier == ", {"full[0]", "empty[1]", "none"}),
        ("barrier == fu", {"full[0]", "full[1]"}),
        ('barrier == "fu', {"full[0]", "full[1]"}),
        ("kind in (", {"arrive", "wait_end"}),
        ("kind in (arrive, wait_b", {"wait_begin"}),
        ("wait > 500 ", {"ns", "us"}),
        ("wait > 500 ns ", {"and", "or"}),
        ("blocked ", {"and", "or"}),
        ("not ", {"kind", "blocked"}),
        ("(bl", {"blocked"}),
        ("blocked == ", {"true", "false"}),
        ("pending == expected ", {"and", "or"}),
        ("kind == arrive and ro", {"role"}),
    ],
)
def test_completion_offers_what_can_come_next(text: str, wanted: set[str]) -> None:
    offered = complete(text, len(text), hand_history())
    assert wanted <= set(offered.options)
    assert all(option.startswith(text[offered.start :].strip('"')) for option in offered.options)


def test_completion_of_nonsense_offers_nothing() -> None:
    assert complete("a ; b", 5, None).options == ()


@pytest.mark.parametrize("ring", ["k", "v", "q"])
def test_a_ring_is_that_of_the_place_whose_barrier_it_happened_on(ring: str) -> None:
    history = History(simulate(attention()))
    on_it = _found(history, f'ring == {ring} and barrier ~ "*"')
    assert on_it == _found(history, f'barrier ~ "{ring}_*"')
    assert on_it


def test_kinds_roles_and_rings_that_are_inferred_can_be_asked_for() -> None:
    history = History(forget(simulate(attention())))
    structure, trace = history.structure, history.trace
    assert {barrier.kind for barrier in trace.barriers} == {"other"}
    barrier, agent = trace.events["barrier"], trace.events["agent"]
    full = [row for row, kind in enumerate(structure.kinds) if kind == "full"]
    assert _found(history, "barrier.kind == full") == np.flatnonzero(np.isin(barrier, full)).tolist()
    producers = [row for row, role in enumerate(structure.roles) if role == "producer"]
    assert producers
    assert _found(history, "role == producer") == np.flatnonzero(np.isin(agent, producers)).tolist()
    assert _found(history, f"ring == {structure.names[0]}")


def test_find_takes_words_as_well(lesson_history: History) -> None:
    events = Events(lesson_history)
    assert find_steps("  ", events).tolist() == []
    assert find_steps("producer arrive_exp", events).tolist() == _found(
        lesson_history, "agent == producer and kind == arrive_expect_tx"
    )
    assert find_steps("blocked", events).tolist() == _found(lesson_history, "blocked")
    assert find_steps("xyzzy", events).tolist() == []
    with pytest.raises(QueryError):
        find_steps("kind == xyzzy", events)
