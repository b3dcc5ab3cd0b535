"""Colours the code pane's document: `code_tokens` says what, the theme how."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from visualizer.views.code.code_tokens import CODE_KINDS, CodeKind, CodeToken, code_tokens
from visualizer.views.look.painting import colour
from visualizer.views.look.theme import Theme


class CodeHighlighter(QSyntaxHighlighter):
    """Colours a document in the theme's code colours. The first time it does so once the plain text is painted: a
    start need not wait for Pygments."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._tokens: dict[int, list[CodeToken]] = {}
        self._formats: dict[CodeKind, QTextCharFormat] = {}
        self._code = ("", "")
        self._begun = False

    def set_theme(self, theme: Theme) -> None:
        self._formats = {kind: QTextCharFormat() for kind in CODE_KINDS}
        for kind, text_format in self._formats.items():
            text_format.setForeground(colour(theme.colour(f"code_{kind}")))
        self.rehighlight()

    def set_code(self, name: str, text: str) -> None:
        """The file whose text the document is given next: Qt asks for its lines while it takes them."""
        self._code, self._tokens = (name, text), {}
        if self._begun:
            self._find_tokens()
        elif text:
            QTimer.singleShot(0, self, self._begin)

    def _begin(self) -> None:
        self._begun = True
        self._find_tokens()
        self.rehighlight()

    def _find_tokens(self) -> None:
        self._tokens = {}
        for token in code_tokens(*self._code):
            self._tokens.setdefault(token.line, []).append(token)

    def highlightBlock(self, text: str) -> None:
        if not self._formats:
            return
        for token in self._tokens.get(self.currentBlock().blockNumber(), ()):
            self.setFormat(token.start, token.length, self._formats[token.kind])
