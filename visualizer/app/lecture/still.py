"""Pictures of a story's beats as the room would see them, from a stage that is never on a screen."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from visualizer.app.lecture.stage import StageWindow
from visualizer.app.settings.style import palette_of, style_sheet
from visualizer.playback.focus import Focus
from visualizer.playback.stories.presentation import Beat
from visualizer.playback.stories.telling import Told
from visualizer.views.look.theme import Theme


class Still:
    """A stage of `size` (width, height) pixels, in a theme of its own. Call `close` when done."""

    def __init__(self, theme: Theme, size: tuple[int, int]) -> None:
        # Else a font set on the stage would not reach what has a style sheet of its own.
        QApplication.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
        self.stage = stage = StageWindow(theme)
        stage.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        stage.setPalette(palette_of(theme))
        stage.setStyleSheet(style_sheet(theme, 1.0))
        stage.setFixedSize(*size)  # panes would ask for more: every picture of a film is as large
        stage.show()

    def show(self, told: Told, beat: Beat, chapters: int, focus: Focus | None = None) -> None:
        """Put a beat on the stage; `focus`: an event of its passage. In the current language."""
        self.stage.show_beat(told, beat, chapters)
        if focus is not None:
            self.stage.show_focus(focus)
        for _ in range(2):  # widgets that were just shown lay themselves out when they hear of it
            QApplication.sendPostedEvents()
        if "timeline" in self.stage.shown:
            self.stage.pane("timeline").rest_now()

    def image(self) -> QImage:
        """The whole stage."""
        image = QImage(self.stage.size(), QImage.Format.Format_RGB32)
        self.stage.render(image)
        return image

    def paint_panes(self, painter: QPainter) -> None:
        """The panes alone, without headline and caption, from (0, 0) of the painter."""
        self.stage.body.render(painter, QPoint())

    def close(self) -> None:
        self.stage.close()
        self.stage.deleteLater()
