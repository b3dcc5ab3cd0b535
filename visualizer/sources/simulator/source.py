"""The simulator as a source: any program, in exact time, whole or through a window."""

from __future__ import annotations

from visualizer.language import mark
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.registry import check_program
from visualizer.recording.trace import Trace
from visualizer.sources.lesson.window import cut
from visualizer.sources.lesson.window_check import check_window
from visualizer.sources.lesson.window_options import WINDOW_OPTIONS, window_of
from visualizer.sources.option import Group, Option, Whole
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.source import Request, Source

SEED = Option(
    "seed",
    "--seed",
    Whole(high=2**31 - 1),
    mark("seed of the timing jitter (default: 0)"),
    Group(mark("simulator")),
    metavar="N",
    default=0,
    title=mark("Seed"),
)


def _check(request: Request) -> None:
    """The program is looked at when it is laid out: a file may be edited until then."""
    check_window(window_of(request.options), request.program, request.parameters, request.fault)


def _record(request: Request, progress: Progress | None, cancelled: CancelCheck | None) -> Trace:
    from visualizer.sources.simulator.simulate import simulate

    seed = request.options.get(SEED.name, SEED.default)
    trace = simulate(request.lay_out(cancelled), seed=seed, progress=progress, cancelled=cancelled)
    window = window_of(request.options)
    if window.is_everything:
        return trace
    parameters = check_program(LESSON, request.parameters, request.fault)
    return cut(trace, window, parameters["tiles"], parameters["ctas"])


SIMULATOR = Source(
    "simulator", mark("Simulator (exact)"), (*WINDOW_OPTIONS, SEED), check=_check, record=_record, is_exact=True
)
