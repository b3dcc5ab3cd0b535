"""Where in a body lane 0 acts whoever else does.

A warp's record is made by its lowest active lane, and to find it takes a vote. An instruction with `.sync.aligned` is
executed by all threads of a warp or by none [PTX], so whatever leads to it and from it without a branch is executed by
lane 0 too, whether or not the warp is converged there: it records, and nobody is asked. Barriers say less: they wait
for threads that have not left [CUDA programming guide].
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from visualizer.sources.attach.ptx.statements import Token, instruction

_LEADS_AWAY = re.compile(r"(?:bra|brx|call|ret|exit)\b")
_ALIGNED = re.compile(r"(?!bar)[\w.:]+\.sync\.aligned\b")


def whole_warps(tokens: Sequence[Token]) -> frozenset[int]:
    """The places at which, and right behind which, lane 0 acts if any lane does. A label is right before what it names,
    a branch right before where it does not lead."""
    found: set[int] = set()
    stretch: list[int] = []  # places without a label or a branch between them
    whole = False
    for place, token in enumerate(tokens):
        done = instruction(token.text) if token.kind == "statement" else None
        if token.kind == "label" or (done is not None and _LEADS_AWAY.match(done.opcode)):
            found.update(stretch if whole else ())
            stretch, whole = [], False
        stretch.append(place)
        whole |= done is not None and not done.guard and _ALIGNED.match(done.opcode) is not None
    found.update(stretch if whole else ())
    return frozenset(found)
