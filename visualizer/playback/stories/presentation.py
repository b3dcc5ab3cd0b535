"""Where a lecture is: a walk over beats, so that forward and back pass through the same states.

A step is one beat; a step with a question is two, asked and revealed. Nothing here knows of windows or keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from visualizer.playback.stories.model import Story


@dataclass(frozen=True, slots=True)
class Beat:
    """One thing the room sees. `revealed` is False while a question waits for its answer."""

    chapter: int
    step: int
    revealed: bool = True


def beats_of(story: Story) -> tuple[Beat, ...]:
    """Every beat of the story, in order."""
    beats = []
    for chapter, step in story.places():
        if story.chapters[chapter].steps[step].question is not None:
            beats.append(Beat(chapter, step, revealed=False))
        beats.append(Beat(chapter, step))
    return tuple(beats)


class Presentation:
    """A story's beats and which of them is on stage. Each move calls `changed` if it moved anything."""

    def __init__(self, story: Story, changed: Callable[[], None] = lambda: None) -> None:
        self.story = story
        self._beats = beats_of(story)
        self._at = 0
        self._black = False
        self._changed = changed

    @property
    def beat(self) -> Beat:
        return self._beats[self._at]

    @property
    def upcoming(self) -> Beat | None:
        """The next beat; None at the end."""
        return self._beats[self._at + 1] if self._at + 1 < len(self._beats) else None

    @property
    def black(self) -> bool:
        """Whether the room sees a black screen."""
        return self._black

    @property
    def progress(self) -> tuple[int, int]:
        """Steps of the current chapter told so far, the current one included, and how many it has."""
        return self.beat.step + 1, len(self.story.chapters[self.beat.chapter].steps)

    def next(self) -> None:
        self._go(self._at + 1)

    def previous(self) -> None:
        self._go(self._at - 1)

    def first(self) -> None:
        self._go(0)

    def last(self) -> None:
        self._go(len(self._beats) - 1)

    def go_to_chapter(self, chapter: int) -> None:
        """To the first beat of a chapter, counted from 0; one that there is not is no move."""
        self.go_to(chapter, 0)

    def go_to(self, chapter: int, step: int) -> None:
        """To the first beat of a step; one that there is not is no move."""
        for index, beat in enumerate(self._beats):
            if (beat.chapter, beat.step) == (chapter, step):
                self._go(index)
                return

    def toggle_black(self) -> None:
        self._black = not self._black
        self._changed()

    def _go(self, index: int) -> None:
        """A move also lifts the black screen: the remote's next key must never seem dead."""
        if not 0 <= index < len(self._beats) or (index == self._at and not self._black):
            return
        self._at, self._black = index, False
        self._changed()
