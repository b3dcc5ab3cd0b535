"""How fast logged events become a Trace: derive what hardware did, reconcile, lay out.

Run: python -m benchmarks.build [--events N] [--ctas N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.long_trace import long_trace
from visualizer.trace.derive import derive
from visualizer.trace.expand import expand
from visualizer.trace.reconcile import reconcile
from visualizer.trace.schema import EventFlag, EventKind
from visualizer.trace.trace import Trace
from visualizer.trace.violations import violations

JITTER_PS = 30_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000, help="at least so many events (default: 4 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    trace = long_trace(args.events, args.ctas)
    events = logged(trace)
    figures: dict[str, float] = {"events logged": len(events)}
    start = perf_counter()
    derived = derive(events, trace.agents, trace.barriers)
    figures["derive, s"] = perf_counter() - start
    time, moves = reconcile(derived, trace.agents)
    figures["reconcile, s"] = perf_counter() - start - figures["derive, s"]
    rows = expand(derived, time)
    built = Trace(trace.meta, trace.agents, trace.barriers, trace.sites, rows)
    figures["all, s"] = perf_counter() - start
    figures["lay out and check, s"] = figures["all, s"] - figures["derive, s"] - figures["reconcile, s"]
    figures["events in the Trace"] = len(built)
    figures["events/s"] = len(built) / figures["all, s"]
    figures["moved"], figures["passes"] = moves.moved, moves.passes
    figures["violations"] = sum(violations(built).values())
    for name, value in figures.items():
        print(f"{name:24} {value:>14,.3f}" if isinstance(value, float) else f"{name:24} {value:>14,}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


def logged(trace: Trace) -> NDArray[np.void]:
    """The agents' events alone, grouped by agent, with clocks up to JITTER_PS early or late. Without tokens."""
    rows: NDArray[np.void] = trace.events
    engine = np.array([agent.role == "copy_engine" for agent in trace.agents])
    rows = rows[~engine[rows["agent"]] & (rows["kind"] != EventKind.PHASE_COMPLETE)]
    rows = np.take(rows, np.argsort(rows["agent"], kind="stable"))
    rows["flags"] &= np.uint8(EventFlag.BLOCKED)
    rows["time"] += np.random.default_rng(0).integers(-JITTER_PS, JITTER_PS + 1, len(rows))
    starts = np.flatnonzero(np.diff(rows["agent"], prepend=-1) != 0)
    for begin, end in zip(starts, np.append(starts[1:], len(rows)), strict=True):
        rows["time"][begin:end] = np.maximum.accumulate(rows["time"][begin:end])
    rows["time"] -= rows["time"].min()
    rows["measured"] = rows["time"]
    return rows


if __name__ == "__main__":
    main()
