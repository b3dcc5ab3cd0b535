"""How fast History answers on a recording of millions of events: build, state at a step, causes of a wait.

Run: python -m benchmarks.history [--events N] [--ctas N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.long_trace import long_trace
from visualizer.diagnosis.explanations.explain import explain
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.replay.tile_table import tile_table

QUERIES = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000, help="at least so many events (default: 4 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    trace = long_trace(args.events, args.ctas)
    figures: dict[str, float] = {"events": len(trace), "barriers": len(trace.barriers), "agents": len(trace.agents)}
    history = build(trace, figures)
    ask(history, figures)
    for name, value in figures.items():
        print(f"{name:32} {value:>14,.3f}" if isinstance(value, float) else f"{name:32} {value:>14,}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


def build(trace: Trace, figures: dict[str, float]) -> History:
    """Build every column, timing each part (seconds)."""
    history = History(trace)
    parts: dict[str, Callable[[], object]] = {
        "kinds": lambda: history.kinds,
        "barriers": lambda: history.barriers,
        "agents": lambda: history.agents,
        "stages": lambda: history.stages,
        "copies": lambda: history.copies,
        "waits": lambda: history.wait_ends,
    }
    for name, part in parts.items():
        figures[f"build {name} (s)"] = seconds(part)
    figures["build all (s)"] = sum(value for name, value in figures.items() if name.startswith("build"))
    figures["first spans of a lane (ms)"] = 1e3 * seconds(lambda: history.agent_spans(1))
    return history


def ask(history: History, figures: dict[str, float]) -> None:
    """Time single queries at random steps (milliseconds)."""
    random = np.random.default_rng(1)
    steps = random.integers(0, history.steps, QUERIES)
    ends = random.choice(np.flatnonzero(history.kinds == EventKind.WAIT_END), QUERIES)
    arrivals = random.choice(np.flatnonzero(history.kinds == EventKind.ARRIVE), QUERIES)
    causality = Causality(history)
    queries: dict[str, tuple[Callable[[int], object], np.ndarray]] = {
        "state_at": (history.state_at, steps),
        "release_of": (causality.release_of, ends),
        "woken_by": (causality.woken_by, arrivals),
        "links": (causality.links, steps),
        "explain": (lambda step: explain(history, step), steps),
    }
    for name, (query, where) in queries.items():
        taken = [1e3 * seconds(lambda query=query, step=step: query(int(step))) for step in where]
        figures[f"{name} median (ms)"] = float(np.median(taken))
        figures[f"{name} worst (ms)"] = max(taken)
    figures["tile_table of a CTA (ms)"] = 1e3 * seconds(lambda: tile_table(history, history.trace.ctas - 1))


def seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


if __name__ == "__main__":
    main()
