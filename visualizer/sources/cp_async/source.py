"""The cp.async pipeline as a kernel that the source "gpu" can run."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.cp_async import NAME
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import check_program, parameters_of
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.source import GpuKernel, gpu_options
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.source import Request


def _check(request: Request) -> None:
    check_program(NAME, request.parameters, request.fault)
    if gpu_options(request) != GpuOptions():
        raise SourceError(
            tr(
                "--program {cp_async} on a GPU is always recorded whole, with every event: leave out"
                " --level, --window and the like",
                cp_async=NAME,
            )
        )


def _record(request: Request, progress: Progress | None, cancelled: CancelCheck | None) -> Trace:
    from visualizer.sources.cp_async import record

    config = LessonConfig(**check_program(NAME, request.parameters, request.fault))
    return record.record_cp_async(config, progress=progress, cancelled=cancelled)


CP_ASYNC_KERNEL = GpuKernel(NAME, parameters_of(NAME), check=_check, record=_record)
