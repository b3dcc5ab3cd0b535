"""The timeline as PNG, SVG or PDF."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRect, QSize, QSizeF
from PySide6.QtGui import QImage, QPageSize, QPdfWriter

from visualizer.export.errors import ExportError
from visualizer.export.selection import Selection
from visualizer.export.timeline_picture_widget import TimelinePicture
from visualizer.export.writing import Writing
from visualizer.language import tr
from visualizer.views.look.painting import painter_on
from visualizer.views.look.theme import load_theme
from visualizer.views.look.widget_picture_widget import NOT_XML, PNG_SCALE

_WIDTH = 1600


def write_png(selection: Selection, writing: Writing) -> None:
    """An image of twice 1600 pixels' width; its height follows the lanes."""
    picture = _picture(selection, writing)
    image = QImage(picture.width * PNG_SCALE, picture.height * PNG_SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    _paint(picture, image, writing)
    buffer = _buffer()
    if not image.save(buffer, "PNG"):
        raise ExportError(tr("the picture could not be encoded as PNG; choose fewer lanes"))
    writing.file.write(bytes(buffer.data()))


def write_svg(selection: Selection, writing: Writing) -> None:
    """A drawing: boxes and text stay sharp and can be edited."""
    from PySide6.QtSvg import QSvgGenerator

    picture, buffer = _picture(selection, writing), _buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)  # of CSS: one pixel of the layout is one px
    generator.setSize(QSize(picture.width, picture.height))
    generator.setViewBox(QRect(0, 0, picture.width, picture.height))
    generator.setTitle(selection.history.trace.meta.program)
    _paint(picture, generator, writing)
    writing.file.write(bytes(buffer.data()).translate(None, NOT_XML))


def write_pdf(selection: Selection, writing: Writing) -> None:
    """One page of the picture's shape."""
    picture, buffer = _picture(selection, writing), _buffer()
    writer = QPdfWriter(buffer)
    writer.setResolution(72)  # one pixel of the layout is one point
    writer.setPageSize(QPageSize(QSizeF(picture.width, picture.height), QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(selection.history.trace.meta.program)
    writer.setCreator("phasescope")
    _paint(picture, writer, writing)
    buffer.close()
    writing.file.write(bytes(buffer.data()))


def _picture(selection: Selection, writing: Writing) -> TimelinePicture:
    writing.reached(0.1, tr("painting the lanes"))
    return TimelinePicture(selection, load_theme(writing.look.theme), _WIDTH, writing.look.step is not None)


def _paint(picture: TimelinePicture, device: Any, writing: Writing) -> None:
    with painter_on(device) as painter:
        picture.paint(painter)
        if writing.look.step is not None:
            picture.paint_step(painter, writing.look.step)
    writing.reached(0.9, tr("writing the picture"))


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer
