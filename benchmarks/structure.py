"""How fast structure is inferred from a recording of millions of events that tells none, and whether it is right.

Run: python -m benchmarks.structure [--events N] [--ctas N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

from benchmarks.long_trace import long_trace
from visualizer.structure.forget import forget
from visualizer.structure.infer import infer
from visualizer.structure.told import told

RUNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=8_000_000, help="at least so many events (default: 8 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    trace = long_trace(args.events, args.ctas)
    stranger = forget(trace)
    seconds: list[float] = []
    for _ in range(RUNS):
        begin = perf_counter()
        found = infer(stranger)
        seconds.append(perf_counter() - begin)
    right = [(ring.full, ring.empty) for ring in found.rings] == [(ring.full, ring.empty) for ring in told(trace).rings]
    figures = {
        "events": len(trace),
        "barriers": len(trace.barriers),
        "agents": len(trace.agents),
        "infer, median (s)": sorted(seconds)[RUNS // 2],
        "infer, slowest (s)": max(seconds),
        "as told": right,
    }
    for name, value in figures.items():
        print(f"{name:24} {value:>14,.3f}" if isinstance(value, float) else f"{name:24} {value!s:>14}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
