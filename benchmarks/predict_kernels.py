"""What another stage gives the four kernels: predicted from one recording, then held against a run on a GPU.

Each kernel is recorded with every stage count from two less than it has to one more, as far as they fit. From each of
these runs the one with a stage more, or less, is predicted; that one's own recording says how far off it was. Recorded
time is held against recorded time. --full-size adds what a launch of full size takes that nothing records.

Needs a Hopper GPU, CuPy, cuda-bindings, ptxas and cc; with --recordings, a folder of recordings made before, nothing.
A run that fails is told, and the others go on; the status is 1 then.

Run: python -m benchmarks.predict_kernels [--repeats N] [--full-size] [--recordings FOLDER] [--save FOLDER]
                                          [--json FILE] [--docs docs/statistics.md]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.predict_kernels_text import as_markdown, put_into
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import predict, recorded_per_tile
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.recording.file import load, save
from visualizer.recording.trace import Trace, TraceError
from visualizer.replay.history import History
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.pipelines.pipeline_kernel import PipelineKernel
from visualizer.sources.pipelines.sizes import request_for
from visualizer.sources.registry import record
from visualizer.sources.runner.protocol import Unable

SIZES: Mapping[str, Mapping[str, int]] = {
    "multicast": {"tiles": 64},
    "gemm": {"k": 4096},
    "attention": {"length": 2048},
}
"""Longer than what comes along, so that most of a run is in its stride; pingpong's is long enough."""
Sizes = dict[str, int]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1, help="runs of each; predictions come from the first")
    parser.add_argument("--full-size", action="store_true", help="also time a plain launch of full size of each")
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="judge recordings made before, by --save")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep the recordings there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--docs", type=Path, metavar="FILE", help="also put the tables into this page")
    args = parser.parse_args()
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {"machine": None, "kernels": [], "rows": [], "failed": []}
    for kernel in KERNELS:
        judge(kernel, args, document)
        if args.json:  # what was measured stays, whatever becomes of the rest
            args.json.write_text(json.dumps(document, indent=1) + "\n")
    print(as_markdown(document))
    if args.docs:
        put_into(args.docs, document)
    return int(bool(document["failed"]))


def judge(kernel: PipelineKernel, args: argparse.Namespace, document: dict[str, Any]) -> None:
    """The kernel's rows, one for each pair of neighbouring stage counts of each ring in either direction."""
    usual = kernel.recorded(SIZES.get(kernel.name, {}))
    found: dict[str, list[Facts]] = {}
    for ring, counts in counts_of(kernel).items():
        for stages in counts:
            sizes = {**usual, ring: stages}
            if (name := name_of(kernel, sizes)) in found:
                continue
            found[name] = []
            for number in range(args.repeats):
                try:
                    found[name].append(find_facts(History(_trace(kernel, sizes, f"{name}-{number}", args))))
                except (SourceError, TraceError) as problem:
                    document["failed"].append(f"{name}: {problem}")
                    print(document["failed"][-1], file=sys.stderr, flush=True)
    if runs := found[name_of(kernel, usual)]:
        document["machine"] = runs[0].history.trace.meta.source.get("gpu")
        document["kernels"].append(_compared(kernel, usual, runs[0]))
    full_size = _full_size(kernel, document) if args.full_size else {}
    for ring, counts in counts_of(kernel).items():
        for stages in counts:
            for other in (stages - 1, stages + 1):
                if other in counts:
                    one, two = ({**usual, ring: count} for count in (stages, other))
                    row = {"kernel": kernel.name, "ring": kernel.rings[ring], "from": stages, "to": other}
                    row |= _held(kernel, ring, other, found[name_of(kernel, one)], found[name_of(kernel, two)])
                    row["full_size_ms"] = [full_size.get((ring, count)) for count in (stages, other)]
                    document["rows"].append(row)


