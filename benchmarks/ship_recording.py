"""Make a recording of one of our kernels fit to come with phasescope: no path of a machine is left in it.

Attach names sources as the compiler did, by paths of that machine; here they become paths within this checkout, which
must be the one that was recorded. The kernel's own file, which CuPy compiles from memory, gets its name and its text.
The sizes that the command names go along, as `record --source gpu` keeps them: with them it can be run again.

Run: python -m benchmarks.ship_recording RECORDING NAME      makes assets/traces/NAME.pscope
"""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path

from visualizer.recording.file import load, save
from visualizer.recording.tables import Site
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir, shipped_recording
from visualizer.sources.pipelines.kernels import find_kernel
from visualizer.sources.pipelines.record import MODULE

_OUTPUT = re.compile(r"-o \S+")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("name")
    args = parser.parse_args()
    save(fit_to_ship(load(args.recording), args.name), shipped_recording(args.name))
    return 0


def fit_to_ship(trace: Trace, name: str) -> Trace:
    """`trace` with the sources named as in the checkout, and with the command that makes assets/traces/NAME.pscope."""
    own = f"kernels/{trace.meta.program}.cu"

    def renamed(file: str) -> str:
        return f"kernels/{Path(file).name}" if file in trace.source_files else own

    def moved(site: Site) -> Site:
        stack = tuple(replace(frame, file=renamed(frame.file)) for frame in site.stack)
        return replace(site, file=renamed(site.file), stack=stack)

    files = {renamed(file) for file in trace.source_files} | {own}
    texts = {file: (resource_dir("kernels").parent / file).read_text(encoding="utf-8") for file in sorted(files)}
    for file, text in trace.source_files.items():
        if texts[renamed(file)] != text:
            raise SystemExit(f"{file} is not what lies in this checkout: record the kernel again")
    command = _OUTPUT.sub(f"-o assets/traces/{name}.pscope", trace.meta.command).replace("python3 -m", "python -m")
    return replace(
        trace,
        sites=tuple(moved(site) for site in trace.sites),
        source_files=texts,
        meta=replace(trace.meta, command=command, config=trace.meta.config or sizes_in(command)),
    )


def sizes_in(command: str) -> dict[str, int]:
    """What the program under attach was asked, complete."""
    name, *words = command.partition(f"{MODULE} ")[2].split()
    values = {option[2:]: int(value) for option, value in zip(words[::2], words[1::2], strict=False)}
    return {size.replace("-", "_"): value for size, value in find_kernel(name).complete(values).items()}


if __name__ == "__main__":
    raise SystemExit(main())
