"""Loops that do nothing but wait: of their failed tries only the first is worth a record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from visualizer.sources.attach.ptx.statements import Token

_BRANCH = re.compile(r"\bbra(?:\.uni)?\s+([\w$%]+)")
_LONGEST = 60
"""Tokens of such a loop: longer ones do something else too."""


@dataclass(frozen=True, slots=True)
class Spin:
    """A loop of one wait. Numbers are places in the tokens."""

    head: int  # its label
    entries: tuple[int, ...]  # branches to the label from outside


def spins(tokens: Sequence[Token], sites: Sequence[int], waits: Sequence[int]) -> dict[int, Spin]:
    """The innermost loop around each of `waits`, if it has no other of `sites` in it and is entered at its head."""
    branches, tables = _jumps(tokens)
    found = {}
    ordered = sorted(sites)
    for wait in waits:
        loops = [
            (branch - head, head, branch)
            for branch, head in branches
            if head < wait < branch and branch - head <= _LONGEST and head not in tables
        ]
        if not loops:
            continue
        _, head, branch = min(loops)
        if sum(head < site < branch for site in ordered) > 1:
            continue
        outside = [(at, to) for at, to in branches if not head <= at <= branch]
        if any(head < to <= branch for _, to in outside) or any(head <= label <= branch for label in tables):
            continue
        found[wait] = Spin(head, tuple(at for at, to in outside if to == head))
    return found


def _jumps(tokens: Sequence[Token]) -> tuple[list[tuple[int, int]], set[int]]:
    """Branches with the label they go to; labels that tables of branches name. All as places."""
    scopes = [0]
    above = {0: -1}
    scope_of = []
    labels: dict[tuple[int, str], int] = {}
    for place, token in enumerate(tokens):
        if token.kind == "open":
            above[len(above)] = scopes[-1]
            scopes.append(len(above) - 1)
        elif token.kind == "close" and len(scopes) > 1:
            scopes.pop()
        elif token.kind == "label":
            labels[scopes[-1], token.text] = place
        scope_of.append(scopes[-1])

    def place_of(name: str, scope: int) -> int:
        while scope >= 0 and (scope, name) not in labels:
            scope = above[scope]
        return labels.get((scope, name), -1)

    branches, tables = [], set()
    for place, token in enumerate(tokens):
        if token.kind != "statement":
            continue
        if token.text.startswith(".branchtargets"):
            names = re.findall(r"[\w$%]+", token.text)[1:]
            tables |= {place_of(name, scope_of[place]) for name in names}
        elif "bra" in token.text and (branch := _BRANCH.search(token.text)) is not None:
            branches.append((place, place_of(branch[1], scope_of[place])))
    return branches, tables
