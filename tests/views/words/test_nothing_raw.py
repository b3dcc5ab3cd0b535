"""What is not known is left out or named: no text shows the -1, the None or the "?" that stands for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from any_recording import EVENTS, TABLES, recording
from hung_kernels import hung
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, nameless, pipeline
from said import said
from stranger_traces import by_address, stranger
from two_ring_traces import two_rings, untold

from visualizer.programs.registry import find_program
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

RAW = re.compile(r"(?<![\w.,*/-])(?<!pending )(?<!takes )-1(?![\d.])|\bNone\b|\bstage \?|\btile \?|\(\d+, \d+, \d+\)")
"""A barrier may count below zero: its counts are told as they are."""


def raw(trace: Trace, most: int = 5) -> list[str]:
    """Texts that show a number or a name of the program's own for what is not known."""
    history = History(trace)
    steps = range(0, history.steps, max(history.steps // most, 1))
    return [text for text in said(history, steps) if RAW.search(text)]


@settings(max_examples=10, deadline=None)
@given(PIPELINES, st.integers(0, 2**16))
def test_of_a_program_that_nobody_described(options: dict[str, Any], seed: int) -> None:
    assert raw(by_address(nameless(simulate(pipeline(**options), seed=seed)), seed)) == []


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: stranger(4), id="two rings known by address"),
        pytest.param(lambda: by_address(simulate(find_program("baseline", None))), id="reads and cursors of no stage"),
        pytest.param(lambda: by_address(two_rings(4)), id="reads of no ring"),
        pytest.param(lambda: untold(two_rings(4)), id="cursors of no ring"),
        *(
            pytest.param(lambda kernel=kernel, fault=fault: hung(kernel, fault), id=f"{kernel} {fault}")
            for kernel, fault in (("gemm", "F03"), ("multicast", "F06"), ("multicast", "F20"), ("pingpong", "F01"))
        ),
    ],
)
def test_of_what_names_no_tile(make: Callable[[], Trace]) -> None:
    assert raw(make()) == []


@settings(max_examples=20, deadline=None)
@given(EVENTS.filter(len), TABLES)
def test_of_whatever_a_valid_recording_says(events: list[dict[str, Any]], barriers: tuple[Barrier, ...]) -> None:
    counted = [{**e, "parity": max(e["parity"], 0), "amount": 16 * min(max(e["amount"], 0), 2**26)} for e in events]
    assert raw(recording(counted, barriers)) == []
