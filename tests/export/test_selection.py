"""Ranges and lanes: what people may write, and what they are told if they write something else."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.export.errors import ExportError
from visualizer.export.selection import between, select
from visualizer.replay.history import History
from visualizer.views.timeline.lanes.lanes import build_lanes


def test_everything_by_default(recorded: History) -> None:
    chosen = select(recorded)
    assert (chosen.first, chosen.last) == (0, recorded.steps - 1)
    assert (chosen.begin, chosen.end) == (0, recorded.trace.duration_ps)
    assert chosen.lanes == tuple(lane for lane in build_lanes(recorded.trace) if not lane.folds)
    assert chosen.rows.tolist() == list(range(recorded.steps))


@pytest.mark.parametrize(
    ("text", "first", "last"), [("10:20", 10, 20), (":5", 0, 5), ("230:", 230, 235), ("7:7", 7, 7)]
)
def test_steps(recorded: History, text: str, first: int, last: int) -> None:
    chosen = select(recorded, text)
    time = recorded.trace.events["time"]
    assert (chosen.first, chosen.last, chosen.steps) == (first, last, last - first + 1)
    assert (chosen.begin, chosen.end) == (time[first], time[last])


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [("2us:4.5us", 2_000_000, 4_500_000), ("2000ns:4.5us", 2_000_000, 4_500_000), (":500ns", 0, 500_000)],
)
def test_times(recorded: History, text: str, begin: int, end: int) -> None:
    chosen = select(recorded, text)
    time = recorded.trace.events["time"]
    inside = np.flatnonzero((time >= begin) & (time <= end))
    assert (chosen.first, chosen.last) == (inside[0], inside[-1])
    assert (chosen.begin, chosen.end) == (begin, end)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("5", "expected A:B"),
        ("a:b", "expected A:B"),
        ("1:2:3", "expected A:B"),
        ("10:2us", "one end is a step"),
        ("20:10", "not within 0:235"),
        ("0:236", "not within 0:235"),
        ("1.5:3", "a step is a whole number"),
        ("5us:2us", "ends before it begins"),
        ("1ps:2ps", "no event lies in it"),
    ],
)
def test_what_is_no_range_is_refused(recorded: History, text: str, says: str) -> None:
    with pytest.raises(ExportError, match=says) as refusal:
        select(recorded, text)
    assert f"--range {text}" in str(refusal.value)


def test_lanes_by_name_and_pattern(recorded: History) -> None:
    chosen = select(recorded, "", ["full[*]", "producer"])
    assert [lane.key for lane in chosen.lanes] == ["producer", "full[0]", "full[1]", "full[2]"]
    events = recorded.trace.events
    full = [recorded.trace.barrier_index[f"full[{stage}]"] for stage in range(3)]
    wanted = (events["agent"] == recorded.trace.agent_index["producer"]) | np.isin(events["barrier"], full)
    assert chosen.rows.tolist() == np.flatnonzero(wanted).tolist()


def test_a_stage_lane_has_the_events_of_its_stage(recorded: History) -> None:
    rows = select(recorded, "", ["stage[1]"]).rows
    assert set(recorded.trace.events["stage"][rows].tolist()) == {1}


def test_lanes_of_every_cta_and_of_one(four_ctas: History) -> None:
    assert [lane.key for lane in select(four_ctas, "", ["producer"]).lanes] == [f"CTA{n}.producer" for n in range(4)]
    assert {lane.cta for lane in select(four_ctas, "", ["CTA2.*"]).lanes} == {2}


def test_a_name_that_is_no_lane_is_refused(recorded: History) -> None:
    with pytest.raises(ExportError, match=r"--lanes full\[9\]: no lane has this name; there are producer, "):
        select(recorded, "", ["full[9]"])


def test_a_view_without_events_is_refused(recorded: History) -> None:
    with pytest.raises(ExportError, match="no event lies in this stretch"):
        between(recorded, 1, 2, select(recorded).lanes)
