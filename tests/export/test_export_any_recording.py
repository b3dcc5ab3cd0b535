"""Whatever a valid Trace says, and whatever its names are, it can be exported and compared."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from any_recording import BARRIERS, EVENTS, TABLES, recording
from hypothesis import given, settings
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
from vcdvcd import VCDVCD

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import comparison_json, comparison_text
from visualizer.export.formats import export
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.replay.history import History

ODD_NAMES = ('50%d, "full"', "</script>", "full.0", "满[0]")


def odd(trace: Any) -> Any:
    barriers = [replace(barrier, name=name) for barrier, name in zip(trace.barriers, ODD_NAMES, strict=False)]
    agents = [replace(agent, name=f"%s {agent.name}") for agent in trace.agents]
    return replace(trace, barriers=barriers, agents=agents)


@settings(max_examples=40, deadline=None)
@given(EVENTS.filter(len), TABLES, st.booleans())
def test_every_recording_can_be_exported(
    events: list[dict[str, Any]], barriers: tuple[Any, ...], strange: bool
) -> None:
    trace = recording(events, barriers)
    history = History(odd(trace) if strange else trace)
    with tempfile.TemporaryDirectory() as folder:
        content = {}
        for suffix in (".json", ".pftrace", ".vcd", ".csv", ".npz", ".html"):
            path = Path(folder) / f"run{suffix}"
            export(select(history), path, Look())
            content[suffix] = path.read_bytes()
        VCDVCD(str(Path(folder) / "run.vcd"))
    assert json.loads(content[".json"])["traceEvents"]
    assert schema.Trace.FromString(content[".pftrace"]).packet
    rows = list(csv.DictReader(io.StringIO(content[".csv"].decode(), newline="")))
    assert [row["agent"] for row in rows] == [history.trace.agents[event["agent"]].name for event in trace.events]
    assert np.load(io.BytesIO(content[".npz"]), allow_pickle=False)["step"].tolist() == list(range(len(trace)))
    assert content[".html"].count(b"</script>") == 2


@settings(max_examples=40, deadline=None)
@given(EVENTS, EVENTS, st.sampled_from([BARRIERS, ()]))
def test_every_two_recordings_can_be_compared(
    one: list[dict[str, Any]], other: list[dict[str, Any]], barriers: tuple[Any, ...]
) -> None:
    a, b = History(recording(one, BARRIERS)), History(recording(other, barriers))
    comparison = Comparison(a, b)
    assert json.dumps(comparison_json(comparison))
    assert comparison_text(comparison)
    if a.steps and b.steps:
        assert all(0 <= comparison.in_b(step) < b.steps for step in range(a.steps))
        assert all(0 <= comparison.in_a(step) < a.steps for step in range(b.steps))
    assert Comparison(a, a).same_order
