"""Records one of the kernels: its program runs under attach, as a stranger's would, and its own check goes along."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from visualizer.children import child_command, child_environment
from visualizer.language import ENVIRONMENT, current, tr
from visualizer.language.endings import TOO_LONG
from visualizer.recording.facts import Check
from visualizer.recording.tables import Ending, Site
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.ptx_instrument import PtxInstrument
from visualizer.sources.attach.session import Outcome, Recorded, Session
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.pipelines.pipeline_kernel import PipelineKernel
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.runner.find_gpu import find_gpu

MODULE = "visualizer.sources.pipelines"
_MOST_READ = 1 << 16
"""Bytes of what the program printed; it prints a line."""


def record_pipeline(
    kernel: PipelineKernel,
    sizes: Mapping[str, int],
    options: GpuOptions,
    fault: str | None = None,
    *,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Trace:
    """Run the kernel once on GPU 0, with the mistake of this id compiled in. SourceError if no launch was recorded,
    Cancelled if told to stop. A launch that hung is a recording with that ending."""
    tell = progress or (lambda fraction, what: None)
    tell(0.0, tr("looking for a GPU"))
    find_gpu()  # without one nothing else that is missing matters
    asked = AttachOptions(
        kernel=f"^{kernel.name}$",
        level="all",
        stall_s=options.hang_s,
        log_memory=options.log_memory,
        rounds=options.ab_pairs,
        output=Path(f"{kernel.name}.pscope"),
    )
    listener = _Listener()
    deadline = time.monotonic() + options.time_limit_s

    def is_to_end() -> bool:
        return bool(cancelled and cancelled()) or time.monotonic() > deadline

    tell(0.1, tr("running {kernel} under attach", kernel=kernel.name))
    with tempfile.TemporaryDirectory(prefix="phasescope-") as folder, tempfile.TemporaryFile() as printed:
        session = Session(asked, PtxInstrument(asked), listener, folder=Path(folder))
        outcome = session.run(
            _command(kernel, sizes, fault, options.time_limit_s),
            child_environment(**{ENVIRONMENT: current()}),
            Path(folder),
            printed,
            is_to_end,
        )
        lines = _lines(printed)
    if cancelled and cancelled():
        raise Cancelled
    too_long = time.monotonic() > deadline
    if not outcome.recorded:
        raise SourceError(_why_not(kernel, outcome, listener.sentences, lines, options.time_limit_s if too_long else 0))
    tell(0.9, tr("reading what it logged"))
    trace = outcome.recorded[0].trace
    ending = trace.meta.ending
    if too_long and ending.kind != "completed":
        ending = Ending("timeout", TOO_LONG.format(seconds=f"{options.time_limit_s:g}"))
    config: dict[str, Any] = {name.replace("-", "_"): value for name, value in sizes.items()}
    if fault is not None:
        config["fault"] = fault
    check = _check(lines) if ending.kind == "completed" else Check()
    return _with_source(trace.with_meta(replace(trace.meta, config=config, ending=ending, check=check)), kernel)


def _with_source(trace: Trace, kernel: PipelineKernel) -> Trace:
    """With the kernel's own file by its path, and its text: CuPy compiles it from memory, by a name that is gone."""
    path = resource_dir("kernels") / f"{kernel.name}.cu"

    def known(file: str) -> str:
        return file if file in trace.source_files or Path(file).suffix == ".cuh" else str(path)

    def moved(site: Site) -> Site:
        stack = tuple(replace(frame, file=known(frame.file)) for frame in site.stack)
        return replace(site, file=known(site.file), stack=stack)

    texts = {**trace.source_files, str(path): path.read_text(encoding="utf-8")}
    return replace(trace, sites=tuple(map(moved, trace.sites)), source_files=texts)


class _Listener:
    """Keeps what a session says: why a kernel was not recorded."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def said(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def recorded(self, recorded: Recorded) -> None:
        """The outcome has it too."""

    def hung(self, recorded: Recorded) -> None:
        """The recording's ending says so."""


def _command(kernel: PipelineKernel, sizes: Mapping[str, int], fault: str | None, limit_s: float) -> list[str]:
    """The program's words. It gives up later than attach does, which has the log of a kernel that hangs."""
    words = [kernel.name, *(word for name, value in sizes.items() for word in (f"--{name}", str(value)))]
    words += ["--check", "--json", "--give-up", f"{limit_s:g}"]
    return child_command(MODULE, *words, *([] if fault is None else ["--fault", fault]))


def _lines(printed: IO[bytes]) -> list[str]:
    """The last lines that the program printed."""
    size = printed.seek(0, 2)
    printed.seek(max(size - _MOST_READ, 0))
    return printed.read().decode(errors="replace").strip().splitlines()


def _check(lines: list[str]) -> Check:
    """What the program says of its result; nothing if it did not come to that."""
    for line in reversed(lines):
        try:
            told = json.loads(line)
            return {"mode": "exact", "checked": int(told["values"]), "errors": int(told["wrong"])}
        except (ValueError, TypeError, KeyError):
            continue
    return Check()


def _why_not(kernel: PipelineKernel, outcome: Outcome, sentences: list[str], lines: list[str], limit_s: float) -> str:
    """One sentence: what the session said, else what the program said last."""
    if limit_s:
        return tr(
            "{kernel} was not recorded within the time limit of {seconds} s", kernel=kernel.name, seconds=f"{limit_s:g}"
        )
    if sentences:
        return sentences[0]
    last = lines[-1] if lines else tr("it said nothing")
    return tr(
        "no launch of {kernel} was recorded; its program ended with status {status}: {last}",
        kernel=kernel.name,
        status=outcome.status,
        last=last,
    )
