"""The window's language: chosen in the menu, remembered, and spoken by the open window at once.

What a widget was given once (titles, tool tips, headings) is said again by looking up which message it shows; what
panes work out from the recording they work out again. Works whichever text came from whom, so no widget has to care.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QRawFont
from PySide6.QtWidgets import QApplication, QComboBox, QTabWidget, QTreeWidget

from visualizer.app.settings.settings import Settings
from visualizer.app.settings.words_of_qt import WordsOfQt
from visualizer.app.work.message_bar import MessageBar
from visualizer.cli.remedies import INSTALL_CJK_FONT
from visualizer.language import current, messages_shown, shown_as, tr, use

CHINESE_FAMILIES = ("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "WenQuanYi Micro Hei")
"""Asked for after the interface's own font, so that Chinese characters look Chinese and not Japanese."""
NO_CHINESE_FONT = f"No font here has Chinese characters, so they show as boxes. On Debian or Ubuntu: {INSTALL_CJK_FONT}"
"""In English on purpose: without the font nothing else can be read."""

_PROPERTIES = (
    "text",
    "toolTip",
    "accessibleName",
    "accessibleDescription",
    "windowTitle",
    "placeholderText",
    "title",
    "specialValueText",
)

_MESSAGE = "message_of_"
"""Before a property's name: the dynamic property that keeps which message it shows."""


class Languages(QObject):
    """The language of one window and of the dialogs and stages it opened.

    `changed` follows when their fixed texts are said again: what is worked out from the recording is not yet.
    """

    changed = Signal()

    def __init__(self, settings: Settings, messages: MessageBar, parent: QObject) -> None:
        super().__init__(parent)
        self._settings, self._messages = settings, messages
        self._shown = current()
        # Of the application's own font, not of what an earlier window made of it.
        self._words_of_qt = WordsOfQt(self)
        self._base = [family for family in QGuiApplication.font().families() if family not in CHINESE_FAMILIES]
        self._use_font()
        self._use_words_of_qt()

    @property
    def is_chinese(self) -> bool:
        return current() == "zh"

    def toggle(self) -> None:
        """Speak the other language from now on, and next time too."""
        use("en" if self.is_chinese else "zh")
        self._settings.language = current()
        self.follow()

    def follow(self) -> None:
        """Say everything again if the language is another now, whoever changed it."""
        if self._shown == current():
            return
        before, self._shown = self._shown, current()
        self._use_font()
        self._use_words_of_qt()
        for top in QApplication.topLevelWidgets():
            say_again(top, before)
        self.changed.emit()
        self.tell_missing_font()

    def tell_missing_font(self) -> None:
        if self.is_chinese and not has_chinese_font():
            self._messages.show_note(NO_CHINESE_FONT)

    def _use_font(self) -> None:
        font = QApplication.font()
        font.setFamilies([*self._base, *(CHINESE_FAMILIES if self.is_chinese else ())])
        QApplication.setFont(font)

    def _use_words_of_qt(self) -> None:
        QCoreApplication.removeTranslator(self._words_of_qt)
        if self.is_chinese:
            QCoreApplication.installTranslator(self._words_of_qt)


def has_chinese_font() -> bool:
    families = QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese)
    return any(QRawFont.fromFont(QFont(family)).supportsCharacter(ord("中")) for family in families[:3])


def say_again(root: QObject, before: str) -> None:
    """Every text of `root` and what is in it that is a message in the language `before`, in the current one."""
    message_of = messages_shown(before)

    def again(one: QObject, name: str, text: object, show: Callable[[str], object]) -> None:
        """Show `text` anew with `show`, if it is a message; `name` tells it from the other texts of `one`."""
        # Two messages may be one in Chinese: what it was before, it is again.
        message = one.property(_MESSAGE + name)
        if message is None or shown_as(message, before) != text:
            message = message_of.get(text) if isinstance(text, str) else None
        if message is not None:
            one.setProperty(_MESSAGE + name, message)
            show(tr(message))

    for one in [root, *root.findChildren(QObject)]:
        for name in _PROPERTIES:
            again(one, name, one.property(name), partial(one.setProperty, name))
        if isinstance(one, QComboBox):
            for index in range(one.count()):
                again(one, f"item{index}", one.itemText(index), partial(one.setItemText, index))
        elif isinstance(one, QTabWidget):
            for index in range(one.count()):
                again(one, f"tab{index}", one.tabText(index), partial(one.setTabText, index))
        elif isinstance(one, QTreeWidget):
            for column in range(one.columnCount()):
                text = one.headerItem().data(column, Qt.ItemDataRole.DisplayRole)
                again(one, f"header{column}", text, partial(one.headerItem().setText, column))
