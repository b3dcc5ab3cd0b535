"""How fast the explorer is: 500 random schedules, proofs of clean programs, and exhaustive searches of faulty ones.

Run: python -m benchmarks.explore [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.sources.explorer import Exploration, explore, explore_exhaustively

CASES: dict[str, Callable[[], Exploration]] = {
    "500 random, baseline T=20": lambda: explore(baseline(BaselineConfig(tiles=20)), schedules=500),
    "500 random, lesson": lambda: explore(lesson(LessonConfig()), schedules=500),
    "proof, lesson": lambda: explore_exhaustively(lesson(LessonConfig())),
    "proof, lesson of 4 CTAs": lambda: explore_exhaustively(lesson(LessonConfig(ctas=4))),
    "proof, lesson of 500 tiles": lambda: explore_exhaustively(lesson(LessonConfig(tiles=500))),
    "proof, baseline": lambda: explore_exhaustively(baseline(BaselineConfig())),
    "proof, cluster of 2 CTAs": lambda: explore_exhaustively(baseline(BaselineConfig(ctas=2, consumers=1, tiles=4))),
    "all, baseline with F01": lambda: explore_exhaustively(find_program("baseline", fault="F01")),
    "all, baseline with F02": lambda: explore_exhaustively(find_program("baseline", fault="F02")),
    "all, baseline with F28": lambda: explore_exhaustively(find_program("baseline", fault="F28")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    figures = {}
    print(f"{'case':32} {'seconds':>8} {'states':>8} {'clean':>6} {'deadlock':>8} {'race':>6} {'other':>6}  complete")
    for name, run in CASES.items():
        found = run()
        counts = {"clean": found.clean, "deadlock": found.deadlock, "race": found.race, "other": found.other}
        figures[name] = {"seconds": found.seconds, "states": found.states, "complete": found.is_complete, **counts}
        columns = f"{found.clean:6} {found.deadlock:8} {found.race:6} {found.other:6}"
        proof = "yes" if found.is_complete else "no"
        print(f"{name:32} {found.seconds:8.3f} {found.states or '-':>8} {columns}  {proof}")
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
