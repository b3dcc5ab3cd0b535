"""What panes share of their look: the panel's colours, and fonts that follow the window's scale, never in pixels."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QWidget

from visualizer.views.look.painting import colour
from visualizer.views.look.theme import Theme


def use_panel_colours(widget: QWidget, theme: Theme) -> None:
    """Give a pane, and the plain widgets in it, the theme's panel and text colours."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.Window, colour(theme.panel))
    palette.setColor(QPalette.ColorRole.WindowText, colour(theme.text))
    widget.setPalette(palette)
    widget.setAutoFillBackground(True)


def alarm_style(theme: Theme) -> str:
    """The style sheet of a label over a pane that says how the run ended."""
    return f"background: {theme.error.fill}; color: {theme.error.text}; padding: 0.3em; border-radius: 4px"


_SMALLEST_TEXT = "smallestText"


def set_smallest_text(widget: QWidget, pixels: int) -> None:
    """Tell the panes in `widget` that nothing smaller can be read: what has no room is then left out, not shrunk."""
    widget.setProperty(_SMALLEST_TEXT, pixels)


def smallest_text(widget: QWidget | None) -> int:
    """The pixels that the widget, or one it stands in, was told; 0: text may have any size."""
    while widget is not None:
        if (pixels := widget.property(_SMALLEST_TEXT)) is not None:
            return int(pixels)
        widget = widget.parentWidget()
    return 0


def scaled_font(base: QFont, scale: float, *, bold: bool = False, smallest: int = 0) -> QFont:
    """`base` at `scale` times its size, but no smaller than `smallest` pixels."""
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * scale)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * scale)))
    if smallest and QFontInfo(font).pixelSize() < smallest:
        font.setPixelSize(smallest)
    font.setBold(bold)
    return font


def mono_font(base: QFont, scale: float = 1.0, *, bold: bool = False, smallest: int = 0) -> QFont:
    """The system's fixed-width font at the size of `base` times `scale`, for numbers that line up."""
    return _fixed_width(scaled_font(base, scale, bold=bold, smallest=smallest))


def inherited_mono_font() -> QFont:
    """The fixed-width font with nothing else set: a widget given it keeps following its parent's size."""
    return _fixed_width(QFont())


def _fixed_width(font: QFont) -> QFont:
    font.setFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    return font
