"""Theme, UI scale and motion of the whole application: one object applies, remembers and tells them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QStyleHints
from PySide6.QtWidgets import QApplication

from visualizer.app.settings.settings import SCALES, Settings
from visualizer.app.settings.style import palette_of, style_sheet
from visualizer.views.look.theme import Theme, load_theme, theme_name


class Appearance(QObject):
    """The current theme, scale (percent) and reduced motion. Starts as the user left it, else as the system hints.

    Its style sheet comes with `dress`, once the window has its parts: Qt would style every part again with each parent
    that it is put into."""

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
        # The system's own too: what is switched off for one window must not stay off for the next.
        hints = application.styleHints()
        self._caret_ms = int(application.property("caretFlashTime") or hints.cursorFlashTime())
        application.setProperty("caretFlashTime", self._caret_ms)
        self.theme = load_theme(settings.theme or system_theme(hints))
        self.scale = settings.scale
        self.reduced_motion = settings.reduced_motion
        self._apply_font_and_palette()
        self._apply_motion()

    def dress(self) -> None:
        """Put the style sheet on."""
        self._application.setStyleSheet(style_sheet(self.theme, self.scale / 100))

    def set_theme(self, name: str) -> None:
        self.theme: Theme = load_theme(name)
        self._settings.theme = name
        self._apply()
        self.theme_changed.emit(self.theme)

    def toggle_theme(self) -> None:
        self.set_theme(theme_name(dark=not self.theme.dark, high_contrast=self.theme.high_contrast))

    def toggle_contrast(self) -> None:
        self.set_theme(theme_name(dark=self.theme.dark, high_contrast=not self.theme.high_contrast))

    def toggle_motion(self) -> None:
        """Let nothing move by itself, or let it again: lectures play only when asked to, carets do not blink."""
        self.reduced_motion = not self.reduced_motion
        self._settings.reduced_motion = self.reduced_motion
        self._apply_motion()

    def set_scale(self, percent: int) -> None:
        self.scale = percent
        self._settings.scale = percent
        self._apply()
        self.theme_changed.emit(self.theme)

    def larger(self) -> None:
        self.set_scale(min((scale for scale in SCALES if scale > self.scale), default=SCALES[-1]))

    def smaller(self) -> None:
        self.set_scale(max((scale for scale in SCALES if scale < self.scale), default=SCALES[0]))

    def _apply(self) -> None:
        self._apply_font_and_palette()
        self.dress()

    def _apply_font_and_palette(self) -> None:
        # Where a style sheet replaces another, Qt styles a widget once for each that it stands in; after none, once.
        self._application.setStyleSheet("")
        font = self._application.font()
        font.setPointSizeF(self._base_points * self.scale / 100)
        self._application.setFont(font)
        self._application.setPalette(palette_of(self.theme))

    def _apply_motion(self) -> None:
        self._application.styleHints().setCursorFlashTime(0 if self.reduced_motion else self._caret_ms)


def system_theme(hints: QStyleHints) -> str:
    """What the system hints at; without a hint the light theme, which is the safer choice on a projector."""
    contrast = hints.accessibility().contrastPreference()
    return theme_name(
        dark=hints.colorScheme() == Qt.ColorScheme.Dark,
        high_contrast=contrast == Qt.ContrastPreference.HighContrast,
    )
