"""What names tell: "CTA1.consumer.w2" is a consumer warp of CTA 1, "K.full[0]" the full barrier of stage 0 of ring K,
"0x1000400" an address in CTA 1 of the cluster. The names are those that recordings use themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from visualizer.language import tr
from visualizer.recording.tables import Agent, AgentRole, Barrier, BarrierKind
from visualizer.semantics.shared_storage import RANK_SHIFT
from visualizer.sources.errors import SourceError

MOST_CTA = 2**20 - 1
MOST_STAGE = 1023
LONGEST_NAME = 200
_CTA = re.compile(r"CTA(\d{1,9})\.(.+)", re.DOTALL)
_WARP = re.compile(r"(?:.*[^A-Za-z])?(?:warp|w)(\d{1,4})(?:\D.*)?")
_ROLE = re.compile(r"(producer|consumer|mma|epilogue)(?![A-Za-z])")
_STAGE = re.compile(r"(?:(.+)[._])?(full|empty)\[(\d{1,6})\]", re.DOTALL)
_ADDRESS = re.compile(r"0[xX]([0-9a-fA-F]{1,8})")
_ROLES: dict[str, AgentRole] = {"producer": "producer", "consumer": "consumer", "mma": "mma", "epilogue": "epilogue"}
_KINDS: dict[str, BarrierKind] = {"full": "full", "empty": "empty"}


def agent_of(name: str) -> Agent:
    """The agent of that name. SourceError if it cannot be one's."""
    cta, rest = _cta_of(name)
    warp, role = _WARP.fullmatch(rest), _ROLE.match(rest)
    number = int(warp[1]) if warp else -1
    return Agent(name, _ROLES[role[1]] if role else "other", cta, number, warpgroup=number // 4 if warp else -1)


def barrier_of(name: str) -> Barrier:
    """The barrier of that name. SourceError if it cannot be one's."""
    cta, rest = _cta_of(name)
    if address := _ADDRESS.fullmatch(rest):
        value = int(address[1], 16)
        offset = value & (1 << RANK_SHIFT) - 1
        home = value >> RANK_SHIFT if rest == name else cta
        return Barrier(name, home, "other", -1, 0, offset, address=value)
    if stage := _STAGE.fullmatch(rest):
        number = int(stage[3])
        if number > MOST_STAGE:
            raise SourceError(tr("{name!r} has a stage beyond {most}", name=name, most=MOST_STAGE))
        return Barrier(name, cta, _KINDS[stage[2]], number, 0, -1, ring=stage[1] or "")
    return Barrier(name, cta, "other", -1, 0, -1)


def role_of(word: str) -> AgentRole:
    """The role that a word names; "other" for a word of the program's own."""
    return _ROLES.get(word, "other")


def as_told(agents: Sequence[Agent], barriers: Sequence[Barrier]) -> tuple[tuple[Barrier, ...], tuple[str, ...]]:
    """The barriers, and the rings that their names tell of: only where agents are called producer and consumer too.
    Else they keep their names alone, so that what they are for is inferred."""
    roles = {agent.role for agent in agents}
    if not ("producer" in roles and roles & {"consumer", "mma"}):
        return tuple(replace(barrier, kind="other", stage=-1, ring="") for barrier in barriers), ()
    rings = tuple(dict.fromkeys(barrier.ring for barrier in barriers if barrier.stage >= 0))
    return tuple(one if one.ring in rings else replace(one, ring=next(iter(rings), "")) for one in barriers), rings


def check_name(name: str) -> None:
    """SourceError for what is no name of anything."""
    if not 0 < len(name) <= LONGEST_NAME:
        raise SourceError(
            tr("a name has {count} characters; it must have 1 to {most}", count=len(name), most=LONGEST_NAME)
        )


def _cta_of(name: str) -> tuple[int, str]:
    """The CTA that a name tells, 0 if none, and the rest of it."""
    check_name(name)
    found = _CTA.fullmatch(name)
    if not found:
        return 0, name
    if int(found[1]) > MOST_CTA:
        raise SourceError(tr("{name!r} is in a CTA beyond {most}", name=name, most=MOST_CTA))
    return int(found[1]), found[2]
