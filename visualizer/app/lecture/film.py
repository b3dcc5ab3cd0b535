"""A story that runs by itself: the stage's pictures, each for as long as its words take to read, as GIF or MP4."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from visualizer.app.lecture.still import Still
from visualizer.export.errors import needed
from visualizer.export.writing import Writing
from visualizer.language import current, mark, tr
from visualizer.playback.focus import Focus
from visualizer.playback.stories.presentation import Beat, beats_of
from visualizer.playback.stories.telling import Telling

_EVENT_S = 0.5  # of a passage that plays
_LEAST_S, _PAUSE_S = 3.0, 1.5
_LATIN_PER_S, _CJK_PER_S = 16, 6  # letters read in a second
_FIRST_CJK = 0x2E80
_FPS = 2  # pictures stand still; every length above is a multiple of half a second


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture and for how long it stands. `step`: an event of the beat's passage; None: the beat as it begins."""

    beat: Beat
    step: int | None
    seconds: float


def shots_of(telling: Telling, chapters: tuple[int, ...]) -> list[Shot]:
    """The beats of these chapters in order, each passage played once, in the current language's reading time."""
    shots: list[Shot] = []
    for beat in beats_of(telling.story):
        if beat.chapter not in chapters:
            continue
        told = telling.told(beat.chapter, beat.step)
        question, said = told.step.question, told.caption(current())
        if question is not None:
            said = told.text(question.answer if beat.revealed else question.ask, current()) + said * beat.revealed
        shots.append(Shot(beat, None, reading_seconds(said)))
        if beat.revealed and told.until is not None:
            shots += [Shot(beat, step, _EVENT_S) for step in range(told.focus.step + 1, told.until)]
            shots.append(Shot(beat, told.until, _LEAST_S))
    return shots


def reading_seconds(text: str) -> float:
    """How long a room needs to read a text, in half seconds."""
    cjk = sum(ord(letter) >= _FIRST_CJK for letter in text)
    seconds = _PAUSE_S + cjk / _CJK_PER_S + (len(text) - cjk) / _LATIN_PER_S
    return max(round(seconds * _FPS) / _FPS, _LEAST_S)


def write_story_gif(telling: Telling, chapters: tuple[int, ...], still: Still, writing: Writing) -> None:
    """An animated GIF that starts again at its end. ExportError if Pillow is not installed."""
    pil = needed("PIL.Image", "Pillow", mark("GIF animations"))
    shots = shots_of(telling, chapters)
    frames = _gif_frames(telling, shots, still, writing, pil)
    first = next(frames)
    durations = [round(1000 * shot.seconds) for shot in shots]
    first.save(writing.file, "GIF", save_all=True, append_images=frames, duration=durations, loop=0, optimize=False)


def write_story_mp4(telling: Telling, chapters: tuple[int, ...], still: Still, writing: Writing) -> None:
    """An H.264 film. ExportError if imageio-ffmpeg is not installed."""
    ffmpeg = needed("imageio_ffmpeg", "imageio-ffmpeg", mark("MP4 films"), extra="video")
    shots = shots_of(telling, chapters)
    size = still.stage.width(), still.stage.height()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        film = ffmpeg.write_frames(str(path), size, fps=_FPS, macro_block_size=2, ffmpeg_log_level="error")
        film.send(None)
        try:
            for shot, image in zip(shots, _images(telling, shots, still, writing), strict=True):
                frame = image.convertToFormat(QImage.Format.Format_RGB888)
                data = _rows(frame, 3)
                for _ in range(round(shot.seconds * _FPS)):
                    film.send(data)
        finally:
            film.close()
        writing.file.write(path.read_bytes())


def _images(telling: Telling, shots: list[Shot], still: Still, writing: Writing) -> Iterator[QImage]:
    chapters = len(telling.story.chapters)
    for number, shot in enumerate(shots):
        writing.reached(number / len(shots), tr("frame {done} of {all}", done=number + 1, all=len(shots)))
        told = telling.told(shot.beat.chapter, shot.beat.step)
        focus = Focus(shot.step, told.focus.lane) if shot.step is not None else None
        still.show(told, shot.beat, chapters, focus)
        yield still.image()


def _gif_frames(telling: Telling, shots: list[Shot], still: Still, writing: Writing, pil: Any) -> Iterator[Any]:
    for image in _images(telling, shots, still, writing):
        frame = image.convertToFormat(QImage.Format.Format_RGB888)
        whole = pil.frombytes("RGB", (frame.width(), frame.height()), _rows(frame, 3))
        yield whole.quantize(256, dither=pil.Dither.NONE)


def _rows(image: QImage, bytes_per_pixel: int) -> bytes:
    """The pixels without what Qt adds to each line."""
    data, line = bytes(image.constBits()), image.bytesPerLine()
    used = image.width() * bytes_per_pixel
    if line == used:
        return data
    return b"".join(data[row * line : row * line + used] for row in range(image.height()))
