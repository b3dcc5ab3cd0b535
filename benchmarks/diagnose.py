"""How long the diagnosis of sound recordings of millions of events takes: the lesson's and a stranger's.

Run: python -m benchmarks.diagnose [--events N] [--ctas N] [--runs N] [--json FILE]
A History is new in each run, and what diagnosis asks of it counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from benchmarks import stranger
from benchmarks.build import cpu_name
from benchmarks.long_trace import long_trace
from visualizer.diagnosis.diagnose import diagnose
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000, help="about so many events (default: 4 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    figures = {"lesson": measure(long_trace(args.events, args.ctas), args.runs)}
    records = stranger.stranger_records(max(args.events // (args.ctas * stranger.EVENTS_A_TILE), 1), args.ctas)
    figures["stranger"] = measure(stranger.run(records)[0], args.runs)
    print(f"{'':16}" + "".join(f"{name:>14}" for name in figures))
    for name in figures["lesson"]:
        print(f"{name:16}" + "".join(f"{row[name]:>14,.2f}" for row in figures.values()))
    if args.json:
        machine = {"cpu": cpu_name(), "cpus": os.cpu_count(), "system": platform.platform()}
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        args.json.write_text(
            json.dumps({"machine": machine, "versions": versions, "figures": figures}, indent=1) + "\n"
        )


def measure(trace: Trace, runs: int) -> Figures:
    """The median run's seconds, of the clock and of all processors; and what was found."""
    spent: list[tuple[float, float]] = []
    for _ in range(runs):
        begin, begin_cpu = perf_counter(), process_time()
        report = diagnose(History(trace))
        spent.append((perf_counter() - begin, process_time() - begin_cpu))
    seconds, cpu = (statistics.median(one) for one in zip(*spent, strict=True))
    return {"events": len(trace), "findings": len(report.findings), "diagnose (s)": seconds, "CPU (s)": cpu}


if __name__ == "__main__":
    main()
