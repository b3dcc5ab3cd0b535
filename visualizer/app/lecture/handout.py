"""A story on paper: a page for each step, with the stage's panes as a picture and what is said below it."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPageLayout, QPageSize, QPainter, QPdfWriter

from visualizer.app.lecture.still import Still
from visualizer.export.writing import Writing
from visualizer.language import current, tr
from visualizer.playback.stories.presentation import Beat
from visualizer.playback.stories.telling import Telling, Told
from visualizer.views.look.painting import painter_on

_DPI = 72  # a unit of the page is a point
_MARGIN = 34.0
_TITLE_POINTS, _TEXT_POINTS = 15, 12
_TEXT_SHARE = 0.24  # of the page's height: for the words below the picture
_WRAP = int(Qt.TextFlag.TextWordWrap)


def write_handout(telling: Telling, chapters: tuple[int, ...], still: Still, writing: Writing) -> None:
    """One landscape A4 page a step, answered."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    device = QPdfWriter(buffer)
    device.setResolution(_DPI)
    device.setPageLayout(
        QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Landscape, QMarginsF())
    )
    device.setTitle(telling.story.title.spoken(current()))
    device.setCreator("phasescope")
    page = QRectF(0, 0, device.width(), device.height()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    places = [place for place in telling.story.places() if place[0] in set(chapters)]
    with painter_on(device) as painter:
        for number, (chapter, step) in enumerate(places):
            writing.reached(number / len(places), tr("page {done} of {all}", done=number + 1, all=len(places)))
            if number:
                device.newPage()
            told = telling.told(chapter, step)
            still.show(told, Beat(chapter, step), len(telling.story.chapters))
            _paint_page(painter, page, told, chapter, step, still)
    buffer.close()
    writing.file.write(bytes(buffer.data()))


def _paint_page(painter: QPainter, page: QRectF, told: Told, chapter: int, step: int, still: Still) -> None:
    language = current()
    painter.setPen(QColor(Qt.GlobalColor.black))
    painter.setFont(_font(_TITLE_POINTS, bold=True))
    title = f"{chapter + 1}. {told.title(language)}"
    painter.drawText(page, int(Qt.AlignmentFlag.AlignLeft), title)
    painter.setFont(_font(_TEXT_POINTS))
    place = f"{step + 1}/{len(told.chapter.steps)}"
    painter.drawText(page, int(Qt.AlignmentFlag.AlignRight), place)
    body = still.stage.body
    top = page.top() + 2 * _TITLE_POINTS
    room = QRectF(page.left(), top, page.width(), page.height() * (1 - _TEXT_SHARE) - 2 * _TITLE_POINTS)
    scale = min(room.width() / body.width(), room.height() / body.height())
    painter.save()
    painter.translate(room.left() + (room.width() - scale * body.width()) / 2, top)
    painter.scale(scale, scale)
    painter.setClipRect(body.rect())
    still.paint_panes(painter)
    painter.restore()
    words = QRectF(page.left(), top + scale * body.height() + _TEXT_POINTS, page.width(), page.bottom())
    question = told.step.question
    if question is not None:
        painter.setFont(_font(_TEXT_POINTS, bold=True))
        asked = painter.drawText(words, _WRAP, "? " + told.text(question.ask, language))
        words.setTop(asked.bottom() + _TEXT_POINTS / 3)
    painter.setFont(_font(_TEXT_POINTS))
    said = told.caption(language)
    painter.drawText(words, _WRAP, f"{told.text(question.answer, language)} {said}" if question is not None else said)


def _font(points: int, *, bold: bool = False) -> QFont:
    font = QFont(QGuiApplication.font())
    font.setPixelSize(points)  # of the page, whose units are points
    font.setBold(bold)
    return font
