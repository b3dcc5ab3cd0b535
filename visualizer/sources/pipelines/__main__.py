"""python -m visualizer.sources.pipelines NAME: run one of the kernels plainly, check its result, time it.

With attach in front of it - phasescope attach -- python -m visualizer.sources.pipelines NAME - its launch is recorded.
Exit status: 0, 1 if the result is wrong, 2 if nothing could be run, 124 if the kernel did not come back.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from visualizer.language import preferred, tr, use
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.pipelines.pipeline_kernel import Launch, PipelineKernel
from visualizer.sources.runner.protocol import Unable

EXIT_WRONG, EXIT_UNABLE, EXIT_HANGS = 1, 2, 124


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to; None: not asked for, or not to be had."""

    kernel: str
    parameters: dict[str, int]
    values: int  # of the result
    wrong: int | None = None
    ms: float | None = None  # of one launch
    tflops: float | None = None
    gbytes_per_s: float | None = None  # into shared memory
    library_ms: float | None = None  # of torch's own kernel, on the same data

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}

    def in_words(self) -> str:
        parts = [tr("{kernel} ran", kernel=self.kernel)]
        if self.wrong is not None:
            parts.append(tr("{wrong} of {values} values wrong", wrong=self.wrong, values=self.values))
        if self.ms is not None:
            parts.append(tr("{ms} ms a launch", ms=f"{self.ms:.4f}"))
        if self.tflops is not None:
            parts.append(f"{self.tflops:.0f} TFLOP/s")
        if self.gbytes_per_s is not None:
            parts.append(tr("{rate} GB/s into shared memory", rate=f"{self.gbytes_per_s:.0f}"))
        if self.library_ms is not None and self.ms is not None:
            parts.append(
                tr(
                    "torch {ms} ms: {factor} times its time",
                    ms=f"{self.library_ms:.4f}",
                    factor=f"{self.ms / self.library_ms:.2f}",
                )
            )
        return "; ".join(parts)


def main(argv: Sequence[str] | None = None) -> int:
    use(preferred())
    args = _parser().parse_args(argv)
    kernel: PipelineKernel = args.kernel
    values = {name: value for name in kernel.parameters if (value := getattr(args, name)) is not None}
    try:
        figures = _run(kernel, values, args)
    except (SourceError, Unable) as problem:
        print(problem, file=sys.stderr)
        return EXIT_UNABLE
    print(json.dumps(figures.as_dict()) if args.json else figures.in_words(), flush=True)
    return EXIT_WRONG if figures.wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m visualizer.sources.pipelines",
        description=tr("Run one of the kernels in kernels/ plainly, on the first GPU; sizes are its own options."),
    )
    names = parser.add_subparsers(metavar="NAME", required=True)
    for kernel in KERNELS:
        one = names.add_parser(kernel.name)
        for name, parameter in kernel.parameters.items():
            one.add_argument(f"--{name}", dest=name, type=int, metavar="N", help=f"({parameter.default})")
        one.add_argument("--check", action="store_true", help=tr("compare every value of the result with a reference"))
        one.add_argument("--time", action="store_true", help=tr("time it, and torch's own kernel where there is one"))
        one.add_argument("--fault", choices=kernel.faults, help=tr("compile a mistake in, with which it hangs"))
        one.add_argument(
            "--give-up",
            type=float,
            default=10.0,
            metavar="SECONDS",
            help=tr("take a kernel that runs for longer to hang, and end (default: %(default)s)"),
        )
        one.add_argument("--json", action="store_true", help=tr("print JSON"))
        one.set_defaults(kernel=kernel)
    return parser


def _run(kernel: PipelineKernel, values: dict[str, int], args: argparse.Namespace) -> Figures:
    launch = kernel.launch(values)
    from visualizer.sources.runner.device import compiling, examine_gpu

    examine_gpu()
    from visualizer.sources.pipelines.worker_kernel import RunningKernel, comes_back, timed_ms
    from visualizer.sources.pipelines.worker_library import library_call

    with compiling():
        running = RunningKernel(kernel.name, launch, int(args.fault[1:]) if args.fault else 0)
    if not comes_back(running.start, args.give_up):
        _give_up(kernel, args.give_up)
    result = running.result()
    wrong = launch.wrong(result) if args.check else None
    ms = library_ms = None
    if args.time:
        ms = timed_ms(running.start)
        library = library_call(kernel, launch)
        library_ms = timed_ms(library) if library else None
    return Figures(kernel.name, kernel.complete(values), result.size, wrong, ms, *_rates(launch, ms), library_ms)


def _rates(launch: Launch, ms: float | None) -> tuple[float | None, float | None]:
    """TFLOP/s and GB/s, whichever it is about."""
    if ms is None:
        return None, None
    return (launch.flop / ms / 1e9 or None), (launch.bytes_loaded / ms / 1e6 or None)


def _give_up(kernel: PipelineKernel, limit_s: float) -> None:
    """Leaves at once: whatever waits for the kernel, as the end of a Python does, waits for ever."""
    print(
        tr("{kernel} did not come back within {seconds} s: it hangs", kernel=kernel.name, seconds=f"{limit_s:g}"),
        file=sys.stderr,
        flush=True,
    )
    os._exit(EXIT_HANGS)


if __name__ == "__main__":
    sys.exit(main())
