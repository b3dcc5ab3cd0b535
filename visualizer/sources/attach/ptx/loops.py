"""Loops that do nothing but wait: of their failed tries only the first is worth a record.

Compilers take some rounds of such a loop out of it (CuTe DSL's the first three), so that one wait is asked at several
places, one behind the other: each passes to behind the loop, and the loop comes last.

A loop that does nothing else at all can stay as it is, with a first try before it: what is recorded then stands before
and behind it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from visualizer.sources.attach.ptx.statements import Instruction, Token, instruction

_BRANCH = re.compile(r"\bbra(?:\.uni)?\s+([\w$%]+)")
_LONGEST = 60
"""Tokens of such a loop: longer ones do something else too."""
_WORD = re.compile(r"[\w$%]+")
_SETS = re.compile(r"(?:mov|not|setp|selp|add|shl|and|or|xor)\.")
"""Instructions that do nothing but set their first operand."""


Jumps = tuple[list[tuple[int, int]], set[int]]
"""Branches with the label they go to; labels that tables of branches name. All as places in the tokens."""


@dataclass(frozen=True, slots=True)
class Spin:
    """A loop of one wait. Numbers are places in the tokens."""

    head: int  # its label
    entries: tuple[int, ...]  # branches to the label from outside
    before: tuple[int, ...] = ()  # waits right before the loop that ask the same: rounds that were taken out of it
    end: int = -1  # where one that does nothing but ask is left, always there and having passed; -1: it does more

    @property
    def begins(self) -> int:
        """Where it is come to from above."""
        return self.before[0] if self.before else self.head


def spins(tokens: Sequence[Token], jumped: Jumps, sites: Sequence[int], waits: Sequence[int]) -> dict[int, Spin]:
    """The innermost loop around each of `waits`, if it has no other of `sites` in it and is entered at its head."""
    branches, tables = jumped
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
        entries = tuple(at for at, to in outside if to == head)
        before = _before(tokens, head, wait, branch, waits)
        end = -1 if entries or before else _end(tokens, branches, tables, head, wait)
        found[wait] = Spin(head, entries, before, end)
    return found


def _end(tokens: Sequence[Token], branches: Sequence[tuple[int, int]], tables: set[int], head: int, wait: int) -> int:
    """Spin.end of the loop around a wait that is entered at its head only."""
    asked = instruction(tokens[wait].text)
    if asked is None or asked.guard or not all(map(_names_a_place, tokens[head:wait])):
        return -1
    to = dict(branches)
    places = [place for place in range(wait + 1, len(tokens)) if not _names_a_place(tokens[place])][:2]
    ways = [(done, to[place]) for place in places if place in to and (done := instruction(tokens[place].text))]
    if not ways or ways[0][0].guard != asked.operands[0]:
        return -1
    if ways[0][0].negated:  # until it has passed, again
        return places[0] if ways[0][1] == head else -1
    if len(ways) < 2 or ways[1][0].guard or ways[1][1] != head:
        return -1
    end = ways[0][1]  # once it has passed, past the branch that goes back
    alone = end not in tables and [target for _, target in branches].count(end) == 1
    behind = end > places[1] and all(map(_names_a_place, tokens[places[1] + 1 : end]))
    return end if alone and behind else -1


def _before(tokens: Sequence[Token], head: int, wait: int, branch: int, waits: Sequence[int]) -> tuple[int, ...]:
    """The rounds that were taken out of the loop from `head` to `branch`, ascending."""
    asked = instruction(tokens[wait].text)
    behind = {token.text for token in itertools.takewhile(_names_a_place, tokens[branch + 1 :])}
    inside = [token for place, token in enumerate(tokens[head:branch], head) if place != wait]
    if asked is None or not all(_names_a_place(token) or _keeps(token, asked) for token in inside):
        return ()
    rounds: list[int] = []
    passed = ""  # what the branch behind a round leaves by
    for place in range(head - 1, -1, -1):
        token = tokens[place]
        done = instruction(token.text) if token.kind == "statement" else None
        if done is not None and place in waits:
            if done.guard or not passed or _question(done) != (passed, *_question(asked)[1:]):
                break
            rounds.append(place)
            passed = ""
        elif done is not None and done.opcode.startswith("bra") and behind & {*done.operands}:
            if passed or done.negated:
                break
            passed = done.guard
        elif token.kind != "loc" and not _keeps(token, asked, passed):
            break
    return tuple(reversed(rounds))


def _names_a_place(token: Token) -> bool:
    return token.kind in ("label", "loc")


def _question(wait: Instruction) -> tuple[str, ...]:
    """What the answer goes to, how is asked, the barrier, the phase."""
    return wait.operands[0], wait.opcode, *wait.operands[1:3]


def _keeps(token: Token, asked: Instruction, passed: str = "") -> bool:
    """Whether a statement changes neither what is asked nor the answer."""
    done = instruction(token.text) if token.kind == "statement" else None
    if done is None or done.guard or not _SETS.match(done.opcode):
        return False
    kept = {passed, *(word for operand in asked.operands[1:3] for word in _WORD.findall(operand))}
    return kept.isdisjoint(_WORD.findall(done.operands[0]))


def jumps(tokens: Sequence[Token]) -> Jumps:
    """Where a body's branches lead."""
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