def counts_of(kernel: PipelineKernel) -> dict[str, list[int]]:
    """By the parameter that counts a ring's stages: those that are run, the other ring as usual."""
    counts: dict[str, list[int]] = {}
    for ring in kernel.rings:
        own = kernel.parameters[ring]
        counts[ring] = [
            count for count in range(max(own.default - 2, own.least), own.default + 2) if _can_run(kernel, ring, count)
        ]
    return counts


def name_of(kernel: PipelineKernel, sizes: Sizes) -> str:
    return "-".join([kernel.name, *(str(sizes[ring]) for ring in kernel.rings)])


def _can_run(kernel: PipelineKernel, ring: str, count: int) -> bool:
    try:
        kernel.check({ring: count})
    except SourceError:
        return False
    return True


def _trace(kernel: PipelineKernel, sizes: Sizes, name: str, args: argparse.Namespace) -> Trace:
    if args.recordings:
        return load(args.recordings / f"{name}.pscope")
    trace = record("gpu", request_for(kernel, sizes))
    if trace.meta.ending.kind != "completed":
        raise SourceError(f"it ended with {trace.meta.ending.kind}: {trace.meta.ending.detail}")
    if trace.meta.check.get("errors") != 0:
        raise SourceError(f"its result was not found right: {trace.meta.check}")
    if args.save:
        save(trace, args.save / f"{name}.pscope")
    return trace


def _compared(kernel: PipelineKernel, sizes: Sizes, facts: Facts) -> dict[str, Any]:
    """Who bounds it, and how long who waits; shares of the time."""
    numbers = statistics(facts)
    consumers = next(role for role in numbers.roles if role.role == "consumer")
    return {
        "kernel": kernel.name,
        "sizes": sizes,
        "bound": numbers.bound.kind,
        "producer_waits": round(numbers.bound.back_pressure, 4),
        "starved": round(consumers.share(consumers.starved), 4),
        "other_waits": round(consumers.share(consumers.other), 4),
    }


def _held(kernel: PipelineKernel, ring: str, other: int, base: list[Facts], runs: list[Facts]) -> dict[str, Any]:
    """The prediction for `other` stages of the first of `base`, and what these runs measured, in ns."""
    if not base or not runs:
        return {"recorded_ns": None, "predicted_ns": None, "measured_ns": [], "error": None}
    named = kernel.rings[ring] if len(kernel.rings) > 1 else None
    try:
        found = predict(base[0], [other], ring=named)
        measured = [one for facts in runs if (one := recorded_per_tile(facts, named))]
    except PredictError as problem:
        return {"recorded_ns": None, "predicted_ns": None, "measured_ns": [], "error": None, "problem": str(problem)}
    predicted = found.points[0].per_tile
    return {
        "recorded_ns": None if found.recorded_per_tile is None else round(found.recorded_per_tile / 1000, 3),
        "predicted_ns": round(predicted / 1000, 3),
        "measured_ns": [round(one / 1000, 3) for one in measured],
        "error": round(predicted / median(measured) - 1, 4) if measured else None,
    }


def _full_size(kernel: PipelineKernel, document: dict[str, Any]) -> dict[tuple[str, int], float]:
    """Milliseconds of a plain launch with the default sizes, by ring and stages."""
    from visualizer.sources.pipelines.worker_kernel import RunningKernel, comes_back, timed_ms
    from visualizer.sources.runner.device import compiling

    found: dict[tuple[str, int], float] = {}
    for ring, counts in counts_of(kernel).items():
        for count in counts:
            what = f"{kernel.name}, {ring} {count}, full size"
            try:
                with compiling():
                    running = RunningKernel(kernel.name, kernel.launch({ring: count}))
                if not comes_back(running.start, 10.0):
                    document["failed"].append(f"{what}: it did not come back")
                    return found  # the GPU is busy with it: nothing else can be timed here
                found[ring, count] = round(timed_ms(running.start), 4)
            except (RuntimeError, Unable) as problem:
                document["failed"].append(f"{what}: {problem}")
    return found


if __name__ == "__main__":
    sys.exit(main())
