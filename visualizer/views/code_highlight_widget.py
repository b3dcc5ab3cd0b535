"""Light colouring of CUDA C++, and of the Python of users' programs, for the code pane. No parser, a few patterns."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from visualizer.views.painting import colour
from visualizer.views.theme import Theme

KEYWORDS = (
    r"alignas|asm|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|"
    r"explicit|extern|false|float|for|if|inline|int|long|namespace|new|nullptr|operator|private|public|"
    r"return|short|signed|sizeof|static|struct|switch|template|this|true|typedef|typename|union|unsigned|"
    r"using|void|volatile|while|uint8_t|uint16_t|uint32_t|uint64_t|int32_t|int64_t|half|__half|__device__|"
    r"__global__|__shared__|__host__|__forceinline__|__grid_constant__|__launch_bounds__|__restrict__|"
    r"__syncthreads|__syncwarp|threadIdx|blockIdx|blockDim|gridDim"
)

_TOKENS = re.compile(
    r"(?P<comment>//.*|/\*.*?(?:\*/|$))"
    r"|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    rf"|(?P<keyword>^\s*#\s*\w+|\b(?:{KEYWORDS})\b)"
    r"|(?P<number>\b(?:0[xX][0-9a-fA-F']+|\d[\d.']*)[uUlLfF]*\b)"
)
_PYTHON_TOKENS = re.compile(
    r"(?P<comment>#.*)"
    r"|(?P<string>\"\"\".*?(?:\"\"\"|$)|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    rf"|(?P<keyword>\b(?:{'|'.join(keyword.kwlist)})\b)"
    r"|(?P<number>\b(?:0[xX][0-9a-fA-F_]+|\d[\d_.]*)\b)"
)


@dataclass(frozen=True, slots=True)
class _Language:
    """How to find tokens, and the pair of marks between which a token goes on over line ends."""

    tokens: re.Pattern[str]
    spanning: str  # the kind of token that does
    opening: str
    closing: str


_CUDA = _Language(_TOKENS, "comment", "/*", "*/")
_PYTHON = _Language(_PYTHON_TOKENS, "string", '"""', '"""')
_INSIDE = 1


class CodeHighlighter(QSyntaxHighlighter):
    """Colours a document in the theme's code colours."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._language = _CUDA
        self._formats: dict[str, QTextCharFormat] = {}

    def set_theme(self, theme: Theme) -> None:
        self._formats = {name: QTextCharFormat() for name in ("comment", "string", "keyword", "number")}
        for name, text_format in self._formats.items():
            text_format.setForeground(colour(theme.colour(f"code_{name}")))
        self.rehighlight()

    def set_file(self, name: str) -> None:
        """What the document's language is, by the file's name; for the text that is set next."""
        self._language = _PYTHON if name.endswith(".py") else _CUDA

    def highlightBlock(self, text: str) -> None:
        if not self._formats:
            return
        language = self._language
        start = 0
        self.setCurrentBlockState(0)
        if self.previousBlockState() == _INSIDE:
            end = text.find(language.closing)
            if end < 0:
                self.setFormat(0, len(text), self._formats[language.spanning])
                self.setCurrentBlockState(_INSIDE)
                return
            start = end + len(language.closing)
            self.setFormat(0, start, self._formats[language.spanning])
        for match in language.tokens.finditer(text, start):
            name, token = match.lastgroup or "comment", match.group()
            self.setFormat(match.start(), len(token), self._formats[name])
            opened = token.startswith(language.opening)
            if opened and not token[len(language.opening) :].endswith(language.closing):
                self.setCurrentBlockState(_INSIDE)
