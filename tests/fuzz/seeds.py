"""Sound recordings of every kind, small: what damaging starts from."""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path

from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
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
    traces["many stages"] = forget(simulate(_many_stages(300)))
    traces |= {f"kernel {seed}": random_kernel(seed).trace for seed in (1, 5)}
    return traces


def _many_stages(stages: int) -> Program:
    """A ring of more stages than any kernel has."""
    b = Builder("many", ctas=1)
    full, empty = b.barriers("full", stages, count=1), b.barriers("empty", stages, count=1)
    producer = b.agent("producer", role="producer", stages=stages, phase=1)
    producer.init_all()
    producer.sync()
    consumer = b.agent("consumer", role="consumer", stages=stages)
    consumer.sync()
    for _ in producer.tiles(stages + 2):
        producer.wait(empty[producer.index], producer.phase)
        producer.arrive_expect_tx(full[producer.index], 128)
        producer.copy(full[producer.index], producer.index, 128)
        producer.advance()
    for _ in consumer.tiles(stages + 2):
        consumer.wait(full[consumer.index], consumer.phase)
        consumer.read(consumer.index, 128)
        consumer.arrive(empty[consumer.index])
        consumer.advance()
    return b.build()


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
