"""A widget as a picture, as it is shown: the bytes of a PNG or of an SVG whose lines and text stay sharp.

By Qt's own `render`: pyqtgraph's exporter of SVG fails on PySide6 6.11.
"""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PySide6.QtGui import QImage, QPaintDevice, QRegion
from PySide6.QtWidgets import QWidget

from visualizer.views.look.painting import painter_on

PNG_SCALE = 2
"""Pixels for one of the widget's: sharp in a slide."""
NOT_XML = bytes(code for code in range(32) if code not in b"\t\n\r")
"""Characters that XML may not hold, which Qt writes all the same."""


def png_of(widget: QWidget) -> bytes:
    image = QImage(widget.size() * PNG_SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    _render(widget, image)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data())


def svg_of(widget: QWidget, title: str) -> bytes:
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)  # of CSS: one pixel of the widget is one px
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(0, 0), widget.size()))
    generator.setTitle(title)
    _render(widget, generator)
    return bytes(buffer.data()).translate(None, NOT_XML)


def _render(widget: QWidget, device: QPaintDevice) -> None:
    with painter_on(device) as painter:
        painter.fillRect(widget.rect(), widget.palette().window())
        widget.render(painter, QPoint(0, 0), QRegion(), QWidget.RenderFlag.DrawChildren)
