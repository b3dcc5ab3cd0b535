"""The source "gpu": one of the kernels we have, recorded on an SM90 GPU; and the lesson as the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from visualizer.language import mark, tr
from visualizer.programs.faults import fault_on_gpu, find_fault
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.programs.program import Parameter
from visualizer.programs.registry import check_program
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.option_table import GPU_OPTIONS
from visualizer.sources.lesson.options import GpuOptions, level_of
from visualizer.sources.lesson.window_check import check_window
from visualizer.sources.lesson.window_options import WINDOW_OPTIONS, window_of
from visualizer.sources.option import Option
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.source import Request, Source


@dataclass(frozen=True, slots=True)
class GpuKernel:
    """The kernel of one program, and what of its parameters it takes; `check` and `record` as in Source."""

    program: str
    parameters: tuple[Parameter, ...]
    check: Callable[[Request], None]
    record: Callable[[Request, Progress | None, CancelCheck | None], Trace]


def gpu_source(kernels: Sequence[GpuKernel], sizes: tuple[Option, ...] = ()) -> Source:
    """The source that runs these kernels, the first where no program is named; `sizes`: what some of them are asked
    beside how to record."""

    def kernel_of(request: Request) -> GpuKernel:
        for kernel in kernels:
            if request.program in (None, kernel.program):
                return kernel
        raise SourceError(
            tr(
                "a GPU runs the kernels of {names} only; --program {program} needs the simulator (--source simulator)",
                names=", ".join(kernel.program for kernel in kernels),
                program=request.program,
            )
        )

    parameters = {kernel.program: kernel.parameters for kernel in kernels}
    return Source(
        "gpu",
        mark("GPU (SM90)"),
        (*WINDOW_OPTIONS, *GPU_OPTIONS, *sizes),
        check=lambda request: kernel_of(request).check(request),
        record=lambda request, progress, cancelled: kernel_of(request).record(request, progress, cancelled),
        parameters=lambda program: parameters.get(program, ()),
    )


def gpu_options(request: Request) -> GpuOptions:
    """The options of a request, checked: SourceError names the one that is wrong."""
    asked = {option.name: request.options[option.name] for option in GPU_OPTIONS if option.name in request.options}
    return GpuOptions(**asked, window=window_of(request.options))


def _check(request: Request) -> None:
    config, options = _config(request), gpu_options(request)
    check_window(options.window, request.program, request.parameters, request.fault)
    if request.fault is not None:
        level_of(options, fault_on_gpu(find_fault(request.fault), config)[1])


def _record(request: Request, progress: Progress | None, cancelled: CancelCheck | None) -> Trace:
    from visualizer.sources.lesson import launcher

    config, options = _config(request), gpu_options(request)
    if request.fault is None:
        return launcher.record_gpu(config, options, progress=progress, cancelled=cancelled)
    mistake = find_fault(request.fault)
    run_with, number = fault_on_gpu(mistake, config)
    trace = launcher.record_gpu(run_with, options, fault=number, progress=progress, cancelled=cancelled)
    # The parameters without the mistake and its name, as in a simulated recording: together they make the program.
    return trace.with_meta(replace(trace.meta, config={**config.as_dict(), "fault": mistake.id}))


def _config(request: Request) -> LessonConfig:
    """The parameters without those that the fault sets, which may not contradict it."""
    return LessonConfig(**check_program(LESSON, request.parameters, request.fault))


LESSON_KERNEL = GpuKernel(LESSON, PARAMETERS, check=_check, record=_record)
