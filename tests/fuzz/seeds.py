"""Sound recordings of every kind, small: what damaging starts from."""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path

from visualizer.programs.registry import find_program
from visualizer.recording.file import load, save
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

TESTS = Path(__file__).resolve().parent.parent
ASSETS = TESTS.parent / "assets"
if str(TESTS) not in sys.path:
    sys.path.append(str(TESTS))  # where helpers of tests lie


@cache
def recordings() -> dict[str, bytes]:
    """The content of a file by its name."""
    found = {path.stem: path.read_bytes() for path in sorted((ASSETS / "traces").glob("*.pscope"))}
    for name in ("F06", "F28"):
        found[f"h200-{name}"] = (TESTS / "data" / "h200-faults" / f"{name}.pscope").read_bytes()
    found["probe"] = (TESTS / "data" / "h200-probe" / "drain.pscope").read_bytes()
    for name, trace in _simulated().items():
        found[name] = _content(trace)
    return found


def _simulated() -> dict[str, Trace]:
    from structure.random_kernels import random_kernel
    from two_ring_traces import two_rings, untold

    traces = {name: simulate(find_program(name)) for name in ("lesson", "cluster", "attention")}
    traces |= {f"simulated {fault}": simulate(find_program(fault=fault)) for fault in ("F06", "F17", "F28")}
    traces["two rings"] = two_rings(tiles=5, ctas=2)
    traces["two rings untold"] = untold(two_rings(tiles=5))
    traces["forgotten"] = forget(traces["lesson"])
    traces |= {f"kernel {seed}": random_kernel(seed).trace for seed in (1, 5)}
    return traces


def _content(trace: Trace) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed.pscope"
        save(trace, path)
        return path.read_bytes()


def loaded(folder: Path, name: str) -> Trace:
    """One of them as a Trace, by way of a file in `folder`."""
    path = folder / f"{name.replace(' ', '-')}.pscope"
    if not path.exists():
        path.write_bytes(recordings()[name])
    return load(path)
