"""Light colouring of CUDA C++ for the code pane: keywords, numbers, strings, comments. No parser, a few patterns."""

from __future__ import annotations

import re

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
_IN_COMMENT = 1


class CudaHighlighter(QSyntaxHighlighter):
    """Colours a document in the theme's code colours."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}

    def set_theme(self, theme: Theme) -> None:
        self._formats = {name: QTextCharFormat() for name in ("comment", "string", "keyword", "number")}
        for name, text_format in self._formats.items():
            text_format.setForeground(colour(theme.colour(f"code_{name}")))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if not self._formats:
            return
        start = 0
        self.setCurrentBlockState(0)
        if self.previousBlockState() == _IN_COMMENT:
            end = text.find("*/")
            if end < 0:
                self.setFormat(0, len(text), self._formats["comment"])
                self.setCurrentBlockState(_IN_COMMENT)
                return
            start = end + 2
            self.setFormat(0, start, self._formats["comment"])
        for match in _TOKENS.finditer(text, start):
            name = match.lastgroup or "comment"
            self.setFormat(match.start(), match.end() - match.start(), self._formats[name])
            if name == "comment" and match.group().startswith("/*") and not match.group().endswith("*/"):
                self.setCurrentBlockState(_IN_COMMENT)
