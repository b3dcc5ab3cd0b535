"""CSV and columns hold every event, its names and its barrier's state; read with csv and numpy alone."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from visualizer.recording.schema import BARRIER_STATE_KINDS, EventFlag, kind_name
from visualizer.replay.history import History


@pytest.fixture
def rows(recorded: History, write) -> list[dict[str, str]]:
    with write(recorded, ".csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_event_is_a_row_with_its_names(recorded: History, rows: list[dict[str, str]]) -> None:
    trace = recorded.trace
    assert len(rows) == len(trace)
    for step, (row, event) in enumerate(zip(rows, trace.events, strict=True)):
        assert int(row["step"]) == step
        assert int(row["time_ps"]) == event["time"]
        assert int(row["measured_ps"]) == event["measured"]
        assert row["kind"] == kind_name(event["kind"])
        assert row["agent"] == trace.agents[event["agent"]].name
        assert row["barrier"] == (trace.barriers[event["barrier"]].name if event["barrier"] >= 0 else "")
        assert row["tile"] == (str(event["tile"]) if event["tile"] >= 0 else "")
        assert int(row["amount"]) == event["amount"]
        assert row["blocked"] == str(int(event["flags"] & EventFlag.BLOCKED > 0))
        assert row["token"] == (str(event["token"]) if event["flags"] & EventFlag.HAS_TOKEN else "")
        site = trace.sites[event["site"]] if event["site"] >= 0 else None
        assert (row["file"], row["line"], row["op"]) == ((site.file, str(site.line), site.op) if site else ("", "", ""))


def test_the_barriers_state_is_the_historys(recorded: History, rows: list[dict[str, str]]) -> None:
    for step, row in enumerate(rows):
        event = recorded.trace.events[step]
        if event["kind"] in BARRIER_STATE_KINDS:
            state = recorded.barrier_at(int(event["barrier"]), step)
            expected = [state.phase, state.pending, state.expected, state.tx]
            assert [int(row[key]) for key in ("phase", "pending", "expected", "tx")] == expected
        else:
            assert row["phase"] == row["pending"] == ""


def test_columns_say_the_same_as_the_table(recorded: History, rows: list[dict[str, str]], write) -> None:
    with np.load(write(recorded, ".npz"), allow_pickle=False) as columns:
        assert json.loads(columns["meta"].tobytes())["program"] == "lesson"
        for name in rows[0]:
            values = columns[name]
            assert values.shape == (len(rows),)
            names = columns.get(f"{name}.names")
            none = columns.get(f"{name}.none", values == -1)
            shown = values if names is None else np.append(names, "")[values]
            texts = [
                "" if missing and row[name] == "" else str(cell)
                for cell, missing, row in zip(shown, none, rows, strict=True)
            ]
            assert texts == [row[name] for row in rows], name


def test_a_part_has_only_its_rows(recorded: History, write) -> None:
    with write(recorded, ".csv", "50:90", ["producer"]).open(encoding="utf-8", newline="") as file:
        part = list(csv.DictReader(file))
    producer = recorded.trace.agent_index["producer"]
    assert [int(row["step"]) for row in part] == [
        s for s in range(50, 91) if recorded.trace.events["agent"][s] == producer
    ]
