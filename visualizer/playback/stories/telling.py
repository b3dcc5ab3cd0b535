"""A story as it is told: each step with its recording, the event it means and its texts filled in.

Nothing is kept but recordings, so a place can be asked for in any order and always looks the same: that is what lets
a lecturer leave, explore, and come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from visualizer.language import current, speaking, tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane, lane_key
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.find import find_focus
from visualizer.playback.stories.model import Chapter, Source, Step, Story, Text
from visualizer.playback.stories.numbers import Scene, fill
from visualizer.playback.stories.recordings import Recordings
from visualizer.replay.history import History


@dataclass(frozen=True, eq=False)
class Told:
    """One step, ready to be shown. Texts are filled in when asked for, in the language asked for."""

    chapter: Chapter
    step: Step
    history: History
    focus: Focus
    until: int | None  # where autoplay ends
    scene: Scene

    def text(self, text: Text, language: str) -> str:
        """`text` in a language, and what it quotes of a diagnosis too, whatever the window speaks. StoryError, in the
        window's language, if it has a placeholder that means nothing."""
        spoken = text.spoken(language)
        try:
            with speaking(language):
                return fill(spoken, self.scene)
        except StoryError:
            return fill(spoken, self.scene)

    def caption(self, language: str) -> str:
        return self.text(self.step.text, language)

    def notes(self, language: str) -> str:
        return self.text(self.step.notes, language)

    def title(self, language: str) -> str:
        return self.text(self.chapter.title, language)


def place_name(story: Story, chapter: Chapter, step: int) -> str:
    """Of a step, counted from 0, as problems name it: "lesson.toml: chapter 'hang': step 2"."""
    within = tr("chapter {name}", name=repr(chapter.id)), tr("step {number}", number=step + 1)
    return ": ".join((str(story.path or story.title.spoken(current())), *within))


class Telling:
    """A story with its recordings. Places are (chapter, step), both counted from 0."""

    def __init__(self, story: Story, recordings: Recordings | None = None) -> None:
        self.story = story
        self.recordings = recordings or Recordings(story.path.parent if story.path else None)
        self._changed: dict[int, Source] = {}

    def told(self, chapter: int, step: int) -> Told:
        """StoryError, naming chapter and step, if the recording has no such event."""
        content = self.story.chapters[chapter]
        try:
            return self._told(content, self.source(chapter), content.steps[step])
        except StoryError as error:
            place = place_name(self.story, content, step)
            raise StoryError(*(f"{place}: {problem}" for problem in error.problems)) from None

    def source(self, chapter: int) -> Source:
        """What the chapter looks at, as changed on stage."""
        return self._changed.get(chapter, self.story.chapters[chapter].source)

    def change_parameters(self, chapter: int, parameters: Mapping[str, Any]) -> None:
        """From now on the chapter looks at its program run with these parameters over its own, until `restore`."""
        source = self.source(chapter)
        if not source.program:
            source = Source(program=self._program_of(source), parameters={})
        self._changed[chapter] = replace(source, parameters={**source.parameters, **parameters})

    def restore(self, chapter: int) -> None:
        """Look at the chapter's own source again."""
        self._changed.pop(chapter, None)

    def _program_of(self, source: Source) -> str:
        return self.recordings.history(source).trace.meta.program

    def _told(self, chapter: Chapter, source: Source, step: Step) -> Told:
        history = self.recordings.history(source)
        try:
            at = find_focus(history, step.focus)
            until = find_focus(history, step.autoplay.until) if step.autoplay else None
        except StoryError:
            if source is chapter.source:
                raise
            # With parameters changed on stage the event may never happen, as in a deadlock: show how it ended.
            at, until = history.steps - 1, None
        lane, *stressed = (lane_key(history, name) for name in (step.lane, *step.highlight))
        step = replace(step, lane=lane, highlight=tuple(stressed))
        scene = Scene(history, at, partial(self.recordings.report, source), partial(self._other, chapter))
        return Told(chapter, step, history, Focus(at, lane or home_lane(history.trace, at)), until, scene)

    def _other(self, chapter: Chapter, name: str) -> Scene:
        if name not in chapter.others:
            known = ", ".join(chapter.others) or tr("none")
            raise StoryError(tr("others: there is no {name}; there are {known}", name=repr(name), known=known))
        source = chapter.others[name]
        history = self.recordings.history(source)
        return Scene(history, history.steps - 1, partial(self.recordings.report, source), partial(self._other, chapter))
