"""Where in a body lane 0 acts whoever else does.

A warp's record is made by its lowest active lane, and to find it takes a vote. An instruction with `.sync.aligned` is
executed by all threads of a warp or by none [PTX]. So lane 0 executes whatever is executed as often as that on every
way, whether or not the warp is converged there: it records, and nobody is asked. Barriers say less: they wait for
threads that have not left [CUDA programming guide].
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from visualizer.sources.attach.ptx.loops import Jumps
from visualizer.sources.attach.ptx.statements import Token, instruction

_LEADS_AWAY = re.compile(r"(?:brx|call|ret|exit)\b")
_ALIGNED = re.compile(r"(?!bar)[\w.:]+\.sync\.aligned\b")
_TELLS = re.compile(r"\.sync\.aligned\b|\b(?:brx|call|ret|exit)\b")
_ELSEWHERE = -1


def whole_warps(tokens: Sequence[Token], jumped: Jumps) -> frozenset[int]:
    """The places at which, and right behind which, lane 0 acts if any lane does. A label is right before what it names,
    a branch right before where it does not lead."""
    telling = (place for place, token in enumerate(tokens) if token.kind == "statement" and _TELLS.search(token.text))
    done = {place: one for place in telling if (one := instruction(tokens[place].text)) is not None}
    leads = defaultdict(list)  # to which places, and from which, a branch or a label leads
    branches, tables = jumped
    for place, label in branches:
        leads[place].append(label)
        leads[label].append(place)
    for place in (*tables, *(place for place, one in done.items() if _LEADS_AWAY.match(one.opcode))):
        leads[place].append(_ELSEWHERE)
    ends = _pieces(leads)
    parts: list[list[int]] = [[]]  # places of which all are executed equally often
    whole = set()
    part, around = 0, []  # around: ends of the pieces that a place is in, and the parts that go on there
    for place in range(len(tokens)):
        if place in leads:
            if place in ends:
                around.append((ends[place], part))
            part = len(parts)
            parts.append([])
        while around and around[-1][0] == place:
            part = around.pop()[1]
        parts[part].append(place)
        if place in done and not done[place].guard and _ALIGNED.match(done[place].opcode):
            whole.add(part)
    return frozenset(place for part in whole for place in parts[part])


def _pieces(leads: dict[int, list[int]]) -> dict[int, int]:
    """Pieces that are come to at their beginning only and left at their end only: the end of each, by its beginning."""
    places = sorted(leads)
    ends = {}
    for row, begin in enumerate(places):
        end = begin
        for place in places[row:]:
            if place > end:
                ends[begin] = end
                break
            if min(leads[place]) < begin:
                break
            end = max(end, *leads[place])
        else:
            ends[begin] = end
    return ends
