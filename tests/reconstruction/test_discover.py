"""Agents and barriers are found from addresses alone, and what was recorded comes back from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, met_phases, nameless, pipeline, stranger_log
from stranger_traces import by_address, records_of

from visualizer.reconstruction.assemble import assemble_events
from visualizer.reconstruction.discover import NO_ADDRESS, RECORD_DTYPE, discover
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EVENT_DTYPE, NO_SAMPLES, EventFlag, EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.simulator.simulate import simulate


def by_name(trace: Trace) -> dict[str, list[tuple[Any, ...]]]:
    """What each warp of each CTA met, by addresses."""
    names = [barrier.address for barrier in trace.barriers]
    return {
        f"CTA{trace.agents[agent].cta}.{trace.agents[agent].warp}": [(names[b], *rest) for b, *rest in met]
        for agent, met in met_phases(trace).items()
    }


@settings(max_examples=30, deadline=None)
@given(config=PIPELINES, seed=st.integers(0, 1000))
def test_a_pipeline_comes_back_from_addresses(config: dict[str, Any], seed: int) -> None:
    trace = nameless(simulate(pipeline(**config), seed=seed))
    result = by_address(trace, seed)
    assert not any(violations(result).values()), violations(result)
    assert by_name(result) == by_name(trace)
    assert {b.address for b in result.barriers} == {b.address for b in trace.barriers}
    assert all(b.init_count == 0 and b.kind == "other" and b.stage == -1 for b in result.barriers)
    landed = trace.events[trace.events["kind"] == EventKind.COPY_DONE]
    copies = (result.events["kind"] == EventKind.COPY_DONE).sum()
    assert copies == (landed["flags"] & EventFlag.BY_ARRIVAL == 0).sum()


def test_warps_know_their_warpgroup_and_engines_are_there_only_if_used() -> None:
    records = np.zeros(3, RECORD_DTYPE)
    records["warp"], records["address"] = (9, 0, 3), NO_ADDRESS
    records["kind"] = EventKind.EXIT
    found = discover(records)
    assert [(a.name, a.warpgroup) for a in found.agents] == [("warp0", 0), ("warp3", 0), ("warp9", 2)]
    records["kind"][1], records["kind"][2] = EventKind.COPY_ISSUE, EventKind.TENSOR_COMMIT
    found = discover(records)
    assert [(a.name, a.role) for a in found.agents[3:]] == [("tma", "copy_engine"), ("tensor_core", "tensor_core")]
    assert found.parts.whole["agent"].tolist() == [0, 1, 2]


def test_a_barrier_of_another_cta_is_the_same_barrier() -> None:
    records = np.zeros(4, RECORD_DTYPE)
    records["kind"] = EventKind.ARRIVE
    records["cta"] = (2, 3, 2, 3)
    records["address"] = (0x400, 0x400, 1 << 24 | 0x400, 1 << 24 | 0x400)
    found = discover(records, cluster=2)
    assert [(b.cta, b.offset, b.address) for b in found.barriers] == [(2, 0x400, 0x400), (3, 0x400, 1 << 24 | 0x400)]
    assert found.parts.whole["barrier"].tolist() == [0, 1, 0, 1]
    with pytest.raises(TraceError, match=r"CTA 2 uses a barrier at 0x1000400, in CTA 1 of a cluster of 1"):
        discover(records)


def test_clusters_worked_on_together_give_what_each_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rings = [{"stages": 2, "fill": "split", "waits": 1}]
    trace = nameless(simulate(pipeline(rings, tiles=6, consumers=2, ctas=2), seed=1))
    one = records_of(trace, stranger_log(trace, 1), 1)
    records = np.concatenate([one, one, one])
    records["cta"] += np.repeat([0, 10, 40], len(one)).astype(np.int32)
    records["time"] += np.repeat([0, 3, 1], len(one))
    results: list[Any] = []
    for size in (len(one), 1 << 17):
        monkeypatch.setattr("visualizer.reconstruction.discover._EVENTS_A_PART", size)
        found = discover(records, cluster=2)
        assert len(found.parts.spans) == (3 if size == len(one) else 1)
        meta = Meta("any", {}, {}, Ending("completed"))
        result = assemble_events(found.parts, found.agents, found.barriers, trace.sites, meta, {}, NO_SAMPLES)
        ordered = np.lexsort((result.agent_cta[result.events["agent"]], result.events["time"]))
        results.append((result.agents, result.barriers, result.events[ordered].tolist()))
    assert results[0] == results[1]
    assert len(results[0][2]) > len(records)


def test_records_lost_end_the_recording_for_everybody() -> None:
    records = np.zeros(4, RECORD_DTYPE)
    records["kind"], records["address"], records["site"] = EventKind.PROXY_FENCE, NO_ADDRESS, -1
    records["warp"], records["time"] = (0, 0, 1, 1), (0, 10, 5, 30)
    found = discover(records, lost={(0, 0): 3, (0, 1): 0})
    meta = Meta("any", {}, {}, Ending("completed"))
    result = assemble_events(found.parts, found.agents, found.barriers, (), meta, {}, NO_SAMPLES)
    assert result.events["time"].tolist() == [0, 5, 10]
    assert result.meta.events_dropped == 1


def test_nothing_recorded_is_nothing_found() -> None:
    found = discover(np.zeros(0, RECORD_DTYPE))
    assert (len(found.parts.whole), found.agents, found.barriers) == (0, (), ())


def test_a_record_is_laid_out_as_the_rest_of_its_event() -> None:
    """They are copied as one block of bytes."""
    same = {"time": "measured"} | {name: name for name in ("token", "amount", "site", "kind", "parity", "flags")}
    first = EVENT_DTYPE.fields["measured"][1]
    assert EVENT_DTYPE.itemsize == first + RECORD_DTYPE.itemsize
    for name, of_event in same.items():
        assert EVENT_DTYPE[of_event] == RECORD_DTYPE[name]
        assert EVENT_DTYPE.fields[of_event][1] == first + RECORD_DTYPE.fields[name][1]
