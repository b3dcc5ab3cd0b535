"""Where each operation of a kernel stands in its source; the lesson's is kernels/async_pipeline.cu.

The simulator and GPU recordings share this table, so the code pane follows both through the lines that were compiled.
"""

from __future__ import annotations

from collections.abc import Mapping

from visualizer.language import tr
from visualizer.programs.errors import ProgramError
from visualizer.recording.tables import Site
from visualizer.resources import resource_dir

KERNEL_FILE = "kernels/async_pipeline.cu"

SITE_CALLS = {
    "init": "init_barriers(",
    "fence": "fence_barrier_init(",
    "producer_acquire": "pipeline.producer_acquire(",
    "copy": "tma_load(",
    "advance write": "++pipe_write",
    "consumer_wait": "pipeline.consumer_wait(",
    "read": "read_tile(",
    "consumer_release": "pipeline.consumer_release(",
    "advance read": "++pipe_read",
    "producer_tail": "pipeline.producer_tail(",
    "producer exit": "log.exit_producer(",
    "consumer exit": "log.exit_consumer(",
}
"""Operation -> the call that stands for it, written exactly once in the kernel, on a line of its own."""


def kernel_text() -> str:
    """The text of kernels/async_pipeline.cu, as it is compiled. FileNotFoundError if it is not installed."""
    return (resource_dir("kernels") / "async_pipeline.cu").read_text(encoding="utf-8")


def find_sites(text: str, calls: Mapping[str, str] = SITE_CALLS, file: str = KERNEL_FILE) -> tuple[Site, ...]:
    """One Site per entry of `calls`, in that order, with the line its call is on in `text`, which is `file`'s.

    Raises ProgramError if a call is missing or occurs more than once.
    """
    return tuple(Site(file, _line_of(text, op, call, file), op) for op, call in calls.items())


def _line_of(text: str, op: str, call: str, file: str) -> int:
    lines = [number for number, line in enumerate(text.splitlines(), start=1) for _ in range(line.count(call))]
    if len(lines) != 1:
        where = tr("on lines {names}", names=", ".join(map(str, lines))) if lines else tr("nowhere")
        raise ProgramError(
            tr(
                "{kernel_file}: the call {call!r}, which marks {op!r}, must occur exactly once, but it occurs {where}",
                kernel_file=file,
                call=call,
                op=op,
                where=where,
            )
        )
    return lines[0]
