"""How long the diagnosis of a clean recording of millions of events takes.

Run: python -m benchmarks.diagnose [--events N] [--ctas N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

from benchmarks.long_trace import long_trace
from visualizer.diagnosis.diagnose import diagnose
from visualizer.replay.history import History


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000, help="at least so many events (default: 4 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    trace = long_trace(args.events, args.ctas)
    start = perf_counter()
    report = diagnose(History(trace))
    figures = {"events": len(trace), "findings": len(report.findings), "diagnose (s)": perf_counter() - start}
    for name, value in figures.items():
        print(f"{name:16} {value:>14,.3f}" if isinstance(value, float) else f"{name:16} {value:>14,}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
