"""The code pane colours the kernel as C++, a user's program as Python and PTX as PTX, on the lines that Qt makes."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from visualizer.views.code.code_highlight_widget import CodeHighlighter
from visualizer.views.look.theme import load_theme


def coloured(name: str, text: str) -> list[tuple[str, str]]:
    """The coloured pieces of a file's text, each with its kind."""
    theme = load_theme("light")
    kinds = {theme.colour(f"code_{kind}").lower(): kind for kind in ("comment", "string", "keyword", "number")}
    document = QTextDocument()
    highlighter = CodeHighlighter(document)
    highlighter.set_code(name, text)
    document.setPlainText(text)
    highlighter.set_theme(theme)
    QApplication.processEvents()
    pieces = []
    block = document.begin()
    while block.isValid():
        for piece in block.layout().formats():
            colour = piece.format.foreground().color().name().lower()
            # Qt counts UTF-16 units of two bytes.
            text = block.text().encode("utf-16-le")[2 * piece.start : 2 * (piece.start + piece.length)]
            pieces.append((text.decode("utf-16-le"), kinds[colour]))
        block = block.next()
    return pieces


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("k.cu", "int x = 0x1F; // done", [("int", "keyword"), ("0x1F", "number"), ("// done", "comment")]),
        ("k.cu", "/* a\nif\n*/ if", [("/* a", "comment"), ("if", "comment"), ("*/", "comment"), ("if", "keyword")]),
        ("k.cu", "/**/ if", [("/**/", "comment"), ("if", "keyword")]),
        ("k.cu", "/* 🚀 */\r\nint x;\rint y;", [("/* 🚀 */", "comment"), ("int", "keyword"), ("int", "keyword")]),
        ("k.ptx", "@%p1 bra DONE; // if", [("bra", "keyword"), ("// if", "comment")]),
        ("notes.txt", "if 1 // one", []),
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


def test_the_next_file_has_its_own_colours(qtbot: QtBot) -> None:
    view = QPlainTextEdit()  # a document that nobody shows tells of no change
    qtbot.addWidget(view)
    highlighter = CodeHighlighter(view.document())
    highlighter.set_theme(load_theme("light"))
    for name, text, lines in (("k.cu", "int x;\nfoo;", [0]), ("mine.py", "foo\nif x: y", [1]), ("a.txt", "if", [])):
        highlighter.set_code(name, text)
        view.setPlainText(text)
        QApplication.processEvents()
        blocks = [view.document().findBlockByNumber(line) for line in range(view.blockCount())]
        assert [line for line, block in enumerate(blocks) if block.layout().formats()] == lines


def test_the_plain_text_comes_first_and_the_colours_of_the_newest_file_then(qtbot: QtBot) -> None:
    view = QPlainTextEdit()
    qtbot.addWidget(view)
    highlighter = CodeHighlighter(view.document())
    highlighter.set_theme(load_theme("light"))
    for name, text in (("k.cu", "int x;"), ("mine.py", "foo\nif x: y")):
        highlighter.set_code(name, text)
        view.setPlainText(text)
    blocks = [view.document().findBlockByNumber(line) for line in range(2)]
    assert [len(block.layout().formats()) for block in blocks] == [0, 0]
    QApplication.processEvents()
    assert [len(block.layout().formats()) for block in blocks] == [0, 1]
