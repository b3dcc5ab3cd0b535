"""Whether a run can be recorded through a window at all, and if not, why: the same for the simulator and the GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visualizer.language import tr
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.window import Window

_PHASE_MAKERS = ("producer_arrivals", "consumer_arrivals", "transaction_bytes", "producer_phase", "consumer_phase")


def check_window(window: Window, program: str | None, parameters: Mapping[str, Any], fault: str | None) -> None:
    """SourceError, naming the option, unless this window of this run can be recorded. Everything always can.

    ProgramError if the parameters cannot be.
    """
    if window.is_everything:
        return
    if program not in (None, LESSON):
        raise SourceError(
            tr(
                "--window, --keep-last, --every-cta and --roles need the lesson's tile numbers; --program"
                " {program} has none that are known: record all of it",
                program=program,
            )
        )
    config, default = LessonConfig.from_dict(parameters), LessonConfig()
    last = config.tiles - 1 if window.last < 0 else window.last
    if window.keep_last < 0:
        raise SourceError(tr("--keep-last is {keep_last}; it must be at least 1 tile", keep_last=window.keep_last))
    if not 0 <= window.first <= last < config.tiles:
        asked = f"{window.first}:{window.last if window.last >= 0 else ''}"
        raise SourceError(
            tr(
                "--window {asked} must lie within 0:{tiles}, the tiles of this run, lowest first",
                asked=asked,
                tiles=config.tiles - 1,
            )
        )
    if not 1 <= window.every_cta <= config.ctas:
        raise SourceError(
            tr(
                "--every-cta is {every_cta}; it must be 1..{ctas}, the CTAs of this run",
                every_cta=window.every_cta,
                ctas=config.ctas,
            )
        )
    odd = [f"--{name.replace('_', '-')}" for name in _PHASE_MAKERS if getattr(config, name) != getattr(default, name)]
    odd += [f"--fault {fault}"] if fault else []
    if odd and (window.first or window.keep_last or len(window.roles) < 2):
        raise SourceError(
            tr(
                "with {odd} a barrier's phase no longer follows from the tile number, so a recording"
                " cannot begin in mid-run or leave a role out: use --window 0:N",
                odd=odd[0],
            )
        )
