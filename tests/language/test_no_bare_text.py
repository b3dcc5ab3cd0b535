"""No text that a person sees stands bare in the source: what widgets, errors and the terminal show is a message.

A guess by form: a constant with letters, given to a call that shows it. What follows is not for translation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import visualizer

_SHOWN_BY = {
    "setText", "setToolTip", "setWindowTitle", "setAccessibleName", "setAccessibleDescription", "setPlaceholderText",
    "setTitle", "setStatusTip", "setHeaderLabels", "addRow", "addItem", "addTab", "addMenu", "addButton",
    "showMessage", "show_note", "show_error", "drawText", "QLabel", "QPushButton", "QCheckBox", "QAction", "QMenu",
    "QDockWidget", "QToolButton", "QMessageBox", "CellTable", "Column", "print", "UserError", "ProgramError",
    "SourceError", "TraceError", "StoryError", "ExportError", "PredictError", "QueryError", "FilterError",
    "add_argument_group",
}  # fmt: skip
_SHOWN_AS = {
    "toolTip", "accessibleName", "accessibleDescription", "placeholderText", "windowTitle", "text", "title", "help",
    "description",
}  # fmt: skip
_ROOMS = (
    "app",
    "views",
    "cli",
    "diagnosis",
    "playback",
    "export",
    "programs",
    "recording",
    "reconstruction",
    "sources",
)
_NOT_SHOWN = {"playback/query/columns.py"}
"""The query language: its words are the same in every language."""

_TECHNICAL = {
    "barrier", "stage", "tile", "phase", "parity", "pending", "tx", "pipe_write", "pipe_read", "agent", "phasescope",
    "lesson", "Stages", "full", "empty", "worker", "simulator", "gpu", "program",
}  # fmt: skip
"""CUTLASS's and PTX's words, names of things, and the words that options and JSON use."""
_NAMES = re.compile(
    r"^(#|[a-z_]+(\.[a-z_{}]+)+$|[\w.]+\[|phasescope( |: )|CTA|--?[a-z]|PySide6|<|\w+://|[\w/]+\.(py|md|json)|sudo|pip)"
)
"""Ids, lanes, options, addresses, markup and shell lines."""


def test_every_shown_constant_is_a_message() -> None:
    assert sorted(set(_bare())) == []


def test_no_message_stands_inside_an_f_string() -> None:
    """Babel finds none there, on Python 3.11."""
    found = [
        f"{path.name}:{call.lineno}"
        for path in Path(visualizer.__file__).parent.rglob("*.py")
        for string in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in ("tr", "trn", "mark")
        and isinstance(call.args[0], ast.Constant)
    ]
    assert found == []


def _bare() -> Iterator[str]:
    root = Path(visualizer.__file__).parent
    for room in _ROOMS:
        for path in (root / room).rglob("*.py"):
            if str(path.relative_to(root)) in _NOT_SHOWN:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
                for shown in _shown(call):
                    text = _text(shown)
                    if _is_for_people(text):
                        yield f"{path.relative_to(root)}:{shown.lineno}: {text!r}"


def _shown(call: ast.Call) -> Iterator[ast.expr]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    yield from (keyword.value for keyword in call.keywords if keyword.arg in _SHOWN_AS)
    if name in _SHOWN_BY:
        # A table column's first and last are its key and a sample of its width; a box's item ends with its data.
        yield from call.args[1:-1] if name == "Column" else call.args[:1] if name == "addItem" else call.args


def _text(shown: ast.expr) -> str:
    """What stands in a constant or between the fields of an f-string; nothing for anything else, tr() among it."""
    if isinstance(shown, ast.Constant):
        return shown.value if isinstance(shown.value, str) else ""
    if isinstance(shown, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in shown.values)
    return ""


def _is_for_people(text: str) -> bool:
    words = re.findall(r"[A-Za-z]{2,}", text)
    return bool(words) and not _NAMES.match(text) and not set(words) <= _TECHNICAL
