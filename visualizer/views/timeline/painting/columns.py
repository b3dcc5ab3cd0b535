"""Paints pixel columns of stacked parts as one image made by numpy, whatever the number of lanes.

Thousands of rectangles one pixel wide would take five times as long, and an image per lane half a frame.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from visualizer.views.look.painting import HATCH_STEP, colour
from visualizer.views.look.theme import HATCHED, Paint, Theme, mix
from visualizer.views.timeline.shapes.picture import Columns, Part

TINT_ALPHA = {"pending": 36, "tx": 84}

Pixels = NDArray[np.uint8]


def paint_columns(painter: QPainter, columns: Sequence[Columns], theme: Theme) -> None:
    """Draw them all; they must not overlap."""
    columns = [item for item in columns if item.height > 0 and len(item.x)]
    if not columns:
        return
    # Index 0 is nothing; every part has its colour and then that of its hatch.
    parts = sorted({part for item in columns for part in item.parts})
    index = {part: 1 + 2 * position for position, part in enumerate(parts)}
    left, right = min(int(item.x[0]) for item in columns), max(int(item.x[-1]) for item in columns) + 1
    top = min(round(item.top) for item in columns)
    bottom = max(round(item.top) + item.height for item in columns)
    if painter.hasClipping():  # a lane of thousands may be higher than any window
        clip = painter.clipBoundingRect()
        top += max(int(clip.top() - top) // HATCH_STEP, 0) * HATCH_STEP  # hatches stay where they are
        bottom = min(bottom, int(clip.bottom()) + 1)
    pixels = np.zeros((max(bottom - top, 0), right - left), np.uint8)
    groups: dict[tuple[int, int, int, int, int], list[Columns]] = defaultdict(list)
    for item in columns:
        first, last = max(top - round(item.top), 0), min(bottom - round(item.top), item.height)
        if first < last:
            groups[item.height, first, last, len(item.parts), len(item.x)].append(item)
    for (_, above, below, *_), items in groups.items():
        for item, part in zip(items, _stack(items, above, below), strict=True):
            table = np.array([*(index[each] for each in item.parts), 0], np.uint8)
            rows = pixels[round(item.top) - top + above : round(item.top) - top + below]
            first, last = int(item.x[0]) - left, int(item.x[-1]) - left
            if last - first + 1 == len(item.x):
                rows[:, first : last + 1] = table.take(part, mode="clip")
            else:
                rows[:, item.x - left] = table.take(part, mode="clip")
    if not groups:
        return
    if any(role in HATCHED for role, _ in parts):
        _hatch(pixels, np.array([0, *(twin for part in parts for twin in _twins(index[part], part))], np.uint8))
    stride = pixels.strides[0]
    image = QImage(pixels.data, right - left, bottom - top, stride, QImage.Format.Format_Indexed8)
    image.setColorTable([0, *(entry for part in parts for entry in _colours(part, theme))])
    painter.drawImage(QPointF(left, top), image)


def _stack(items: Sequence[Columns], above: int, below: int) -> Pixels:
    """Which part (index in the item's own) each pixel of the rows from `above` to `below` of items of one height shows;
    shape (items, rows, columns)."""
    height = items[0].height
    small = np.uint8 if height < 256 else np.int16  # numpy does the more at a time, the smaller they are
    row = np.arange(height, dtype=small)[::-1, None][above:below]
    part = np.zeros((len(items), len(row), len(items[0].x)), np.uint8)
    level = np.zeros((len(items), 1, len(items[0].x)), small)
    for index in range(len(items[0].parts)):
        level[:, 0] += np.array([item.heights[index] for item in items]).astype(small)
        part += row >= level
    return part


def _hatch(pixels: Pixels, twin: Pixels) -> None:
    """Replace the pixels on diagonal lines, which run through all lanes alike, by their `twin`."""
    for line in range(HATCH_STEP):
        on = pixels[line::HATCH_STEP, (HATCH_STEP - line) % HATCH_STEP :: HATCH_STEP]
        on[...] = twin[on]


def _twins(index: int, part: Part) -> tuple[int, int]:
    """What a pixel of the part becomes on a line, and what one that is there already."""
    return (index + 1 if part.role in HATCHED else index, index + 1)


def hatch_colour(paint: Paint) -> str:
    return mix(paint.fill, paint.text, 0.45)


@lru_cache(maxsize=256)
def _colours(part: Part, theme: Theme) -> tuple[int, int]:
    """The part's colour and that of its hatch, as entries of an image's colour table."""
    if part.part == "tint":
        flat = colour(theme.colour(part.role), TINT_ALPHA[part.role]).rgba()
    elif part.part == "colour":
        flat = colour(theme.colour(part.role)).rgba()
    else:
        paint = theme.paint(part.role)
        flat = colour(paint.fill if part.part == "fill" else paint.outline).rgba()
    lines = colour(hatch_colour(theme.paint(part.role))).rgba() if part.role in HATCHED else flat
    return int(flat), int(lines)
