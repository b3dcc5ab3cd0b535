"""Where in a body lane 0 acts whoever else does.

A warp's record is made by its lowest active lane, and to find it takes a vote. An instruction with `.sync.aligned` is
executed by all threads of a warp together or not at all [PTX], so whatever leads to it and from it without a branch is
executed by lane 0 too, whether or not the warp is converged there: it records, and nobody is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from visualizer.sources.attach.ptx.statements import Token, instruction

_LEADS_AWAY = re.compile(r"(?:bra|brx|call|ret|exit)\b")
_ALIGNED = ".sync.aligned"


def whole_warps(tokens: Sequence[Token]) -> frozenset[int]:
    """The places right behind which lane 0 acts if any lane does, a site's own place among them."""
    found: set[int] = set()
    stretch: list[int] = []  # places without a label or a branch between them
    whole = False
    for place, token in enumerate(tokens):
        done = instruction(token.text) if token.kind == "statement" else None
        if token.kind == "label" or (done is not None and _LEADS_AWAY.match(done.opcode)):
            found.update(stretch if whole else ())
            stretch, whole = [], False
        stretch.append(place)
        whole |= done is not None and not done.guard and _ALIGNED in done.opcode
    found.update(stretch if whole else ())
    return frozenset(found)
