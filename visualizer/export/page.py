"""A page to step through in any browser: one file that needs no network and no phasescope.

The page's template, style and scripts lie in assets/html and are put into it whole, with the document of page_model.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from visualizer.export.page_model import page_document
from visualizer.export.selection import Selection
from visualizer.export.writing import Writing
from visualizer.language import tr
from visualizer.resources import resource_dir
from visualizer.views.look.theme import Paint, Theme, load_theme, theme_name

_SCRIPTS = ("states.js", "timeline.js", "tables.js", "page.js")
"""In the order in which they need each other."""


def write_page(selection: Selection, writing: Writing) -> None:
    """The selection as one HTML file."""
    writing.reached(0.0, tr("explaining every step"))
    document = page_document(selection)
    writing.reached(0.9, tr("writing the page"))
    writing.text(render_page(document, writing.look.theme))


def render_page(document: dict[str, Any], theme: str) -> str:
    """The page that shows `document`; `theme` is the one it opens in, the reader may switch."""
    return fill_template("page.html", ("page.css",), _SCRIPTS, document, document["title"], theme)


def fill_template(
    template: str, styles: Sequence[str], scripts: Sequence[str], document: dict[str, Any], title: str, theme: str
) -> str:
    """A page of assets/html with its styles, scripts and document in it, so that it needs nothing else.

    A high-contrast theme brings its counterpart: contrast stays as it was chosen.
    """
    folder = resource_dir("assets") / "html"
    opened = load_theme(theme)
    names = [theme_name(dark=dark, high_contrast=opened.high_contrast) for dark in (True, False)]
    themes = [_variables(load_theme(name)) for name in names]
    parts = {
        "language": html.escape(document["language"]),
        "theme": "dark" if opened.dark else "light",
        "title": html.escape(title),
        "style": "\n".join([*themes, *(_asset(folder, name) for name in styles)]),
        # In a script "</" could end it: JSON may spell "<" as an escape.
        "document": json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        "script": "\n".join(_asset(folder, name) for name in scripts),
    }
    page = _asset(folder, template)
    head, *rest = page.split("{{")
    pieces = [head]
    for piece in rest:
        name, _, text = piece.partition("}}")
        pieces += [parts[name], text]
    return "".join(pieces)


def _variables(theme: Theme) -> str:
    """The theme's colours as CSS variables: --text, --waiting-fill."""
    lines = []
    for field in fields(theme):
        value = getattr(theme, field.name)
        name = field.name.replace("_", "-")
        if isinstance(value, Paint):
            lines += [f"--{name}-{part}: {getattr(value, part)};" for part in ("fill", "outline", "text")]
        elif isinstance(value, str) and value.startswith("#"):
            lines.append(f"--{name}: {value};")
    return f':root[data-theme="{"dark" if theme.dark else "light"}"] {{ {" ".join(lines)} }}'


def _asset(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")
