"""`phasescope attach --time` on a GPU: a launch is repeated, original and recorded in turn; the file says the cost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from visualizer.diagnosis.trust.trust import trust_sentence
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load

PROGRAM = r'''
import cupy

CODE = r"""
extern "C" __global__ void ring(unsigned *out) {
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
    __syncthreads();
    #pragma unroll 1
    for (unsigned phase = 0; phase < 64; ++phase) {
        unsigned long long token;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
        asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                     "@!done bra AGAIN;\n}" ::"r"(at), "r"(phase & 1) : "memory");
    }
    atomicAdd(out, 1);
}
"""
out = cupy.zeros(1, cupy.uint32)
cupy.RawModule(code=CODE).get_function("ring")((132,), (128,), (out,))
print(int(out[0]))
'''


@pytest.mark.parametrize("memory", ["host", "device"])
def test_what_recording_costs_is_measured(tmp_path: Path, memory: str) -> None:
    """The kernel counts its threads, so that every launch there was is seen: one recorded, and two of each round."""
    rounds = 20
    output = tmp_path / "ring.pscope"
    words = ["--kernel", "ring", "--time", str(rounds), "--log-memory", memory, "-o", str(output)]
    done = subprocess.run(
        [sys.executable, "-m", "visualizer", "attach", *words, "--", sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(132 * 128 * (1 + 2 * rounds))]
    trace = load(output)
    assert trace.meta.ending.kind == "completed"
    assert not any(violations(trace).values())
    cost = trace.meta.cost
    assert cost["pairs"] == rounds
    assert 0 < cost["off_ns"] < 10_000_000
    assert 0.5 < cost["on_ns"] / cost["off_ns"] < 20
    assert "unknown" not in trust_sentence(trace.meta)
    assert trust_sentence(trace.meta) in done.stderr
