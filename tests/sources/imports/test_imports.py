"""Another tool's file becomes a recording of what it tells, and of nothing else; what is wrong in it is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources.imports import logs

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.not_judged import not_judged
from visualizer.export.formats import export
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load, save
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.recording.trace import Trace, TraceError
from visualizer.replay.history import AgentActivity, History
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.imports.any_file import read_recording
from visualizer.sources.imports.reader import MOST_LINE
from visualizer.sources.imports.registry import READERS, import_trace
from visualizer.structure.find import structure_of
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore

_WITHOUT_ARRIVALS = ("wait_not_due", "blocked_unreleased")
HARDWARE = (EventKind.PHASE_COMPLETE, EventKind.COMPLETE_TX, EventKind.COPY_DONE)


def imported(tmp_path: Path, text: str, launch: int = 0, *, whole: bool = True) -> Trace:
    """`whole`: the file tells all arrivals, so that every wait has the phase that let it pass."""
    path = tmp_path / "log.txt"
    path.write_text(text, encoding="utf-8")
    trace = import_trace(path, launch)
    found = violations(trace)
    assert not any(n for what, n in found.items() if whole or what not in _WITHOUT_ARRIVALS), found
    assert not diagnose(History(trace)).findings
    save(trace, tmp_path / "out.pscope")  # and everything that reading one asks
    return load(tmp_path / "out.pscope")


def told(trace: Trace, agent: str) -> list[tuple[Any, ...]]:
    """What an agent did: time in ns, kind, barrier, amount, parity."""
    row = trace.agent_index[agent]
    return [
        (
            round(int(event["measured"]) / 1000),
            kind_name(event["kind"]),
            trace.barriers[event["barrier"]].name if event["barrier"] >= 0 else "",
            int(event["amount"]),
            int(event["parity"]),
        )
        for event in trace.events[trace.events["agent"] == row]
        if event["kind"] not in HARDWARE
    ]


def refusal(tmp_path: Path, text: str) -> str:
    path = tmp_path / "log.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        import_trace(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    return said.removeprefix(f"{path}: ")


@pytest.mark.parametrize("text", [logs.CSV, logs.JSON_LINES], ids=["csv", "json"])
def test_neutral_events_become_a_recording(tmp_path: Path, text: str) -> None:
    trace = imported(tmp_path, text)
    assert told(trace, "producer") == [
        (0, "init", "full[0]", 1, -1),
        (1, "init", "empty[0]", 1, -1),
        (10, "arrive_expect_tx", "full[0]", 4096, -1),
        (12, "copy_issue", "full[0]", 4096, -1),
    ]
    phases = trace.events[trace.events["kind"] == EventKind.PHASE_COMPLETE]
    assert [trace.barriers[row].name for row in phases["barrier"]] == ["full[0]", "empty[0]"]
    # The wait that blocked shows when the copy landed.
    assert abs(int(phases["time"][0]) - 500_000) < 10
    structure = structure_of(trace)
    assert len(structure.rings) == 1
    assert structure.roles[trace.agent_index["consumer.w1"]] == "consumer"
    assert trace.sites[int(trace.events["site"].max())].line == 70
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.source["copies_by_expectation"] == 1


def test_an_exported_table_comes_back(tmp_path: Path, lesson_trace: Trace) -> None:
    """All that agents did; what hardware did is derived, so its times are estimates."""
    export(select(History(lesson_trace)), tmp_path / "lesson.csv", Look())
    trace = import_trace(tmp_path / "lesson.csv")
    assert not any(violations(trace).values())
    for agent in (agent.name for agent in lesson_trace.agents if agent.warp >= 0):
        assert told(trace, agent) == told(lesson_trace, agent)
    before, after = structure_of(lesson_trace), structure_of(trace)
    assert [ring.full for ring in after.rings] == [ring.full for ring in before.rings]


def test_names_tell_a_structure_only_where_agents_have_roles(tmp_path: Path) -> None:
    trace = imported(tmp_path, logs.CSV.replace("producer", "warp0").replace("consumer.w1", "warp1"))
    assert {barrier.kind for barrier in trace.barriers} == {"other"}
    assert [agent.warp for agent in trace.agents] == [0, 1, -1]


def test_rings_and_ctas_of_their_own(tmp_path: Path) -> None:
    text = logs.CSV.replace("full[0]", "K.full[0]").replace("empty[0]", "K.empty[0]")
    text += (
        logs.CSV.partition("\n")[2]
        .join(["\n", ""])
        .replace("full[0]", "CTA3.V.full[0]")
        .replace("empty[0]", "CTA3.V.empty[0]")
        .replace("producer", "CTA3.producer")
        .replace("consumer", "CTA3.consumer")
    )
    trace = imported(tmp_path, text)
    assert set(trace.rings) == {"K", "V"}
    assert trace.recorded_ctas == (0, 3)
    assert "CTA3.tma" in trace.agent_index


def test_counts_are_forgotten_where_arrivals_are_missing(tmp_path: Path) -> None:
    text = logs.CSV.replace("init,full[0],1", "init,full[0],4")
    trace = imported(tmp_path, text, whole=False)
    assert [n for n in trace.meta.source["notes"] if "1 barriers" in n]
    left_out = "Waits on 1 barrier: how many arrivals its phases take is not in the recording."
    assert left_out in not_judged(History(trace))
    full = trace.barrier_index["full[0]"]
    assert not ((trace.events["kind"] == EventKind.PHASE_COMPLETE) & (trace.events["barrier"] == full)).any()


def test_a_log_that_ends_in_a_wait_says_so(tmp_path: Path) -> None:
    trace = imported(tmp_path, "\n".join(logs.CSV.splitlines()[:6]))
    assert (trace.meta.ending.kind, trace.meta.ending.detail) == ("cancelled", "the file ends while 1 agents wait")


def test_synclog(tmp_path: Path) -> None:
    trace = imported(tmp_path, logs.SYNCLOG)
    assert told(trace, "warp0")[2:] == [
        (32, "fence", "", 0, -1),
        (64, "sync_begin", "", 0, -1),
        (64, "sync_end", "", 0, -1),
        (96, "wait_begin", "0x408", 0, 1),
        (128, "wait_end", "0x408", 0, 1),
        (128, "arrive_expect_tx", "0x400", 4096, -1),
        (128, "copy_issue", "0x400", 4096, -1),
        (200, "wait_begin", "0x408", 0, 0),
        (864, "wait_end", "0x408", 0, 0),  # the log has an end: so had the kernel
    ]
    assert told(trace, "warp4") == [
        (64, "sync_begin", "", 0, -1),
        (64, "sync_end", "", 0, -1),
        (128, "test_failed", "0x400", 0, 0),  # it then waited for the same
        (160, "wait_begin", "0x400", 0, 0),
        (800, "wait_end", "0x400", 0, 0),  # by the next line, whatever that was
        (864, "arrive", "0x408", 1, -1),  # the other was not executed
    ]
    ends = trace.events[trace.events["kind"] == EventKind.WAIT_END]
    assert (ends["flags"] & EventFlag.ESTIMATED != 0).all()
    assert trace.meta.ending.kind == "completed"
    assert "lines that are not shown: wgmma_smem_smem 1" in trace.meta.source["notes"]
    assert {site.file for site in trace.sites} == {"cutlass/arch/barrier.h", "cute/arch/copy_sm90_tma.hpp"}
    assert len(structure_of(trace).rings) == 1


def test_a_try_that_is_not_followed_by_its_wait_is_taken_to_have_passed(tmp_path: Path) -> None:
    lines = list(logs.SYNCLOG_LINES)
    del lines[11]
    trace = imported(tmp_path, "\n".join(lines))
    assert trace.meta.source["tries_taken_as_passed"] == 1
    assert told(trace, "warp4")[2:4] == [(128, "wait_begin", "0x400", 0, 0), (128, "wait_end", "0x400", 0, 0)]


def test_a_synclog_without_end_keeps_its_last_waits(tmp_path: Path) -> None:
    for last in ("", "synclog was truncated (exceeded capacity of 268435452 bytes)\nsynclog end\n"):
        trace = imported(tmp_path, "\n".join(logs.SYNCLOG_LINES[:-1]) + "\n" + last)
        assert trace.meta.ending.kind == "cancelled"
        assert told(trace, "warp0")[-1] == (200, "wait_begin", "0x408", 0, 0)


def test_one_launch_of_several(tmp_path: Path) -> None:
    second = logs.SYNCLOG.replace("transaction_bytes=4096", "transaction_bytes=512")
    trace = imported(tmp_path, logs.SYNCLOG + second, launch=1)
    assert trace.events["amount"].max() == 512
    with pytest.raises(SourceError, match="it holds 2 launches"):
        import_trace(tmp_path / "log.txt", 2)


def test_ranges_become_activity_and_barriers_are_not_invented(tmp_path: Path) -> None:
    trace = imported(tmp_path, logs.CHROME, whole=False)
    assert [agent.name for agent in trace.agents] == ["CTA0.warp0", "CTA0.warp4", "CTA1.warp0", "CTA1.warp4"]
    assert [barrier.name for barrier in trace.barriers] == ["full[0]"]
    assert told(trace, "CTA0.warp0") == [
        (0, "range_begin", "", 0, -1),
        (100, "range_end", "", 0, -1),
        (100, "wait_begin", "", 0, -1),
        (1100, "wait_end", "", 0, -1),
        (1100, "range_begin", "", 0, -1),  # load goes on
        (2000, "range_end", "", 0, -1),
    ]
    assert told(trace, "CTA1.warp4")[0] == (3500, "wait_begin", "full[0]", 0, 0)
    assert ("arrive", "full[0]") in [row[1:3] for row in told(trace, "CTA1.warp0")]
    assert not (trace.events["kind"] == EventKind.PHASE_COMPLETE).any()
    history = History(trace)
    spans = history.agent_spans(trace.agent_index["CTA0.warp0"])
    assert [
        (AgentActivity(int(state)).name, trace.op_of(int(trace.events["site"][step])))
        for state, step in zip(spans.state, spans.first_step, strict=True)
        if state != AgentActivity.RUNNING
    ] == [("IN_RANGE", "load"), ("WAITING", "wait empty"), ("IN_RANGE", "load")]


def test_begins_and_ends_named_threads_and_large_times(tmp_path: Path) -> None:
    events = [
        {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "block 2 warp 5"}},
        {"ph": "B", "name": "epilogue", "pid": 7, "tid": 1, "ts": 1731000000000000},
        {"ph": "E", "pid": 7, "tid": 1, "ts": 1731000000000003.5},
        {"ph": "B", "name": "open", "pid": 7, "tid": 1, "ts": 1731000000000004},
        {"ph": "C", "name": "counter", "pid": 7, "tid": 1, "ts": 5},
    ]
    trace = imported(tmp_path, json.dumps(events).replace("000000}", "000000.001}"))
    assert told(trace, "CTA2.warp5")[:2] == [(0, "range_begin", "", 0, -1), (3499, "range_end", "", 0, -1)]
    notes = " ".join(trace.meta.source["notes"])
    assert "1 events that are no ranges or marks were left out" in notes
    assert "1 ranges have no end" in notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agent,time,kind\nw,0,arrive\n", "line 2: arrive names no barrier"),
        ("agent,time,kind\nw,0,arive\n", "line 2: there is no kind 'arive'"),
        ("agent,time,kind\n\nw,soon,exit\n", "line 3: time is 'soon'"),
        ("agent,time,kind\nw,,exit\n", "line 2: it has no time"),
        ("agent,time,kind\nw,1\n", "line 2: it has 2 fields, and the header 3"),
        ("agent,time,kind\nw,0,exit\nw,99999999999999999,exit\n", "line 3: its time is more than two and a half hours"),
        ('agent,time,kind\n"w,0,exit\n', "line 2: it is no CSV"),
        ("agent,time,kind\n,0,exit\n", "line 2: a name has 0 characters"),
        ("agent,time,kind\nCTA9999999.w,0,exit\n", "line 2: 'CTA9999999.w' is in a CTA beyond"),
        ("agent,time,kind,barrier,parity\nw,0,wait_begin,b,2\n", "line 2: wait_begin has parity 2"),
        ("agent,time,kind,barrier,amount\nw,0,init,b,-1\n", "line 2: amount is -1"),
        ("agent,time,kind,barrier,amount\nw,0,init,b,9999999999\n", "line 2: amount is 9999999999"),
        ("agent,time,kind,barrier,amount\nw,0,init,full[99999],1\n", "line 2: 'full[99999]' has a stage beyond"),
        ("agent,time,kind\n" + "w" * (MOST_LINE + 1) + ",0,exit\n", "line 2: it is longer than"),
        ('{"agent": "w", "time": 0, "kind": "exit"}\n{"agent"\n', "line 2: it is no JSON"),
        ('{"agent": "w", "time": 0, "kind": "exit"}\n[]\n', "line 2: it is no JSON object"),
        ('{"agent": "w", "time": NaN, "kind": "exit"}\n', "line 1: time is nan"),
        ('{"agent": "w", "time": true, "kind": "exit"}\n', "line 1: time is True"),
        ('{"agent": 3, "time": 0, "kind": "exit"}\n', "line 1: agent is 3; it must be a text"),
        ("synclog start\nsynclog at 1: rubbish\n", "line 2: it is no line of synclog"),
        ("synclog start\n" + logs.line("cluster_barrier_wait", 0, 0, "phase=0"), "line 2: it has no smem_addr="),
        ("synclog start\nsynclog end\n", "it holds no event"),
        ('{"traceEvents": 3}', "it has no list of traceEvents"),
        ('{"traceEvents": [}', "line 1: it is no JSON"),
        ('{"traceEvents": [3]}', "traceEvents[0]: it is no object"),
        ('{"traceEvents": [{"ph": "X"}]}', "traceEvents[0]: ts is no number"),
        ('{"traceEvents": [{"ph": "E", "ts": 1}]}', "traceEvents[0]: it ends a range that did not begin"),
        ('{"traceEvents": [{"ph": "X", "ts": 1, "dur": -1}]}', "traceEvents[0]: it ends before it begins"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert refusal(tmp_path, text).startswith(said)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x7fELF\0\0\0", b'{"a": 1}', b"\xff\xfe"])
def test_an_unknown_file_is_told_what_would_be_accepted(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "what.bin"
    path.write_bytes(content)
    with pytest.raises(TraceError) as caught:
        read_recording(path)
    assert str(caught.value).startswith(f"{path}: it is no recording, and nothing that can be imported")
    assert all(reader.title in str(caught.value) for reader in READERS)


def test_a_recording_is_opened_whatever_its_name(tmp_path: Path, lesson_trace: Trace) -> None:
    path = tmp_path / "renamed.csv"
    save(lesson_trace, path)
    assert len(read_recording(path)) == len(lesson_trace)
    (tmp_path / "torn.pscope").write_text(logs.CSV)
    with pytest.raises(TraceError, match="not a ZIP file"):
        read_recording(tmp_path / "torn.pscope")
    with pytest.raises(TraceError, match="no such file"):
        read_recording(tmp_path / "gone.csv")


def test_importing_can_be_given_up(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(logs.CSV)
    with pytest.raises(Cancelled):
        import_trace(path, cancelled=lambda: True)


def test_ranges_are_called_by_their_names(tmp_path: Path) -> None:
    """In the sentence of a step, on lanes, and in what is exported - which can be imported again."""
    history = History(imported(tmp_path, logs.CHROME, whole=False))
    trace = history.trace
    sentences = [explain(history, step) for step in range(2)]
    assert sentences == ["CTA0.warp0 begins 'load'.", "CTA0.warp0 ends 'load'."]
    store = LaneStore(history)
    lane = store.lanes[store.row_of["CTA0.warp0"]]
    assert store.intervals(lane).texts(0) == ["load"]
    assert kind_of(lane).value(store, history.state_at(0), lane).text == "load"
    export(select(history), tmp_path / "again.json", Look())
    again = import_trace(tmp_path / "again.json")
    named = {again.op_of(int(row)) for row in again.events["site"]}
    assert {"load", "mma"} <= named, named
    assert trace.recorded_ctas == (0, 1)
