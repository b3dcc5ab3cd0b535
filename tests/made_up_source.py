"""A source that phasescope does not have: what it was asked is kept, and the recording is the simulator's."""

from __future__ import annotations

from dataclasses import replace

from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.option import Choice, Field, Group, Option, Seconds, Whole
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.simulator.simulate import simulate
from visualizer.sources.source import Request, Source

_GROUP = Group("bench", "a board on a bench")
OPTIONS = (
    Option(
        "boards",
        "--boards",
        Whole(1, 8),
        "how many boards run it",
        _GROUP,
        metavar="N",
        default=1,
        title="Boards",
        fields=(Field("how many boards run it (--boards)", usual="one"),),
    ),
    Option(
        "mood",
        "--mood",
        Choice(("calm", "wild")),
        "how the boards are driven",
        _GROUP,
        default="calm",
        title="Mood",
        fields=(Field("how the boards are driven (--mood)", titles={"wild": "very wild"}),),
    ),
    Option("warm_up_s", "--warm-up", Seconds(), "seconds before the run", _GROUP, metavar="S", default=1.0),
)


def made_up_source(asked: list[Request]) -> Source:
    """The source; every request that is recorded is appended to `asked`."""

    def check(request: Request) -> None:
        boards = request.options.get("boards", 1)
        if boards > 4:
            raise SourceError(f"--boards is {boards}; the bench has 4")

    def record(request: Request, progress: Progress | None, cancelled: CancelCheck | None) -> Trace:
        asked.append(request)
        trace = simulate(request.lay_out(cancelled), progress=progress, cancelled=cancelled)
        return replace(trace, meta=replace(trace.meta, source={"kind": "bench"}))

    return Source("bench", "Bench", OPTIONS, check=check, record=record)
