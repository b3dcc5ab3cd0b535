"""Which chapter of a built-in story teaches what a finding says: found by what the chapters show, not by a list.

A chapter that breaks a program on purpose names its fault. It teaches recordings of that fault, and all others in which
the diagnosis finds the same mistake as in the chapter's own run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from visualizer.diagnosis.report import Finding
from visualizer.recording.trace import Trace

if TYPE_CHECKING:
    from visualizer.playback.stories.model import Chapter, Text


@dataclass(frozen=True, slots=True)
class Lesson:
    """A chapter, counted from 0, of the story in the file `path`."""

    path: Path
    chapter: int
    title: Text


def lesson_on(trace: Trace, finding: Finding) -> Lesson | None:
    """The chapter that teaches the mistake of a finding in `trace`: of several one about the same fault, then one about
    the same program. None if no chapter does.

    The first call for a mistake runs the chapters' programs, which takes some tenths of a second.
    """
    fault, program = str(trace.meta.config.get("fault") or ""), trace.meta.program
    about = [
        (chapter.source.fault != fault, chapter.source.program != program, number)
        for number, (_, chapter) in enumerate(_broken())
        if chapter.source.fault == fault or (finding.rule and finding.rule == _rule(number))
    ]
    return _broken()[min(about)[2]][0] if about else None


@cache
def _broken() -> tuple[tuple[Lesson, Chapter], ...]:
    """The chapters with a fault, in the order of the course that tells them all; each in its own, shorter story."""
    from visualizer.playback.stories.load import built_in_stories, load_story, story_path

    stories = [(path, load_story(path)) for path in map(story_path, built_in_stories())]
    found = {
        (chapter.title, chapter.source.key): (Lesson(path, number, chapter.title), chapter)
        for path, story in sorted(stories, key=lambda told: -len(told[1].chapters))
        for number, chapter in enumerate(story.chapters)
        if chapter.source.fault
    }
    return tuple(found.values())


@cache
def _rule(number: int) -> str:
    """The mistake that the diagnosis finds first in a chapter with a fault; "" for one without a name."""
    from visualizer.playback.stories.recordings import Recordings

    findings = Recordings().report(_broken()[number][1].source).findings
    return findings[0].rule if findings else ""
