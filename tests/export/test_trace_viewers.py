"""Chrome JSON and Perfetto traces, read back with json and with Perfetto's own schema, against the History."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from visualizer.export.lane_tracks import flows
from visualizer.export.selection import select
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.causality import Causality
from visualizer.replay.history import AgentActivity, History


@pytest.fixture
def chrome(recorded: History, write) -> list[dict[str, Any]]:
    text = write(recorded, ".json").read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal)["traceEvents"]


@pytest.fixture
def perfetto(recorded: History, write) -> schema.Trace:
    trace = schema.Trace()
    trace.ParseFromString(write(recorded, ".pftrace").read_bytes())
    return trace


def slices_of(chrome: list[dict[str, Any]], tid: int) -> list[dict[str, Any]]:
    """A thread's begins in order, each with the time at which it ends; begins and ends take turns."""
    own = [event for event in chrome if event["ph"] in "BE" and event["tid"] == tid]
    assert [event["ph"] for event in own] == ["B", "E"] * (len(own) // 2)
    return [{**begin, "end": end["ts"]} for begin, end in zip(own[::2], own[1::2], strict=True)]


def blocked_waits(history: History) -> list[int]:
    events = history.trace.events
    return np.flatnonzero((events["kind"] == EventKind.WAIT_END) & (events["flags"] & EventFlag.BLOCKED > 0)).tolist()


def test_flows_are_the_releases_that_causality_finds(recorded: History, four_ctas: History) -> None:
    for history in (recorded, four_ctas):
        causality = Causality(history)
        released = {
            step: release.completion
            for step in blocked_waits(history)
            if (release := causality.release_of(step)) is not None and release.completion is not None
        }
        found = flows(select(history))
        assert dict(zip(found.target.tolist(), found.source.tolist(), strict=True)) == released
        assert released


def test_flows_of_a_part_have_both_ends_in_it(recorded: History) -> None:
    found = flows(select(recorded, "60:160", ["producer", "empty[*]"]))
    assert len(found.source)
    assert ((found.source >= 60) & (found.target <= 160)).all()
    assert set(recorded.trace.events["agent"][found.target]) == {recorded.trace.agent_index["producer"]}


def test_chrome_lanes_are_threads_in_their_order(chrome: list[dict[str, Any]], recorded: History) -> None:
    names = [event["args"]["name"] for event in chrome if event.get("name") == "thread_name"]
    assert names[:4] == ["producer", "consumer.w1", "consumer.w2", "consumer.w3"]
    assert names[4:7] == ["tma to stage[0]", "tma to stage[1]", "tma to stage[2]"]
    assert names[-6:] == [barrier.name for barrier in recorded.trace.barriers]
    assert [event["args"]["name"] for event in chrome if event.get("name") == "process_name"] == ["CTA 0"]


def test_chrome_slices_are_the_spans_to_the_picosecond(chrome: list[dict[str, Any]], recorded: History) -> None:
    tid = next(e["tid"] for e in chrome if e.get("name") == "thread_name" and e["args"]["name"] == "producer")
    waits = [begin for begin in slices_of(chrome, tid) if begin["name"].startswith("waits")]
    spans = recorded.agent_spans(recorded.trace.agent_index["producer"])
    spans = spans.keep(spans.state == AgentActivity.WAITING)
    assert [(int(e["ts"] * 10**6), int(e["end"] * 10**6)) for e in waits] == list(
        zip(spans.start.tolist(), spans.end.tolist(), strict=True)
    )
    assert waits[3]["name"] == "waits empty[0] (tile 3)"


def test_chrome_slices_of_a_thread_never_overlap(chrome: list[dict[str, Any]]) -> None:
    for tid in {event["tid"] for event in chrome if event["ph"] == "B"}:
        found = slices_of(chrome, tid)
        assert all(before["end"] <= after["ts"] for before, after in pairwise(found))


def test_chrome_counters_end_where_the_barrier_does(chrome: list[dict[str, Any]], recorded: History) -> None:
    for row, barrier in enumerate(recorded.trace.barriers):
        state = recorded.barrier_at(row, recorded.steps - 1)
        last = {e["name"]: e["args"] for e in chrome if e["ph"] == "C" and e["name"].startswith(barrier.name)}
        assert last == {
            f"{barrier.name} pending": {"arrivals": state.pending},
            f"{barrier.name} tx": {"bytes": state.tx},
        }


def test_chrome_flows_come_in_pairs(chrome: list[dict[str, Any]], recorded: History) -> None:
    starts = {e["id"]: e["ts"] for e in chrome if e["ph"] == "s"}
    ends = {e["id"]: e["ts"] for e in chrome if e["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert len(starts) == len(flows(select(recorded)).source)
    assert all(starts[number] <= ends[number] for number in starts)


def test_perfetto_tracks_form_a_tree(perfetto: schema.Trace, recorded: History) -> None:
    tracks = {p.track_descriptor.uuid: p.track_descriptor for p in perfetto.packet if p.HasField("track_descriptor")}
    parents = {track.name: tracks[track.parent_uuid].name for track in tracks.values() if track.parent_uuid}
    assert parents["producer"] == parents["full[0]"] == parents["stage[2]"] == "CTA 0"
    assert parents["full[0] pending"] == parents["full[0] tx"] == "full[0]"
    assert {t.name for t in tracks.values() if t.HasField("counter")} == {
        f"{barrier.name} {what}" for barrier in recorded.trace.barriers for what in ("pending", "tx")
    }


def test_perfetto_slices_begin_and_end_in_turn(perfetto: schema.Trace) -> None:
    event_type = schema.TrackEvent
    depth: Counter[int] = Counter()
    latest: dict[int, int] = defaultdict(int)
    for packet in perfetto.packet:
        event = packet.track_event
        if event.type not in (event_type.TYPE_SLICE_BEGIN, event_type.TYPE_SLICE_END):
            continue
        assert packet.timestamp >= latest[event.track_uuid]
        latest[event.track_uuid] = packet.timestamp
        depth[event.track_uuid] += 1 if event.type == event_type.TYPE_SLICE_BEGIN else -1
        assert depth[event.track_uuid] in (0, 1)
    assert depth
    assert not any(depth.values())


def test_perfetto_says_what_chrome_json_says(perfetto: schema.Trace, chrome: list[dict[str, Any]]) -> None:
    """Two formats, one recording: the same slices and instants by name and step."""
    names: dict[int, str] = {}
    found: Counter[tuple[str, str, int]] = Counter()
    for packet in perfetto.packet:
        names |= {name.iid: name.name for name in packet.interned_data.event_names}
        arguments = {annotation.name_iid: annotation.int_value for annotation in packet.track_event.debug_annotations}
        if packet.track_event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
            found["B", names[packet.track_event.name_iid], arguments[1]] += 1
        elif packet.track_event.type == schema.TrackEvent.TYPE_INSTANT:
            found["i", names[packet.track_event.name_iid], arguments[1]] += 1
    assert found == Counter((e["ph"], e["name"], int(e["args"]["step"])) for e in chrome if e["ph"] in "Bi")


def test_perfetto_flows_join_a_phase_and_a_wait(perfetto: schema.Trace, recorded: History) -> None:
    begun, ended = {}, {}
    for packet in perfetto.packet:
        step = next((a.int_value for a in packet.track_event.debug_annotations if a.name_iid == 1), -1)
        begun |= dict.fromkeys(packet.track_event.flow_ids, step)
        ended |= dict.fromkeys(packet.track_event.terminating_flow_ids, step)
    found = flows(select(recorded))
    assert sorted((begun[number], ended[number]) for number in begun) == sorted(
        zip(found.source.tolist(), found.target.tolist(), strict=True)
    )
    assert begun.keys() == ended.keys()


def test_perfetto_keeps_the_picosecond_beside_its_nanosecond(perfetto: schema.Trace) -> None:
    for packet in perfetto.packet:
        for annotation in packet.track_event.debug_annotations:
            if annotation.name_iid == 3:
                assert annotation.int_value // 1000 == packet.timestamp
