"""The numbers of a selected range, for the inspector: who waited for whom, bytes and occupancy, by role and by ring.

All of them are the Statistics of `phasescope stats --range`, so that the two agree.
"""

from __future__ import annotations

from visualizer.diagnosis.arrived import bytes_text
from visualizer.diagnosis.statistics.occupancy import Occupancy
from visualizer.diagnosis.statistics.shares import RoleShare
from visualizer.diagnosis.statistics.statistics import RingNumbers, Statistics
from visualizer.diagnosis.wording import commas, duration, state_word
from visualizer.language import mark, tr
from visualizer.replay.history import StageState
from visualizer.views.diagnosis.details_model import Line
from visualizer.views.inspector.about import Section
from visualizer.views.words.context import ROLE_TITLES

_CAUSES = (
    ("back_pressure", mark("{time} ({share}) for stages to be released")),
    ("starved", mark("{time} ({share}) for stages to be filled")),
    ("other", mark("{time} ({share}) for other barriers")),
    ("issue", mark("{time} ({share}) between a phase's completion and going on")),
)


def range_sections(found: Statistics) -> tuple[Section, ...]:
    """What the inspector shows of a range: a section of all, and one for each ring where there are several."""
    title = tr(
        "Range of {length}, {begin} to {end}",
        length=duration(found.last - found.first),
        begin=duration(found.first),
        end=duration(found.last),
    )
    lines = [line for role in found.roles if role.present for line in _role(role)]
    lines.append(Line(tr("landed"), bytes_text(found.landed_bytes)))
    lines.append(Line(tr("copy engine"), tr("busy {share}", share=f"{found.engine_busy:.1%}")))
    if found.occupancy.stages:
        lines.append(Line(tr("stages"), _states(found.occupancy)))
    if found.per_tile.count:
        lines.append(Line(tr("tiles"), tr("{count}, median {time} each", **_tiles(found))))
    own = tuple(_ring(ring) for ring in found.rings) if len(found.rings) > 1 else ()
    return (Section(title, "", tuple(lines)), *own)


def _role(role: RoleShare) -> list[Line]:
    """How long the agents of a role were busy, and for what they waited; in all of them together."""
    busy = tr("busy {time} ({share})", time=duration(role.busy), share=f"{role.share(role.busy):.1%}")
    lines = [Line(tr(ROLE_TITLES[role.role]), busy)]
    for name, words in _CAUSES:
        part = getattr(role, name)
        if part:
            waited = tr(words, time=duration(part), share=f"{role.share(part):.1%}")
            lines.append(Line("", tr("waited {waited}", waited=waited)))
    return lines


def _ring(ring: RingNumbers) -> Section:
    lines = (
        Line(tr("landed"), bytes_text(ring.landed_bytes)),
        Line(tr("stages"), _states(ring.occupancy)),
        Line(tr("producer"), tr("waited {share} for stages to be released", share=f"{ring.back_pressure:.1%}")),
        Line(tr("consumers"), tr("waited {share} for stages to be filled", share=f"{ring.starved:.1%}")),
    )
    return Section(tr("Ring {name}", name=ring.name), "", lines)


def _states(occupancy: Occupancy) -> str:
    shares = zip(StageState, occupancy.states, strict=True)
    return commas([f"{state_word(state.name.lower())} {share:.1%}" for state, share in shares])


def _tiles(found: Statistics) -> dict[str, str]:
    return {"count": f"{found.per_tile.count:,}", "time": duration(found.per_tile.median)}
