"""How fast a raw log becomes a Trace: decode, derive what hardware did, reconcile, lay out.

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
from visualizer.trace.decode import decode
from visualizer.trace.derive import derive
from visualizer.trace.expand import expand
from visualizer.trace.raw import ANCHOR_DTYPE, BARRIER_EMPTY, BARRIER_FULL, RECORD_DTYPE, STATUS_COMPLETED, RawLog
from visualizer.trace.reconcile import reconcile
from visualizer.trace.schema import EventFlag, EventKind
from visualizer.trace.trace import Trace
from visualizer.trace.violations import violations

JITTER_PS = 30_000
PS_PER_CYCLE = 500
EPOCH_NS = 10**18  # a global timer's value is not small


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000, help="at least so many events (default: 4 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    trace = long_trace(args.events, args.ctas)
    raw = raw_log(trace, logged(trace))
    figures: dict[str, float] = {"records": int(raw.stored.sum())}
    times = [perf_counter()]
    decoded = decode(raw, trace.agents, trace.barriers, trace.sites)
    times.append(perf_counter())
    derived = derive(decoded.events, trace.agents, trace.barriers)
    times.append(perf_counter())
    time, moves = reconcile(derived, trace.agents)
    times.append(perf_counter())
    rows = expand(derived, time, trace.barriers)
    built = Trace(trace.meta, trace.agents, trace.barriers, trace.sites, rows)
    times.append(perf_counter())
    for name, begin, end in zip(("decode", "derive", "reconcile", "lay out and check"), times, times[1:], strict=False):
        figures[f"{name}, s"] = end - begin
    figures["all, s"] = times[-1] - times[0]
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


def raw_log(trace: Trace, events: NDArray[np.void]) -> RawLog:
    """`events` as the kernel's log of them: a slice per warp, each CTA on an SM of its own, a cycle each 500 ps."""
    warps = [row for row, agent in enumerate(trace.agents) if agent.warp >= 0]
    begins = np.searchsorted(events["agent"], warps)
    counts = np.searchsorted(events["agent"], warps, side="right") - begins
    which = {"full": BARRIER_FULL, "empty": BARRIER_EMPTY}
    barrier = np.array([*(which[barrier.kind] for barrier in trace.barriers), 0], np.uint8)  # row -1: none
    stage = np.array([*(barrier.stage for barrier in trace.barriers), -1])
    line = np.array([*(site.line for site in trace.sites), 0], np.uint16)
    rows = np.zeros(len(events), RECORD_DTYPE)
    rows["clock"] = events["time"] // PS_PER_CYCLE
    rows["tile"] = events["tile"].view(np.uint32)
    rows["amount"] = events["amount"]
    rows["line"] = line[events["site"]]
    rows["kind"] = events["kind"]
    rows["barrier"] = barrier[events["barrier"]]
    rows["stage"] = np.where(events["barrier"] >= 0, stage[events["barrier"]], events["stage"]).astype(np.uint8)
    rows["parity"] = events["parity"].view(np.uint8)
    rows["flags"] = events["flags"]
    records = np.zeros((len(warps), int(counts.max())), RECORD_DTYPE)
    for slice_, (begin, count) in enumerate(zip(begins, counts, strict=True)):
        records[slice_, :count] = rows[begin : begin + count]
    anchors = np.zeros((trace.ctas, 2), ANCHOR_DTYPE)
    anchors["smid"] = np.arange(trace.ctas)[:, None]
    end_ns = int(events["time"].max()) // 1000
    anchors["globaltimer"] = EPOCH_NS + np.array([0, end_ns])
    anchors["clock"] = np.array([0, end_ns]) * 1000 // PS_PER_CYCLE
    status = np.full(trace.ctas, STATUS_COMPLETED, np.uint32)
    return RawLog(records, counts.astype(np.uint32), anchors, np.zeros((0, 2), ANCHOR_DTYPE), status)


if __name__ == "__main__":
    main()
