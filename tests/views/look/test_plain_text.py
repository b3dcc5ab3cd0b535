"""Foreign text is shown as the characters it is: in labels, in tooltips, and by construction everywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import Qt, QTextDocument
from pytestqt.qtbot import QtBot

import visualizer
from visualizer.views.look.plain_text_widget import WIDEST_WORD, PlainLabel, tip

IMAGE = '<img src="/dev/zero">'


def test_a_label_shows_markup_as_characters(qtbot: QtBot) -> None:
    label = PlainLabel(IMAGE, wordWrap=True)
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.wordWrap()
    assert label.sizeHint().width() > 50  # an image that is not there would take none


def test_a_long_word_makes_no_window_as_wide(qtbot: QtBot) -> None:
    for text in ("a" * 40_000, "a" * 200 + " b"):
        label = PlainLabel(text, wordWrap=True)
        qtbot.addWidget(label)
        assert label.minimumSizeHint().width() == WIDEST_WORD


@given(st.one_of(st.text(max_size=40), st.sampled_from([IMAGE, "<b>bold</b>", "a < b", "&lt;", "<!-- -->x"])))
def test_a_tooltip_shows_what_it_was_given(text: str) -> None:
    shown = tip(text)
    if not Qt.mightBeRichText(shown):
        assert shown == text
        return
    document = QTextDocument()
    document.setHtml(shown)
    wanted = QTextDocument()
    wanted.setPlainText(text)
    assert document.toPlainText().split() == wanted.toPlainText().split()
    assert "\ufffc" not in document.toPlainText() or "\ufffc" in text, "an object stands in the tooltip"


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for path in Path(visualizer.__file__).parent.rglob("*.py"):
        yield path.name, ast.parse(path.read_text())


def test_no_other_label_is_made() -> None:
    made = [
        name
        for name, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QLabel"
    ]
    assert made == []


def _is_ours(node: ast.expr) -> bool:
    """A message of ours without fields, or text that went through `tip`; "" hides a tooltip."""
    if isinstance(node, ast.IfExp):
        return _is_ours(node.body) and _is_ours(node.orelse)
    if isinstance(node, ast.Constant):
        return node.value == ""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return False
    fixed = node.func.id == "tr" and not node.keywords and isinstance(node.args[0], ast.Constant)
    return node.func.id == "tip" or fixed


def _tooltips(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "toolTip")
        if not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "setToolTip":
            yield node.args[-1]
        data = node.func.attr == "setItemData" and "ToolTipRole" in ast.unparse(node.args[-1])
        if node.func.attr == "showText" or data:
            yield node.args[1]


def test_every_tooltip_is_ours_or_quoted() -> None:
    found = [(name, ast.unparse(text), _is_ours(text)) for name, tree in _trees() for text in _tooltips(tree)]
    assert len(found) > 20
    assert [(name, text) for name, text, ours in found if not ours] == []


@pytest.mark.parametrize("text", [IMAGE, "<table><tr><td>x"])
def test_markup_is_quoted(text: str) -> None:
    assert Qt.mightBeRichText(text)
    assert "<img" not in tip(text)
    assert "<table" not in tip(text)
