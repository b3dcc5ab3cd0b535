"""Whether a run can be recorded through a window at all, and if not, why: the same for the simulator and the GPU."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.window import ROLES, Window

_PHASE_MAKERS = ("producer_arrivals", "consumer_arrivals", "transaction_bytes", "producer_phase", "consumer_phase")


def window_asked_for(
    tiles: tuple[int, int] | None, keep_last: int | None, every_cta: int | None, roles: tuple[str, ...] | None
) -> Window:
    """The window with these fields, None where nothing was asked. SourceError if its tiles are told in two ways."""
    if tiles is not None and keep_last is not None:
        raise SourceError(tr("--window and --keep-last exclude each other: say which tiles, or how many from the end"))
    first, last = tiles or (0, -1)
    return Window(first, last, keep_last or 0, every_cta or 1, roles or ROLES)


def check_window(window: Window, program: str | None, config: LessonConfig, fault: str | None) -> None:
    """SourceError, naming the option, unless this window of this run can be recorded. Everything always can."""
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
    default = LessonConfig()
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
