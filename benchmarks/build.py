"""How fast a kernel's raw log becomes a Trace and a History, and how much memory that takes at its peak.

Run: python -m benchmarks.build [--log clocks|words] [--general] [--events N ...] [--ctas N] [--repeats N] [--json FILE]
Needs no GPU: the log is made from a simulated run, with clocks that are read early or late as on hardware. Each size
runs in a process of its own, so that its peak is its own. Events are those of the Trace; times are of the best repeat.
The log is of clocks, as kernels write unless told otherwise, or of words: a record an event. `--general` builds the
log of clocks without the short way for complete CTAs, to compare.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock_log import EPOCH_NS, PS_PER_CYCLE, clock_log
from benchmarks.long_trace import long_trace
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load, save
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.lesson import decode
from visualizer.sources.lesson.build_trace import build_trace
from visualizer.sources.lesson.launcher import pipeline_shape
from visualizer.sources.lesson.raw_log import (
    ANCHOR_DTYPE,
    BARRIER_EMPTY,
    BARRIER_FULL,
    RECORD_DTYPE,
    STATUS_COMPLETED,
    RawLog,
)

JITTER_PS = 30_000
SIZES = (4_000_000, 10_000_000)

Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=SIZES, help="at least so many, one after another")
    parser.add_argument("--log", choices=("clocks", "words"), default="clocks", help="what the log is of")
    parser.add_argument("--general", action="store_true", help="without the short way for complete CTAs")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many is told (default: 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--measure", type=Path, metavar="LOG", help="measure one log, in this process")
    args = parser.parse_args()
    if args.measure:
        if args.general:
            decode.regular_ctas = lambda *_: []
        print(json.dumps(measure(args.measure, args.ctas, args.repeats)))
        return
    found = [in_own_process(args, events) for events in args.events]
    for name in found[0]:
        print(f"{name:32}" + "".join(f"{figures[name]:>16,.2f}" for figures in found))
    if args.json:
        machine = {"cpu": cpu_name(), "cpus": os.cpu_count(), "system": platform.platform()}
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        document = {"machine": machine, "versions": versions, "log": args.log, "general": args.general}
        document |= {"ctas": args.ctas, "sizes": found}
        args.json.write_text(json.dumps(document, indent=1) + "\n")


def in_own_process(args: argparse.Namespace, events: int) -> Figures:
    """The figures for a log of at least so many events."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "log.npz"
        trace = long_trace(events, args.ctas)
        make = clock_log if args.log == "clocks" else raw_log
        make(trace, logged(trace)).save(path)
        command = [sys.executable, "-m", "benchmarks.build", "--measure", str(path)]
        command += ["--ctas", str(args.ctas), "--repeats", str(args.repeats), *["--general"] * args.general]
        del trace
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def measure(path: Path, ctas: int, repeats: int) -> Figures:
    """Make the Trace and the History of the log in `path`, several times; then save it and open it."""
    tables = long_trace(1, ctas)
    gc.collect()
    before = resident()
    raw = RawLog.load(path)
    shape = None
    if raw.level != "words":
        shape = pipeline_shape(LessonConfig(ctas=ctas, tiles=int(raw.stored[-1])))
    records = int(raw.stored.sum())
    best: Figures = {}
    trace = tables
    for _ in range(repeats):
        del trace
        gc.collect()
        reset_peak()
        begin, spent = perf_counter(), process_time()
        trace = build_trace(raw, tables.agents, tables.barriers, tables.sites, tables.meta, tables.source_files, shape)
        built, built_spent = perf_counter(), process_time()
        building_peak = peak_resident()
        reset_peak()
        history = History(trace)
        history.build()
        end, end_spent = perf_counter(), process_time()
        reading_peak = peak_resident()
        figures = {
            "build, s": built - begin,
            "History, s": end - built,
            "both, s": end - begin,
            "build, CPU s": built_spent - spent,
            "History, CPU s": end_spent - built_spent,
            "build with its log, peak B/event": (building_peak - before) / len(trace),
            "History with its log, peak B/event": (reading_peak - before) / len(trace),
        }
        best = {name: min(value, best.get(name, value)) for name, value in figures.items()}
        figures_of = {"moved": trace.meta.reconcile["moved"], "violations": float(sum(violations(trace).values()))}
        events = len(trace)
        del history
    result: Figures = {"events": events, "records": records, **best}
    result["both, M events/s"] = events / best["both, s"] / 1e6
    result["both, M events/CPU s"] = events / (best["build, CPU s"] + best["History, CPU s"]) / 1e6
    result["raw log, B/event"] = raw.records.nbytes / events
    return {**result, **figures_of, **opening(trace, path.with_suffix(".pscope"))}


def opening(trace: Trace, path: Path) -> Figures:
    """From a file to the first state: seconds of each step, in the order an app takes them."""
    save(trace, path)
    del trace
    times = [perf_counter()]
    history = History(load(path))
    times.append(perf_counter())
    history.barrier_curve(0)
    times.append(perf_counter())
    history.agent_spans(1)
    times.append(perf_counter())
    history.state_at(history.steps // 2)
    times.append(perf_counter())
    names = ("open file, s", "+ first barrier lane, s", "+ first agent lane, s", "+ first state, s")
    return {name: end - begin for name, begin, end in zip(names, times, times[1:], strict=False)}


def resident() -> float:
    """Bytes of memory this process has in use."""
    return status_bytes("VmRSS")


def peak_resident() -> float:
    return status_bytes("VmHWM")


def status_bytes(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith(field))


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def cpu_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())


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
