"""Theme and UI scale of the whole application: one object applies them, remembers them and tells the panes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from visualizer.app.settings import SCALES, Settings
from visualizer.app.style import palette_of, style_sheet
from visualizer.views.theme import Theme, load_theme


class Appearance(QObject):
    """The current theme (dark or light) and scale (percent). Starts as the user left it, else as the system hints."""

    theme_changed = Signal(object)

    def __init__(self, application: QApplication, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._application = application
        # Without it a font set on a parent does not reach its children once there is a style sheet.
        application.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
        self._settings = settings
        # The application's own size, not what an earlier window made of it.
        self._base_points = float(application.property("basePointSize") or application.font().pointSizeF())
        application.setProperty("basePointSize", self._base_points)
        self.theme = load_theme(settings.theme or _system_theme(application))
        self.scale = settings.scale
        self._apply_scale()
        self._apply_theme()

    def set_theme(self, name: str) -> None:
        self.theme: Theme = load_theme(name)
        self._settings.theme = name
        self._apply_theme()
        self.theme_changed.emit(self.theme)

    def toggle_theme(self) -> None:
        self.set_theme("light" if self.theme.dark else "dark")

    def set_scale(self, percent: int) -> None:
        self.scale = percent
        self._settings.scale = percent
        self._apply_scale()
        # Style sheets resolve font-relative sizes when they are set.
        self._apply_theme()
        self.theme_changed.emit(self.theme)

    def larger(self) -> None:
        self.set_scale(min((scale for scale in SCALES if scale > self.scale), default=SCALES[-1]))

    def smaller(self) -> None:
        self.set_scale(max((scale for scale in SCALES if scale < self.scale), default=SCALES[0]))

    def _apply_scale(self) -> None:
        font = self._application.font()
        font.setPointSizeF(self._base_points * self.scale / 100)
        self._application.setFont(font)

    def _apply_theme(self) -> None:
        self._application.setPalette(palette_of(self.theme))
        self._application.setStyleSheet(style_sheet(self.theme))


def _system_theme(application: QApplication) -> str:
    """The system's hint; light if it gives none, which is the safer choice on a projector."""
    return "dark" if application.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"
