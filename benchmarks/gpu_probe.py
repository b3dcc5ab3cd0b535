"""What the word probe costs on a GPU: the recorded kernel with and without it, in turns, on the same inputs.

Run on a machine with a Hopper GPU: python -m benchmarks.gpu_probe [--level LEVEL] [--runs N] [--json FILE]
The kernel's time is from its first CTA's opening anchor to its last one's closing anchor.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.lesson.kernel_window import records_per_warp
from visualizer.sources.lesson.probing import chosen_barriers, runs_per_barrier
from visualizer.sources.lesson.raw_log import CAPACITY_STEP, LogLevel
from visualizer.sources.lesson.values import source_matrix
from visualizer.sources.lesson.word_probe import ProbeMode
from visualizer.sources.lesson.worker_kernel import LessonKernel
from visualizer.sources.lesson.worker_probe import Probing

SHAPES = {
    "shared memory at full speed": LessonConfig(ctas=132, tiles=1024),
    "consumers busy 400 ns more": LessonConfig(ctas=132, tiles=1024, consumer_delay=400),
}
PROBED = ("full", "words")
VARIANTS: dict[str, tuple[ProbeMode, tuple[str, ...]]] = {
    "off": ("off", ()),
    "words, every barrier": ("words", ()),
    "words, full[0]": ("words", ("full[0]",)),
    "flips, every barrier": ("flips", ()),
}


def measure(config: LessonConfig, level: LogLevel, runs: int) -> dict[str, dict[str, float | None]]:
    """Per variant: median and quartiles of the kernel (us), its ratio to "off", and ns from sample to sample."""
    matrix = source_matrix(config)
    capacity = -(-records_per_warp(config, level) // CAPACITY_STEP) * CAPACITY_STEP
    room = runs_per_barrier(config)
    kernels = {
        name: LessonKernel(
            config, matrix, "checksum", level=level, probe=Probing(mode, chosen_barriers(config, names), room)
        )
        for name, (mode, names) in VARIANTS.items()
    }
    times: dict[str, list[float]] = {name: [] for name in VARIANTS}
    period: dict[str, float | None] = dict.fromkeys(VARIANTS)
    next(iter(kernels.values())).warm_up()
    for turn in range(runs + 1):  # the first turn only warms up
        for name, kernel in kernels.items():
            done = kernel.run(capacity)
            ticks = done.log.anchors["globaltimer"]
            if turn:
                times[name].append((int(ticks.max()) - int(ticks.min())) / 1000)
            if done.probe is not None:
                ctas = (ticks[:, 1] - ticks[:, 0]).astype(np.float64)
                period[name] = float((ctas / done.probe.counts["samples"].max(axis=1)).mean())
    base = np.median(times["off"])
    return {
        name: {
            "median_us": float(np.median(values)),
            "low_us": float(np.quantile(values, 0.25)),
            "high_us": float(np.quantile(values, 0.75)),
            "ratio": float(np.median(values) / base),
            "sample_ns": period[name],
        }
        for name, values in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--level", choices=PROBED, default="full", help="what the kernel logs beside (default: full)")
    parser.add_argument("--runs", type=int, default=20, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    figures = {shape: measure(config, args.level, args.runs) for shape, config in SHAPES.items()}
    for shape, variants in figures.items():
        print(f"{shape}, level {args.level}")
        for name, value in variants.items():
            spread = f"{value['low_us']:.1f}..{value['high_us']:.1f}"
            sampled = f"  {value['sample_ns']:.0f} ns a sample" if value["sample_ns"] else ""
            print(f"  {name:22} {value['median_us']:8.1f} us ({spread}) {value['ratio']:.3f}{sampled}")
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
