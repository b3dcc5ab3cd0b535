"""cp.async.mbarrier.arrive through attach: the events that the simulator predicts are those that a GPU records."""

from __future__ import annotations

import numpy as np
import pytest
from assembler import needs_ptxas
from cp_async_ring import SOURCE, TILES, WORDS, done_on_barriers, program

from visualizer.diagnosis.diagnose import diagnose
from visualizer.notebook import record_kernel
from visualizer.reconstruction.violations import violations
from visualizer.replay.history import History
from visualizer.resources import resource_dir
from visualizer.sources.simulator.simulate import simulate


@needs_ptxas
@pytest.mark.parametrize("no_inc", [True, False], ids=["noinc", "without noinc"])
def test_a_gpu_records_what_the_simulator_predicts(no_inc: bool) -> None:
    import cupy

    words = cupy.arange(TILES * WORDS, dtype=cupy.uint32)
    total = cupy.zeros(1, cupy.uint32)
    with record_kernel(kernel="cp_async_ring") as recording:
        module = cupy.RawModule(
            code=SOURCE.read_text(encoding="utf-8"),
            options=("-std=c++20", f"-I{resource_dir('kernels')}", f"-DNO_INC={int(no_inc)}"),
            backend="nvrtc",
        )
        module.get_function("cp_async_ring")((1,), (64,), (words, total, np.uint32(TILES)))
        cupy.cuda.Device().synchronize()
    assert int(total[0]) == TILES * WORDS * (TILES * WORDS - 1) // 2
    trace = recording.trace
    assert not any(violations(trace).values())
    assert done_on_barriers(trace) == done_on_barriers(simulate(program(no_inc)))
    assert diagnose(History(trace)).findings == ()
