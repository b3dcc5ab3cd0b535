"""How far a case got."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """`ways`: what was done to the input; `reached`: the stages that ended well or in words."""

    ways: tuple[str, ...] = ()
    reached: list[str] = field(default_factory=list)
    refused: str = ""  # the sentence that ended it before anything could be asked; "": none
    held: tuple[float, str] = (0.0, "")  # the longest that a window could do nothing else, in seconds, and at what
