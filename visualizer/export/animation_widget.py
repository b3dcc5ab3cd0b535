"""A stretch of steps as an animated GIF: a frame per event, with the state and the explanation of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtGui import QImage

from visualizer.export.errors import needed
from visualizer.export.selection import Selection
from visualizer.export.timeline_picture_widget import TimelinePicture
from visualizer.export.writing import Writing
from visualizer.language import mark, tr
from visualizer.views.look.painting import painter_on
from visualizer.views.look.theme import load_theme

_WIDTH = 1280
_FRAME_MS = 800  # time to see what changed; the explanation of a step in full takes longer to read


def write_gif(selection: Selection, writing: Writing) -> None:
    """The chosen lanes' events, one frame each, over and over. ExportError if Pillow is not installed."""
    pil = needed("PIL.Image", "Pillow", mark("GIF animations"))
    picture = TimelinePicture(selection, load_theme(writing.look.theme), _WIDTH, with_step=True)
    background = QImage(picture.width, picture.height, QImage.Format.Format_RGBA8888)
    with painter_on(background) as painter:
        picture.paint(painter)
    frames = _frames(selection, writing, picture, background, pil)
    first = next(frames)
    first.save(writing.file, "GIF", save_all=True, append_images=frames, duration=_FRAME_MS, loop=0, optimize=False)


def _frames(
    selection: Selection, writing: Writing, picture: TimelinePicture, background: QImage, pil: Any
) -> Iterator[Any]:
    """Paletted frames. All share the first one's colours: a theme has few, and each frame shows all of them."""
    palette = None
    steps = selection.rows.tolist()
    for done, step in enumerate(steps, start=1):
        image = background.copy()
        with painter_on(image) as painter:
            picture.paint_step(painter, step)
        frame = pil.frombytes("RGBA", (image.width(), image.height()), bytes(image.constBits())).convert("RGB")
        palette = palette or frame.quantize(256, dither=pil.Dither.NONE)
        yield frame.quantize(palette=palette, dither=pil.Dither.NONE)
        writing.reached(done / len(steps), tr("frame {done} of {all}", done=done, all=len(steps)))
