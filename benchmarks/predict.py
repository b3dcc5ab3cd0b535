"""How far predictions are off on a GPU: predict 1..6 stages at three consumer delays, run all of them, compare.

Each delay is predicted from its own recording with 3 stages, and all of them from the one at the first delay. Every run
logs, as the recording does, so instrumented time is held against instrumented time. Without --recordings it needs a
Hopper GPU; with it, a folder of recordings made before is judged instead.

Run: python -m benchmarks.predict [--tiles N] [--repeats N] [--recordings FOLDER] [--save FOLDER] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any

from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.predict.steady import measured_per_tile
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load, save
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

STAGES = range(1, 7)
DELAYS_NS = (0, 500, 1500)
RECORDED_STAGES = 3
SECOND_BASE = 4  # another compile of the kernel, for what its stage count changes in the code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiles", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=2, help="runs of each; predictions come from the first")
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="judge sS-dD-R.pscope files made before")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep the recordings there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    runs = {
        (stages, delay): [find_facts(History(_trace(args, stages, delay, number))) for number in range(args.repeats)]
        for delay in DELAYS_NS
        for stages in STAGES
    }
    meta = runs[RECORDED_STAGES, DELAYS_NS[0]][0].history.trace.meta
    document: dict[str, Any] = {
        "machine": meta.source.get("gpu"),
        "driver": meta.source.get("driver"),
        "tiles": meta.config["tiles"],
        "repeats": args.repeats,
        "rows": [],
    }
    for name, base_stages, own_delay in (
        ("3 stages at each delay", RECORDED_STAGES, True),
        ("3 stages at no delay", RECORDED_STAGES, False),
        ("4 stages at each delay", SECOND_BASE, True),
    ):
        document["rows"] += _judge(name, runs, base_stages, own_delay)
    _report(document)
    if args.json:
        args.json.write_text(json.dumps(document, indent=1) + "\n")


def _trace(args: argparse.Namespace, stages: int, delay: int, number: int) -> Trace:
    name = f"s{stages}-d{delay}-{'abcdefgh'[number]}.pscope"
    if args.recordings:
        return load(args.recordings / name)
    from visualizer.sources.lesson.launcher import record_gpu

    trace = record_gpu(LessonConfig(stages=stages, consumer_delay=delay, tiles=args.tiles))
    if args.save:
        save(trace, args.save / name)
    return trace


def _judge(name: str, runs: dict[tuple[int, int], list[Facts]], base: int, own_delay: bool) -> list[dict[str, Any]]:
    rows = []
    for delay in DELAYS_NS:
        recording = runs[base, delay if own_delay else DELAYS_NS[0]][0]
        found = predict(recording, STAGES, consumer_delay_ns=delay)
        for point in found.points:
            measured = [per_tile for facts in runs[point.stages, delay] if (per_tile := measured_per_tile(facts))]
            middle = median(measured)
            rows.append(
                {
                    "from": name,
                    "consumer_delay_ns": delay,
                    "stages": point.stages,
                    "predicted_ns": round(point.per_tile / 1000, 1),
                    "measured_ns": [round(value / 1000, 1) for value in measured],
                    "error": round(point.per_tile / middle - 1, 4),
                }
            )
    return rows


def _report(document: dict[str, Any]) -> None:
    print(f"{document['machine']}, driver {document['driver']}, {document['tiles']} tiles, one CTA")
    for name in dict.fromkeys(row["from"] for row in document["rows"]):
        rows = [row for row in document["rows"] if row["from"] == name]
        print(f"\npredicted from {name}\n\n| delay (ns) | stages | predicted (ns) | measured (ns) | error |")
        print("|---:|---:|---:|---:|---:|")
        for row in rows:
            measured = ", ".join(f"{value:.0f}" for value in row["measured_ns"])
            print(
                f"| {row['consumer_delay_ns']} | {row['stages']} | {row['predicted_ns']:.0f} | {measured} |"
                f" {row['error']:+.1%} |"
            )
        errors = [abs(row["error"]) for row in rows]
        print(f"\nmedian error {median(errors):.1%}, largest {max(errors):.1%}")


if __name__ == "__main__":
    main()
