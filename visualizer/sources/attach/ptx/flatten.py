"""Short branches around an arrival, made into predicates.

A consumer's release is an arrival behind a branch that most lanes take. ptxas predicates so short a piece of code; with
a record in it the piece is too long for that, and the branch costs a reconvergence and keeps all around it apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from visualizer.sources.attach.ptx.forms import Form
from visualizer.sources.attach.ptx.statements import Token, instruction

_BRANCH = re.compile(r"@(!?)\s*([\w$%]+)\s+bra\s+([\w$%]+)\s*;$")
_WORD = re.compile(r"[%\w$]+")
_PLAIN = re.compile(
    r"(?:mov|add|sub|mul|mad|shl|shr|shf|and|or|xor|not|lop3|prmt|bfe|bfi|selp|min|max|cvt|cvta|mapa|ld\.param|ld\.const)"
    r"[.\w:]*$"
)
_LONGEST = 16
"""Instructions of such a piece."""


def flattened(tokens: Sequence[Token], forms: Mapping[int, Form]) -> tuple[list[Token], dict[int, Form]]:
    """The tokens, and their forms by place, with guards instead of branches where that can be."""
    guards: dict[int, str] = {}  # of places; "": it may as well be done where the branch would have been taken
    branches: set[int] = set()
    words: Counter[str] = Counter()
    for place, token in enumerate(tokens):
        branch = _BRANCH.match(token.text) if token.kind == "statement" else None
        end = _end_of_piece(tokens, place, branch[3], branch[2], forms) if branch else 0
        if branch and end:
            words = words or Counter(word for other in tokens for word in _WORD.findall(other.text))
            branches.add(place)
            guard = f"@{'' if branch[1] else '!'}{branch[2]} "
            for inside in _instructions(tokens, place, end):
                harmless = inside not in forms and _only_used_here(tokens, place, end, inside, words)
                guards[inside] = "" if harmless else guard
    kept = [place for place in range(len(tokens)) if place not in branches]
    done = [replace(tokens[place], text=guards.get(place, "") + tokens[place].text) for place in kept]
    return done, {row: forms[place] for row, place in enumerate(kept) if place in forms}


def _end_of_piece(tokens: Sequence[Token], branch: int, label: str, guard: str, forms: Mapping[int, Form]) -> int:
    """The place of a branch's label, if all instructions between can be given its guard and one is a site; else 0."""
    depth = length = sites = 0
    for place in range(branch + 1, len(tokens)):
        token = tokens[place]
        if token.kind == "label":
            return place if token.text == label and not depth and sites else 0
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0 or length > _LONGEST:
            return 0
        if token.kind != "statement" or token.text.startswith(".reg"):
            continue
        done = instruction(token.text)
        if done is None or done.guard or not _can_be_guarded(done.opcode, forms.get(place)):
            return 0
        if done.operands and done.operands[0] == guard:
            return 0
        length += 1
        sites += place in forms
    return 0


def _instructions(tokens: Sequence[Token], begin: int, end: int) -> list[int]:
    return [
        place
        for place in range(begin + 1, end)
        if tokens[place].kind == "statement" and not tokens[place].text.startswith(".reg")
    ]


def _only_used_here(tokens: Sequence[Token], begin: int, end: int, place: int, words: Counter[str]) -> bool:
    """Whether what an instruction writes is read between two places only, or is a register declared there."""
    done = instruction(tokens[place].text)
    assert done is not None
    inside = [token.text for token in tokens[begin + 1 : end]]
    local = {word for text in inside if text.startswith(".reg") for word in _WORD.findall(text)}
    here = Counter(word for text in inside for word in _WORD.findall(text))
    return all(name in local or here[name] == words[name] for name in _WORD.findall(done.operands[0]))


def _can_be_guarded(opcode: str, form: Form | None) -> bool:
    return form.how in ("each", "group") if form is not None else _PLAIN.match(opcode) is not None
