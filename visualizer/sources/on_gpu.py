"""Records a program on the GPU, the lesson with or without a fault, for the command line and the window alike."""

from __future__ import annotations

from dataclasses import replace

from visualizer.language import tr
from visualizer.programs.cp_async import NAME as CP_ASYNC
from visualizer.programs.faults import fault_on_gpu, find_fault
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.trace import Trace
from visualizer.sources.cp_async.record import record_cp_async
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson import launcher
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.progress import CancelCheck, Progress


def check_program_gpu(program: str | None, fault: str | None, options: GpuOptions | None) -> None:
    """Refuse what no kernel does, before anything runs: SourceError. None is the lesson, or options as usual."""
    if program == CP_ASYNC and fault is None:
        if options not in (None, GpuOptions()):
            raise SourceError(
                tr(
                    "--program {cp_async} on a GPU is always recorded whole, with every event: leave out"
                    " --level, --window and the like",
                    cp_async=CP_ASYNC,
                )
            )
    elif program not in (None, LESSON):
        raise SourceError(
            tr(
                "a GPU runs the kernels of {lesson} and {cp_async} only; --program {program} needs the"
                " simulator (--source simulator)",
                lesson=LESSON,
                cp_async=CP_ASYNC,
                program=program,
            )
        )


def record_program_gpu(
    program: str | None,
    config: LessonConfig,
    fault: str | None = None,
    options: GpuOptions | None = None,
    *,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Trace:
    """`record_gpu` of the lesson (None means it too) with the fault of this id or name, or the cp.async pipeline.

    SourceError for another program, ProgramError if the kernel cannot make that mistake.
    """
    check_program_gpu(program, fault, options)
    if program == CP_ASYNC:
        return record_cp_async(config, progress=progress, cancelled=cancelled)
    if fault is None:
        return launcher.record_gpu(config, options, progress=progress, cancelled=cancelled)
    mistake = find_fault(fault)
    run_with, number = fault_on_gpu(mistake, config)
    trace = launcher.record_gpu(run_with, options, fault=number, progress=progress, cancelled=cancelled)
    # The parameters without the mistake and its name, as in a simulated recording: together they make the program.
    return replace(trace, meta=replace(trace.meta, config={**config.as_dict(), "fault": mistake.id}))
