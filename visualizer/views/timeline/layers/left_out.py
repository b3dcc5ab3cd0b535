"""What of the run the recording leaves out, drawn where it would be: hatched before the first tile and after the last,
and counted under the last lane."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from visualizer.diagnosis.trust.trust import left_out_sentences
from visualizer.language import tr
from visualizer.recording.facts import Window
from visualizer.views.look.painting import brush, colour, hatch_brush, pen
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.painting.paint import Fonts, paint_text

FOOTER = 1.8
"""Height of the line under the lanes, in line heights."""
_LEAST = 6.0  # pixels of hatch worth drawing


def before_text(window: Window) -> str:
    """ "tiles 0–999 not recorded"; "" if the recording starts with the run."""
    before = window.get("tiles_before", 0)
    return _tiles(0, before - 1) if before else ""


def after_text(window: Window) -> str:
    """The same for the tiles after the recording's last."""
    after, tiles = window.get("tiles_after", 0), window.get("tiles", 0)
    return _tiles(tiles - after, tiles - 1) if after else ""


def footer_text(window: Window) -> str:
    """The CTAs and roles that have no lanes, or empty ones; "" if none was left out."""
    return " ".join(left_out_sentences({**window, "tiles_before": 0, "tiles_after": 0}))


def _tiles(first: int, last: int) -> str:
    if first == last:
        return tr("tile {tile} not recorded", tile=f"{first:,}")
    return tr("tiles {first}–{last} not recorded", first=f"{first:,}", last=f"{last:,}")


def paint_left_out(
    painter: QPainter, lanes: QRectF, begin: float, end: float, window: Window, theme: Theme, fonts: Fonts
) -> None:
    """Hatch what of `lanes` lies before x `begin` and after `end` (pixels into the lanes), if tiles are missing there.

    The words run upwards, because the room beside a recording is a few letters wide.
    """
    for text, left, right in (
        (before_text(window), lanes.left() + 1, lanes.left() + begin),
        (after_text(window), lanes.left() + end + 1, lanes.right()),
    ):
        left, right = max(left, lanes.left() + 1), min(right, lanes.right())
        if not text or right - left < _LEAST:
            continue
        region = QRectF(round(left), lanes.top() + 1, round(right) - round(left), lanes.height())
        painter.fillRect(region, brush(theme.panel_alternate))
        painter.fillRect(region, hatch_brush(theme.text_disabled))
        if region.width() >= fonts.em:
            _paint_upwards(painter, region, text, theme, fonts)


def _paint_upwards(painter: QPainter, region: QRectF, text: str, theme: Theme, fonts: Fonts) -> None:
    """One line from the region's bottom upwards on a patch of its own, in the region's middle."""
    width = fonts.plain_width(text)
    if width + 8 > region.height():
        return
    painter.save()
    painter.translate(QPointF(round(region.center().x() - fonts.em / 2), round(region.center().y() + width / 2)))
    painter.rotate(-90)
    painter.fillRect(QRectF(-4, 0, width + 8, fonts.em), brush(theme.panel_alternate))
    painter.setFont(fonts.plain)
    painter.setPen(pen(theme.text))
    paint_text(painter, fonts, text, 0, 0, fonts.em)
    painter.restore()


def paint_footer(
    painter: QPainter, lanes: QRectF, left: float, bottom: float, window: Window, theme: Theme, fonts: Fonts
) -> None:
    """The line under the last lane, whose lower edge is at y `bottom`; beside the hatch that ends at x `left`."""
    text = footer_text(window)
    if not text or bottom > lanes.bottom():
        return
    painter.setFont(fonts.plain)
    painter.setPen(colour(theme.text_muted))
    paint_text(painter, fonts, text, lanes.left() + max(left, 0.0) + 8, bottom + fonts.em * 0.3, fonts.em)
