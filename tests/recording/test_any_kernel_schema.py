"""What the schema holds of kernels that are not the lesson's, through a file and back; and files written before it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from recording_files import members_of

from visualizer.recording.file import load, save
from visualizer.recording.schema import EARLIER_EVENT_DTYPE, EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Frame, Meta, Site
from visualizer.recording.trace import Trace, TraceError
from visualizer.semantics.pipeline_state import PipelineState

STACK = (
    Frame("cutlass/arch/barrier.h", 412, "cutlass::arch::ClusterBarrier::wait(unsigned, unsigned)"),
    Frame("cutlass/pipeline/sm90_pipeline.hpp", 630, "cutlass::PipelineTmaAsync<7>::producer_acquire"),
    Frame("my_gemm.cu", 88, "my_gemm"),
)
SITES = (Site("cutlass/arch/barrier.h", 412, "wait", STACK), Site("my_gemm.cu", 90, "copy"))
AGENTS = (
    Agent("CTA0.warp4", "producer", 0, 4, PipelineState(2, phase=1), (("v", PipelineState(3, phase=1)),), warpgroup=1),
    Agent("CTA0.tma", "copy_engine", 0, -1),
    Agent("CTA1.warp0", "other", 1, 0, warpgroup=0),
    Agent("CTA1.tensor", "tensor_core", 1, -1),
)
BARRIERS = (
    Barrier("CTA0.k[0]", 0, "full", 0, 1, 0x400, ring="k", address=0x400),
    Barrier("CTA1.k[0]", 1, "full", 0, 0, 0x400, ring="k", address=1 << 24 | 0x400),
    Barrier("CTA0.v[2]", 0, "empty", 2, 2, 0x430, ring="v", address=0x430),
)


def any_kernel() -> Trace:
    """Two CTAs of a cluster, two rings, an event of every kind, a multicast copy, arrivals on the other CTA."""
    rows = np.zeros(len(EventKind) + 1, EVENT_DTYPE)
    rows["time"] = rows["measured"] = np.arange(len(rows)) * 10
    rows["kind"][:-1] = [int(kind) for kind in EventKind]
    rows["barrier"], rows["site"], rows["tile"], rows["parity"] = -1, 0, -1, -1
    rows["stage"], rows["ring"] = 2, 1
    rows["barrier"][rows["kind"] == EventKind.ARRIVE] = 2  # by an agent of the other CTA
    rows["agent"][rows["kind"] == EventKind.ARRIVE] = 2
    rows["token"][rows["kind"] == EventKind.SYNC_BEGIN] = 7
    copy = np.flatnonzero(rows["kind"] == EventKind.COPY_ISSUE)[0]
    rows[-1] = rows[copy]
    rows["barrier"][copy], rows["barrier"][-1] = 0, 1
    rows["flags"][-1] = EventFlag.SAME_COPY
    rows["time"][-1] = rows["time"][-2]
    return Trace(Meta("gemm", {}, {}, Ending("completed")), AGENTS, BARRIERS, SITES, rows, {}, rings=("k", "v"))


def test_any_kernel_comes_back_from_a_file(tmp_path: Path) -> None:
    trace = any_kernel()
    save(trace, tmp_path / "any.pscope")
    back = load(tmp_path / "any.pscope")
    assert (back.agents, back.barriers, back.sites, back.rings) == (AGENTS, BARRIERS, SITES, ("k", "v"))
    assert back.events.tobytes() == trace.events.tobytes()


@pytest.mark.parametrize("version", [1, 2])
def test_files_written_before_open(version: int, repack: Callable[..., Path], lesson_trace: Trace) -> None:
    """Their last column had another name, and their tables fewer keys."""
    path = repack({})
    members = members_of(path)
    document = json.loads(members["meta.json"])
    document["version"] = version
    del document["rings"]
    for table, keys in (
        ("agents", ("more_starts", "warpgroup")),
        ("barriers", ("ring", "address")),
        ("sites", ("stack",)),
    ):
        for row in document[table]:
            for key in keys:
                del row[key]
    earlier = lesson_trace.events.view(EARLIER_EVENT_DTYPE)
    np.save(path.with_suffix(".npy"), earlier)
    events = path.with_suffix(".npy").read_bytes()
    back = load(repack({"meta.json": json.dumps(document).encode(), "events.npy": events}))
    assert back.events.dtype == EVENT_DTYPE
    assert back.events.tobytes() == lesson_trace.events.tobytes()
    assert (back.agents, back.barriers, back.sites) == (lesson_trace.agents, lesson_trace.barriers, lesson_trace.sites)


def with_rings(trace: Trace, rings: list[str]) -> Trace:
    return Trace(trace.meta, trace.agents, trace.barriers, trace.sites, trace.events.copy(), {}, rings=rings)


@pytest.mark.parametrize(
    ("rings", "words"),
    [
        ([], "rings must be 1..255 different names"),
        (["k", "v", "k"], "rings must be 1..255 different names"),
        (["k", "w"], "barrier 2 is of ring 'v', which is none of the rings"),
    ],
)
def test_rings_that_contradict_the_barriers_are_refused(rings: list[str], words: str) -> None:
    with pytest.raises(TraceError, match=words):
        with_rings(any_kernel(), rings)


def test_a_ring_that_is_none_is_refused() -> None:
    trace = any_kernel()
    events = trace.events.copy()
    events["ring"][3] = 2
    with pytest.raises(TraceError, match=r"event 3 has ring 2, outside 0\.\.1"):
        Trace(trace.meta, trace.agents, trace.barriers, trace.sites, events, {}, rings=trace.rings)


def test_a_cursor_over_a_ring_that_is_none_is_refused() -> None:
    trace = any_kernel()
    agents = (*AGENTS[:-1], Agent("odd", "other", 1, 3, None, (("w", PipelineState(2)),)))
    with pytest.raises(TraceError, match="cursor over ring 'w'"):
        Trace(trace.meta, agents, trace.barriers, trace.sites, trace.events.copy(), {}, rings=trace.rings)
