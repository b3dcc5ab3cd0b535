"""The likely cause of a wait that nothing will ever release, as the files that look for it tell it."""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.diagnosis.report import Advice, SourceLine


@dataclass(frozen=True, slots=True)
class Cause:
    """`certain`: the recording shows this very fault, not only that nobody is left to help."""

    sentence: str
    divergence: int | None = None
    site: SourceLine | None = None
    certain: bool = True
    advice: Advice | None = None
    blamed: str | None = None  # the agent whose doing it is, where that is known
    rule: str = ""  # which mistake it is, one word in every language and recording; "": none that has a name
