"""What a story is made of. Immutable: an edit makes a new story, so the presenter's place in it never dangles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from visualizer.language import tr
from visualizer.playback.stories.errors import StoryError

PANES = ("timeline", "ring", "explanation", "barriers", "code", "tiles", "events", "memory", "diagnosis")
"""What a step can show, by the names of the window's panes."""

DEFAULT_PANES = ("timeline", "ring")

Value = bool | int | float | str
"""What a parameter of a program can be."""

Zoom = Literal["all", "tile", "near", "keep"]
ZOOMS: tuple[Zoom, ...] = ("all", "tile", "near", "keep")
"""The whole recording; the focused event's tile; some events around the focus; as the step before left it."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text in both languages."""

    en: str
    zh: str

    def spoken(self, language: str) -> str:
        return self.zh if language == "zh" else self.en

    def __bool__(self) -> bool:
        return bool(self.en or self.zh)


EMPTY = Text("", "")


@dataclass(frozen=True, slots=True)
class FocusRule:
    """Which event a step is about: a step number, or the nth event that a query finds, so that the story survives
    another recording. `nth` counts from 1; -1 is the last. `offset` goes that many events on from there."""

    step: int | None = None
    find: str = ""
    nth: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """Asked before the next state is shown; the answer stays hidden until it is revealed."""

    ask: Text
    answer: Text


@dataclass(frozen=True, slots=True)
class Autoplay:
    """Play from the focus to `until`, over again if `loop`."""

    until: FocusRule
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to say, and what the room sees meanwhile."""

    focus: FocusRule
    text: Text
    lane: str = ""  # the selected lane; "": the event's own
    panes: tuple[str, ...] = DEFAULT_PANES
    highlight: tuple[str, ...] = ()  # lanes; the others are dimmed
    zoom: Zoom = "tile"
    notes: Text = EMPTY
    question: Question | None = None
    autoplay: Autoplay | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a chapter looks at: a recording's name in assets/traces or a file beside the story, or a program to run
    in the simulator with these parameters and this fault.

    StoryError for a parameter that is no number, true or false, or text: whoever made the file, nobody meets it later.
    """

    recording: str = ""
    program: str = ""
    fault: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = [
            tr("parameters.{name}: must be a number, true or false, or a text", name=name)
            for name, value in self.parameters.items()
            if not isinstance(value, Value) or (isinstance(value, float) and not isfinite(value))
        ]
        if problems:
            raise StoryError(*problems)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for sources that look the same. 1, 1.0 and true are three values: a program may refuse two of them."""
        values = sorted((name, repr(value)) for name, value in self.parameters.items())
        return (self.recording, self.program, self.fault, tuple(values))


@dataclass(frozen=True, slots=True)
class Chapter:
    """Steps over one source; texts may quote figures of the `others` too."""

    id: str
    title: Text
    source: Source
    steps: tuple[Step, ...]
    others: Mapping[str, Source] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Story:
    """A whole lecture."""

    title: Text
    chapters: tuple[Chapter, ...]
    path: Path | None = None  # where it was read from

    def places(self) -> Iterator[tuple[int, int]]:
        """Every (chapter, step), in the order they are told."""
        for chapter, content in enumerate(self.chapters):
            for step in range(len(content.steps)):
                yield chapter, step
