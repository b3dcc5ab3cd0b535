"""How fast a stranger's recording becomes a History: barriers known by address, structure inferred, 12 warps a CTA.

One CTA of a kernel with a K and a V ring is simulated, and what its warps would have recorded is repeated for every CTA
with clocks of its own. Timed are discovering agents and barriers, reconstruction, structure and History.

Run: python -m benchmarks.stranger [--events N] [--ctas N] [--runs N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.build import cpu_name, peak_resident, reset_peak, resident
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
from visualizer.reconstruction.assemble import assemble_events
from visualizer.reconstruction.discover import NO_ADDRESS, RECORD_DTYPE, discover
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import NO_SAMPLES, EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

CONSUMERS = 11
STAGES = {"k": 2, "v": 3}
FIRST_ADDRESS = 0x400
EVENTS_A_TILE = len(STAGES) * (4 + 3 * CONSUMERS + 4)
"""The producer's, each consumer's, and what hardware does: a landing's three rows, and the release."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=8_000_000, help="about so many events (default: 8 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    records = stranger_records(max(args.events // (args.ctas * EVENTS_A_TILE), 1), args.ctas)
    before = resident()
    reset_peak()
    trace, row = run(records)
    peak = (peak_resident() - before) / len(trace)  # of the first run: later ones use its memory again
    rows = [row]
    for _ in range(args.runs - 1):
        del trace
        trace, row = run(records)
        rows.append(row)
    figures: dict[str, Any] = {
        "events": len(trace),
        "agents": len(trace.agents),
        "barriers": len(trace.barriers),
        "contradictions": sum(violations(trace).values()),
        "bytes an event at the peak": peak,
        **{name: statistics.median(row[name] for row in rows) for name in rows[-1]},
        "slowest M events/s": min(row["M events/s"] for row in rows),
        "fastest M events/s": max(row["M events/s"] for row in rows),
    }
    for name, value in figures.items():
        print(f"{name:28} {value:>14,.2f}" if isinstance(value, float) else f"{name:28} {value:>14,}")
    if args.json:
        machine = {"cpu": cpu_name(), "cpus": os.cpu_count(), "system": platform.platform()}
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        document = {"machine": machine, "versions": versions, "figures": figures, "runs": rows}
        args.json.write_text(json.dumps(document, indent=1) + "\n")


def run(records: NDArray[np.void]) -> tuple[Trace, dict[str, float]]:
    """One way from records to a History with all its columns, and how long each part of it took (s)."""
    begin, spent = perf_counter(), process_time()
    found = discover(records)
    discovered = perf_counter()
    meta = Meta("stranger", {}, {}, Ending("completed"))
    trace = assemble_events(found.parts, found.agents, found.barriers, (), meta, {}, NO_SAMPLES)
    del found
    assembled = perf_counter()
    history = History(trace)
    rings = len(history.structure.rings)
    inferred = perf_counter()
    history.build()
    end, end_spent = perf_counter(), process_time()
    return trace, {
        "discover (s)": discovered - begin,
        "assemble (s)": assembled - discovered,
        "structure (s)": inferred - assembled,
        "History (s)": end - inferred,
        "rings": rings,
        "CPU (s)": end_spent - spent,
        "M events/s": len(trace) / (end - begin) / 1e6,
    }


def stranger_records(tiles: int, ctas: int) -> NDArray[np.void]:
    """RECORD_DTYPE: what the warps of every CTA would have recorded."""
    trace = simulate(attention_like(tiles))
    engines = [row for row, agent in enumerate(trace.agents) if agent.role == "copy_engine"]
    events = trace.events[~np.isin(trace.events["agent"], engines)]
    events = events[~np.isin(events["kind"], (EventKind.PHASE_COMPLETE, EventKind.ADVANCE))]
    events = events[np.argsort(events["agent"], kind="stable")]
    one = np.zeros(len(events), RECORD_DTYPE)
    for column in ("time", "amount", "kind", "parity", "flags"):
        one[column] = events[column]
    one["site"] = -1
    one["warp"] = np.array([agent.warp for agent in trace.agents])[events["agent"]]
    one["address"] = np.append(FIRST_ADDRESS + 8 * np.arange(len(trace.barriers)), NO_ADDRESS)[events["barrier"]]
    records = np.tile(one, ctas)
    records["cta"] = np.repeat(np.arange(ctas), len(one))
    records["time"] += np.repeat(np.random.default_rng(0).integers(0, 1_000_000, ctas), len(one))
    return records


def attention_like(tiles: int) -> Program:
    """A producer warp and eleven consumer warps, which go round a K and a V ring."""
    b = Builder("stranger")
    full = {ring: b.barriers(f"{ring}_full", n, count=1, kind="full", ring=ring) for ring, n in STAGES.items()}
    empty = {
        ring: b.barriers(f"{ring}_empty", n, count=CONSUMERS, kind="empty", ring=ring) for ring, n in STAGES.items()
    }
    producer = b.agent("producer", role="producer")
    producer.init_all()
    producer.sync()
    for tile in producer.tiles(tiles):
        for ring, stages in STAGES.items():
            lap, stage = divmod(tile, stages)
            producer.wait(empty[ring][stage], (lap + 1) & 1)
            producer.arrive_expect_tx(full[ring][stage], 16384)
            producer.copy(full[ring][stage], stage, 16384)
    for number in range(CONSUMERS):
        _consume(b.agent(f"consumer{number}", role="consumer"), full, empty, tiles)
    return b.build()


def _consume(agent: AgentBuilder, full: dict[str, Any], empty: dict[str, Any], tiles: int) -> None:
    agent.sync()
    for tile in agent.tiles(tiles):
        for ring, stages in STAGES.items():
            lap, stage = divmod(tile, stages)
            agent.wait(full[ring][stage], lap & 1)
            agent.delay(300)
            agent.arrive(empty[ring][stage])


if __name__ == "__main__":
    main()
