"""The four kernels as ones that the source "gpu" can run: recorded as any program's are, through attach."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.faults import find_fault
from visualizer.programs.registry import check_program, parameters_of
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.source import GpuKernel, gpu_options
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.pipelines.pipeline_kernel import PipelineKernel
from visualizer.sources.pipelines.sizes import sizes_of
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.source import Request


def _gpu_kernel(kernel: PipelineKernel) -> GpuKernel:
    def check(request: Request) -> None:
        check_program(kernel.name, fault=request.fault)
        sizes_of(kernel, request)
        _asked(kernel, request)

    def record(request: Request, progress: Progress | None, cancelled: CancelCheck | None) -> Trace:
        from visualizer.sources.pipelines.record import record_pipeline

        fault = None if request.fault is None else find_fault(request.fault).id
        return record_pipeline(
            kernel, sizes_of(kernel, request), _asked(kernel, request), fault, progress=progress, cancelled=cancelled
        )

    stages = tuple(one for one in parameters_of(kernel.name) if one.option[2:] in kernel.rings)
    return GpuKernel(kernel.name, stages, check, record)


def _asked(kernel: PipelineKernel, request: Request) -> GpuOptions:
    """How to record; attach knows of the lesson's options those that say nothing of what its kernel logs."""
    asked = gpu_options(request)
    known = GpuOptions(
        time_limit_s=asked.time_limit_s, log_memory=asked.log_memory, hang_s=asked.hang_s, ab_pairs=asked.ab_pairs
    )
    if asked != known:
        raise SourceError(
            tr(
                "--program {name} on a GPU is always recorded whole, with every event, and checked; of how to record"
                " it takes --hang, --time-limit, --log-memory and --ab",
                name=kernel.name,
            )
        )
    return asked


PIPELINE_KERNELS = tuple(map(_gpu_kernel, KERNELS))
