"""The code pane colours the kernel as C++ and a user's program as Python."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from visualizer.views.code_highlight_widget import CodeHighlighter
from visualizer.views.theme import load_theme


def coloured(name: str, text: str) -> list[tuple[str, str]]:
    """The coloured pieces of a file's text, each with its kind."""
    theme = load_theme("light")
    kinds = {theme.colour(f"code_{kind}").lower(): kind for kind in ("comment", "string", "keyword", "number")}
    document = QTextDocument()
    highlighter = CodeHighlighter(document)
    highlighter.set_file(name)
    document.setPlainText(text)
    highlighter.set_theme(theme)
    pieces = []
    block = document.begin()
    while block.isValid():
        for piece in block.layout().formats():
            colour = piece.format.foreground().color().name().lower()
            pieces.append((block.text()[piece.start : piece.start + piece.length], kinds[colour]))
        block = block.next()
    return pieces


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("k.cu", "int x = 0x1F; // done", [("int", "keyword"), ("0x1F", "number"), ("// done", "comment")]),
        ("k.cu", "/* a\nif\n*/ if", [("/* a", "comment"), ("if", "comment"), ("*/", "comment"), ("if", "keyword")]),
        ("k.cu", "/**/ if", [("/**/", "comment"), ("if", "keyword")]),
        ("mine.py", "size // 2  # half", [("2", "number"), ("# half", "comment")]),
        ("mine.py", "for x in 'a#b':", [("for", "keyword"), ("in", "keyword"), ("'a#b'", "string")]),
        ("mine.py", '"""one"""\nif', [('"""one"""', "string"), ("if", "keyword")]),
        ("mine.py", '"""one\nif"""; if', [('"""one', "string"), ('if"""', "string"), ("if", "keyword")]),
    ],
)
def test_tokens_have_the_colours_of_their_language(
    qtbot: QtBot, name: str, text: str, pieces: list[tuple[str, str]]
) -> None:
    assert coloured(name, text) == pieces
