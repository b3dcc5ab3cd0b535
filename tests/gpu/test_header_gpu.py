"""A kernel that names its parts, attached to on a real GPU: the recording has the names, and the sum is right."""

from __future__ import annotations

import numpy as np

from visualizer.notebook import record_kernel
from visualizer.recording.schema import EventKind
from visualizer.resources import resource_dir
from visualizer.structure.find import structure_of

TILES, WORDS = 10, 256


def test_the_names_of_the_source_are_in_the_recording() -> None:
    import cupy

    kernels = resource_dir("kernels")
    tiles = cupy.arange(TILES * WORDS, dtype=cupy.uint32)
    total = cupy.zeros(1, cupy.uint32)
    with record_kernel(kernel="named_ring") as recording:
        module = cupy.RawModule(
            code=(kernels / "named_ring.cu").read_text(encoding="utf-8"),
            options=("-std=c++20", f"-I{kernels}"),
            backend="nvrtc",
        )
        module.get_function("named_ring")((1,), (64,), (tiles, total, np.uint32(TILES)))
        cupy.cuda.Device().synchronize()
    assert int(total[0]) == TILES * WORDS * (TILES * WORDS - 1) // 2
    trace = recording.trace
    names = {barrier.name for barrier in trace.barriers}
    assert names == {f"K_{kind}[{stage}]" for kind in ("full", "empty") for stage in range(3)}
    assert [agent.name for agent in trace.agents if agent.warp >= 0] == ["producer.w0", "consumer.w1"]
    ring = structure_of(trace).rings[0]
    assert (ring.name, ring.stages) == ("K", 3)
    begun = trace.events[trace.events["kind"] == EventKind.RANGE_BEGIN]
    assert [trace.op_of(int(row)) for row in begun["site"]] == ["add"] * TILES
