"""The sources that `--source NAME` and the window can choose, and the one place where either asks for a recording."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.recording.trace import Trace
from visualizer.sources.cp_async.source import CP_ASYNC_KERNEL
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.source import LESSON_KERNEL, gpu_source
from visualizer.sources.option import Option
from visualizer.sources.pipelines.sizes import SIZE_OPTIONS
from visualizer.sources.pipelines.source import PIPELINE_KERNELS
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.simulator.source import SIMULATOR
from visualizer.sources.source import Request, Source

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (SIMULATOR, gpu_source((LESSON_KERNEL, CP_ASYNC_KERNEL, *PIPELINE_KERNELS), SIZE_OPTIONS))
}
"""By name; the first is the one where none is chosen."""
DEFAULT = SIMULATOR.name


def all_options() -> list[Option]:
    """What may be asked of any source, each once, in the order of the sources."""
    options: list[Option] = []
    for source in SOURCES.values():
        options += [option for option in source.options if option not in options]
    return options


def check(source: str, request: Request) -> None:
    """SourceError or ProgramError, in words that name the option, if the source of this name cannot record so."""
    chosen = SOURCES[source]
    for option in all_options():
        if option.name not in request.options:
            continue
        # An option that the source would ignore is a mistake, not a wish.
        if option not in chosen.options:
            wanted = [name for name, other in SOURCES.items() if option in other.options]
            raise SourceError(
                tr("{option} applies to --source {wanted} only", option=option.flag, wanted=", ".join(wanted))
            )
        if option.programs and request.program not in option.programs:
            raise SourceError(
                tr("{option} applies to --program {wanted} only", option=option.flag, wanted=", ".join(option.programs))
            )
    chosen.check(request)


def record(
    source: str, request: Request, progress: Progress | None = None, cancelled: CancelCheck | None = None
) -> Trace:
    """The recording; raises what `check` and the source raise, and Cancelled."""
    check(source, request)
    return SOURCES[source].record(request, progress, cancelled)
