"""How long it takes from the log of an attached launch to its recording opened: decoding, saving, loading, History.

The log is what the warps of `benchmarks.stranger` would have written, all CTAs alike but for their clocks, in the
layout that such a launch gets. Needs no GPU: the copy of the log from it, and the start of a window, are not measured.
Each run is in a process of its own, as attach decodes in one that has decoded nothing before. A window that asked for
the recording shows it as it was decoded, without loading it.

Run: python -m benchmarks.attached [--events N] [--ctas N] [--runs N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
from collections.abc import Callable
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.build import cpu_name
from benchmarks.stranger import CONSUMERS, EVENTS_A_TILE, FIRST_ADDRESS, attention_like
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load, save
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import (
    LANE_BITS,
    LEFT,
    PARITY_BIT,
    PART_BITS,
    RECORD_DTYPE,
    Log,
    LogLayout,
    read_log,
)
from visualizer.sources.attach.ptx.forms import FORMS
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.simulator.simulate import simulate

LANES = (0, 8, 16, 24)
PS_PER_CYCLE = 570
START = (1 << 32) - 5000  # the low half of a clock wraps round soon after
OPCODES = {
    EventKind.INIT: ("mbarrier.init", "mbarrier.init.shared::cta.b64"),
    EventKind.WAIT_END: ("mbarrier.try_wait", "mbarrier.try_wait.parity.shared::cta.b64"),
    EventKind.ARRIVE: ("mbarrier.arrive", "mbarrier.arrive.shared::cta.b64"),
    EventKind.ARRIVE_EXPECT_TX: ("mbarrier.arrive.expect_tx", "mbarrier.arrive.expect_tx.shared::cta.b64"),
    EventKind.COPY_ISSUE: ("cp.async.bulk.tensor", "cp.async.bulk.tensor.2d.shared::cluster.global"),
}
"""Name of the form and opcode of the site that records events of a kind; its number is its place, from 1."""
TENSOR_MAP = TensorMap(128, 6, (64, 128))  # 16 KiB a copy


T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=5_000_000, help="about so many events (default: 5 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    shape = max(args.events // (args.ctas * EVENTS_A_TILE), 1), args.ctas
    with get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        rows = fresh.map(_measured, [shape] * args.runs, chunksize=1)
    figures = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    for name, value in figures.items():
        print(f"{name:20} {value:>14,.2f}" if isinstance(value, float) else f"{name:20} {value:>14,}")
    if args.json:
        machine = {"cpu": cpu_name(), "cpus": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()[0]}
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        document = {"machine": machine, "versions": versions, "figures": figures, "runs": rows}
        args.json.write_text(json.dumps(document, indent=1) + "\n")


def _measured(shape: tuple[int, int]) -> dict[str, float]:
    """The figures of one run of so many tiles on so many CTAs, and how often its recording contradicts itself."""
    trace, figures = run(*attached_log(*shape))
    return {**figures, "contradictions": sum(violations(trace).values())}


def run(log: Log, sites: list[Site]) -> tuple[Trace, dict[str, float]]:
    """The recording, and how long each part of the way to it took (s), by the clock and on all processors."""
    figures: dict[str, float] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        begin, spent = perf_counter(), process_time()
        result = work()
        figures[f"{name} (s)"], figures[f"{name} (CPU s)"] = perf_counter() - begin, process_time() - spent
        return result

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "attached.pscope"
        meta = Meta("kernel", {}, {"kind": "attach"}, Ending("completed"))
        trace = timed("decode", lambda: trace_of(log, sites, "", [TENSOR_MAP], meta))
        timed("save", lambda: save(trace, path))
        trace = timed("load", lambda: load(path))
        history = History(trace)
        timed("structure", lambda: history.structure)
        timed("History", history.build)
    for unit in ("s", "CPU s"):
        figures[f"all ({unit})"] = sum(value for name, value in figures.items() if name.endswith(f"({unit})"))
    return trace, {"events": len(trace), "records": int((log.counts & ~np.uint32(LEFT)).sum()), **figures}


def attached_log(tiles: int, ctas: int) -> tuple[Log, list[Site]]:
    """The log of a launch of so many CTAs, each with so many tiles; and its sites."""
    warps = 1 + CONSUMERS
    streams = [warp_records(warp, tiles) for warp in range(warps)]
    room = max(4000, *map(len, streams))
    layout = LogLayout(Shape((ctas, 1, 1), (32 * warps, 1, 1)), room, lanes=LANES)
    log = read_log(layout, np.zeros(layout.nbytes, np.uint8))
    offset = np.random.default_rng(0).integers(0, 1_000_000, ctas)
    end = max(int(records["clock"][-1]) for records in streams) + 1000
    for cta in range(ctas):
        headers, late = log.headers[cta], int(offset[cta])
        headers["cta"], headers["cluster"], headers["smid"] = cta + 1, 1 << 8 | 1 << 16 | 1 << 24, cta
        headers["start_clock"], headers["exit_clock"] = START + late, START + late + end
        headers["start_time"] = 1_000_000 + late * PS_PER_CYCLE // 1000
        headers["exit_time"] = 1_000_000 + (late + end) * PS_PER_CYCLE // 1000
        headers["spread"] = headers["exit_spread"] = 10
        for warp, records in enumerate(streams):
            written = records.copy()
            written["clock"] += np.uint32(START + late & 0xFFFFFFFF)
            waits = written["word"] >> 10 == 2
            written["value"][waits] += np.uint32(START + late & 0xFFFFFFFF)
            log.records[cta, warp, 0, : len(written)] = written
            log.counts[cta, warp] = LEFT
            log.counts[cta, warp, 0] = len(written) | LEFT
    forms = {form.name: form for form in FORMS}
    sites = [
        Site(number, forms[name], opcode, (), "", number, (), "wait" in name, 128 if "tensor" in opcode else None)
        for number, (name, opcode) in enumerate(OPCODES.values(), 1)
    ]
    return log, sites


def warp_records(warp: int, tiles: int) -> NDArray[np.void]:
    """RECORD_DTYPE: what a warp of a CTA records, in cycles from its start."""
    trace = simulated(tiles)
    agent = next(row for row, one in enumerate(trace.agents) if one.warp == warp)
    events = trace.events[trace.events["agent"] == agent]
    clock = events["time"] // PS_PER_CYCLE
    begins = np.flatnonzero(events["kind"] == EventKind.WAIT_BEGIN)
    kept = np.flatnonzero(np.isin(events["kind"], list(OPCODES)))
    began = clock[begins]
    events, clock = events[kept], clock[kept]
    waits = events["kind"] == EventKind.WAIT_END
    number = np.zeros(256, np.uint32)
    number[list(OPCODES)] = np.arange(1, len(OPCODES) + 1)
    records = np.zeros(len(events), RECORD_DTYPE)
    records["clock"], records["value"] = clock, events["amount"]
    parity = np.where(waits, events["parity"], 0).astype(np.uint32)
    records["word"] = parity << PARITY_BIT | number[events["kind"]] << np.uint32(LANE_BITS + PART_BITS) | np.uint32(1)
    records["address"] = FIRST_ADDRESS + 8 * events["barrier"]
    records["value"][waits] = began[: np.count_nonzero(waits)]
    records["value"][events["kind"] == EventKind.COPY_ISSUE] = 0
    return records


@cache
def simulated(tiles: int) -> Trace:
    """One CTA's run."""
    return simulate(attention_like(tiles))


if __name__ == "__main__":
    main()
