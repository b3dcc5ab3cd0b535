"""Qt's own words in Chinese: of its file dialog, the menus of text fields, the field for a key."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QObject, QTranslator

from visualizer.language import mark, tr

_OURS = {
    "&Look in:": mark("&Look in:"),
    "Files of &type:": mark("Files of &type:"),
    "Press shortcut": mark("Press shortcut"),
    "Scroll Left": mark("Scroll Left"),
    "Scroll Right": mark("Scroll Right"),
    "Closes the dock widget": mark("Closes the dock widget"),
    "Undocks and re-attaches the dock widget": mark("Undocks and re-attaches the dock widget"),
}
"""Those that Qt's translation lacks, or has otherwise than a person would say, and those that widgets keep: as messages
of ours they are said again when the language changes."""


class WordsOfQt(QTranslator):
    """To be installed while Chinese is spoken."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.load("qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        if source in _OURS:
            return tr(_OURS[source])
        return super().translate(context, source, disambiguation, n)
