"""Sentences of a diagnosis taken apart again: which message it was, and what it claims.

A checker is registered for a message by words of it (`says`); it gets the fields as text and holds them against events.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recount import Recount

import visualizer.diagnosis
from visualizer.diagnosis.report import Finding

Fields = Mapping[str, str]


@dataclass(frozen=True)
class Said:
    """A sentence in a finding of a recording: what a checker looks at."""

    recount: Recount
    finding: Finding
    fields: Fields

    def text(self, name: str) -> str:
        return self.fields[name]

    def number(self, name: str) -> int:
        """The first number of a field, which may be "2 arrivals" or " at tile 3"; -1: it has none."""
        found = re.search(r"-?\d+", self.fields[name])
        return int(found[0]) if found else -1

    def names(self, name: str) -> set[str]:
        """The names of a list in words."""
        return set(re.split(", | and ", self.fields[name])) - {""}


_ROOT = Path(visualizer.diagnosis.__file__).parent
Check = Callable[[Said], bool]
CHECKS: dict[str, Check] = {}
"""Message (of several forms the first) -> what it claims is so."""

_NAME, _TILE, _SITE = r"[\w.*\[\]]*[\w\]]", r"(?:(?:(?: at| of)? tile )?-?\d+)?", r"(?: \([^()]+:\d+\))?"
_LOOKS = {
    **dict.fromkeys(("agent", "barrier", "other", "writer", "reader", "owner", "giver"), _NAME),
    **dict.fromkeys(("tile", "other_tile", "of_tile"), _TILE),
    **dict.fromkeys(("site", "filled_at"), _SITE),
    **dict.fromkeys(("n", "use", "wanted", "next", "now", "met", "parity", "step"), r"-?\d+"),
    "phase": r"-?\d+|\?(?:\+\d+)?",
    **dict.fromkeys(("times", "arrivals", "usual"), r"\d+(?: \w+)?"),
    "at_tile": r"(?: at tile \d+| after its last tile)",
}
"""What fields look like that have other fields, or nothing fixed, beside them."""
_ROOMS = ("compare", "explain", "explanations", "comparison", "statistics", "predict", "snapshot")
_TEXTS = (
    "report_text",
    "not_judged",
    "wording",
    "schedules",
    "trust",
    "scene",
    "probe_findings",
    "diagnose",
    "arrived",
)
"""What tells of something else than what is wrong with a run: its numbers have tests of their own."""
_NUMBERS = {
    "n", "phase", "wanted", "now", "next", "arrived", "needed", "expected", "delivered", "tx", "pending", "bytes",
    "issued", "total", "most", "times", "usual", "arrivals", "count", "parity", "due", "met", "step", "end", "read",
    "spoiled", "use", "here", "threads", "cta",
}  # fmt: skip
_QUANTIFIERS = re.compile(r"\b(nobody|all|only|never|every|each|none|ever|nothing)\b", re.IGNORECASE)


def says(words: str) -> Callable[[Check], Check]:
    """Registers the checker of the one message that is, or has, these words."""

    def register(check: Check) -> Check:
        (message,) = [m for m in sentences() if words == m] or [m for m in sentences() if words in m]
        CHECKS[message] = check
        return check

    return register


@cache
def sentences() -> dict[str, tuple[str, ...]]:
    """The messages of findings that claim a number, or what nobody, all or only some do: the first form and all."""
    found = {}
    for file in sorted(_ROOT.rglob("*.py")):
        if file.relative_to(_ROOT).parts[0].startswith(_ROOMS) or file.stem in _TEXTS:
            continue
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in ("tr", "trn", "mark"):
                continue
            forms = tuple(
                arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            )
            fields = set(re.findall(r"\{(\w+)", forms[0])) if forms else set()
            if forms and (fields & _NUMBERS or _QUANTIFIERS.search(forms[0])):
                found[forms[0]] = forms
    return found


@cache
def _pattern(message: str) -> re.Pattern[str]:
    """What a message looks like when it has been said; a field that comes twice says the same."""
    known: set[str] = set()

    def field(name: str) -> str:
        if name in known:
            return f"(?P={name})"
        known.add(name)
        return f"(?P<{name}>{_LOOKS.get(name, '.*?')})"

    parts = re.split(r"\{(\w+)\}", message)
    text = "".join(re.escape(part) if at % 2 == 0 else field(part) for at, part in enumerate(parts))
    begins = r"(?:^|(?<=[.:] ))" if not message.startswith((" ", ":", ";")) else ""
    return re.compile(begins + text + ("$" if text.endswith(".*?)") else ""))


def claims(recount: Recount, finding: Finding) -> Iterator[tuple[str, Said]]:
    """The messages that the finding's cause is made of, with their fields."""
    for message, forms in sentences().items():
        for form in forms:
            if (match := _pattern(form).search(finding.cause)) is not None:
                yield message, Said(recount, finding, match.groupdict())
                break
