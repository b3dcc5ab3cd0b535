"""A story as a file to take home: HTML to step through, a PDF handout, a GIF or an MP4, by the file's ending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from visualizer.app.lecture.film import write_story_gif, write_story_mp4
from visualizer.app.lecture.handout import write_handout
from visualizer.app.lecture.still import Still
from visualizer.export.errors import ExportError
from visualizer.export.story_page import render_story, story_document
from visualizer.export.writing import Look, Writing, written_whole
from visualizer.language import mark, speaking, tr
from visualizer.playback.stories.model import Story
from visualizer.playback.stories.telling import Telling
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.views.look.theme import load_theme

SIZE = (1280, 720)
_SMALLEST, _LARGEST = (960, 540), (3840, 2160)


@dataclass(frozen=True, slots=True)
class TakeHome:
    """What is asked for. `chapters` are counted from 0; `size` is that of the stage in a picture, in pixels."""

    path: Path
    chapters: tuple[int, ...]
    language: str
    theme: str = "light"
    size: tuple[int, int] = SIZE


def export_story(
    telling: Telling,
    wish: TakeHome,
    progress: Progress = lambda share, what: None,
    cancelled: CancelCheck = lambda: False,
) -> int:
    """Write the chapters to the file, whole or not at all; the bytes written. In the thread of the windows.

    Raises ExportError, StoryError and Cancelled.
    """
    write = _writer(wish.path)
    if any(not low <= side <= high for low, side, high in zip(_SMALLEST, wish.size, _LARGEST, strict=True)):
        raise ExportError(
            tr(
                "the size {width}x{height} is outside {smallest} to {largest}",
                width=wish.size[0],
                height=wish.size[1],
                smallest="x".join(map(str, _SMALLEST)),
                largest="x".join(map(str, _LARGEST)),
            )
        )
    with written_whole(wish.path) as file, speaking(wish.language):
        write(telling, wish, Writing(file, progress, cancelled, Look(wish.theme)))
        return file.tell()


def chapters_named(story: Story, ids: list[str]) -> tuple[int, ...]:
    """The places of the chapters with these ids, in the story's order; all if there are none. ExportError."""
    known = [chapter.id for chapter in story.chapters]
    for name in ids:
        if name not in known:
            raise ExportError(
                tr("--chapter {name}: no chapter has this id; there are {ids}", name=name, ids=", ".join(known))
            )
    return tuple(place for place, name in enumerate(known) if not ids or name in ids)


def _writer(path: Path) -> Callable[[Telling, TakeHome, Writing], None]:
    found = _WRITERS.get(path.suffix.lower())
    if found is None:
        raise ExportError(
            tr("{path}: a story has no such format; choose one of {endings}", path=path, endings=", ".join(_WRITERS))
        )
    return found


def _write_page(telling: Telling, wish: TakeHome, writing: Writing) -> None:
    what = tr("explaining every step")
    document = story_document(telling, wish.chapters, lambda share: writing.reached(0.9 * share, what))
    writing.reached(0.9, tr("writing the page"))
    writing.text(render_story(document, wish.theme))


def _with_still(write: Callable[[Telling, tuple[int, ...], Still, Writing], None]):
    def run(telling: Telling, wish: TakeHome, writing: Writing) -> None:
        width, height = wish.size
        even = width // 2 * 2, height // 2 * 2  # films halve both sides
        still = Still(load_theme(wish.theme), even)
        try:
            write(telling, wish.chapters, still, writing)
        finally:
            still.close()

    return run


_WRITERS: dict[str, Callable[[Telling, TakeHome, Writing], None]] = {
    ".html": _write_page,
    ".pdf": _with_still(write_handout),
    ".gif": _with_still(write_story_gif),
    ".mp4": _with_still(write_story_mp4),
}

FORMATS = {
    ".html": mark("Page to step through (HTML)"),
    ".pdf": mark("Handout (PDF)"),
    ".gif": mark("Animation (GIF)"),
    ".mp4": mark("Film (MP4)"),
}
"""What a story can become, by the file's ending."""
