"""The messages of the source and the catalogue of their translations: `python -m visualizer.language.messages`.

Babel finds every tr, trn and mark in visualizer/. Run it after messages changed: new ones come into assets/locale/zh.po
untranslated, what is no longer said goes, and it tells what is left to translate.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

import visualizer
from visualizer.language.catalog import translations
from visualizer.resources import resource_dir

KEYWORDS = {"tr": None, "trn": (1, 2), "mark": None}


def source_messages() -> Catalog:
    """Every message in the source, with the files that say it."""
    root = Path(visualizer.__file__).parent
    catalog = Catalog()
    for file, _, message, comments, context in extract_from_dir(root, [("**.py", "python")], keywords=KEYWORDS):
        catalog.add(message, locations=[(f"visualizer/{file}", 0)], auto_comments=comments, context=context)
    return catalog


def update(language: str = "zh") -> list[str]:
    """Bring the catalogue in step with the source; the messages that have no translation yet."""
    catalog = translations(language)
    # A guess from a similar message would be shown to users as if somebody had written it.
    catalog.update(source_messages(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    text = io.BytesIO()
    write_po(text, catalog, width=120, sort_output=True, no_location=True)
    _path(language).write_bytes(text.getvalue())
    return [str(message.id) for message in catalog if message.id and not is_translated(message)]


def is_translated(message: Message) -> bool:
    """Whether the message, and every plural form of it, has a text."""
    text = message.string
    return all(text) if isinstance(text, tuple | list) else bool(text)


def _path(language: str) -> Path:
    path = resource_dir("assets") / "locale" / f"{language}.po"
    assert isinstance(path, Path)
    return path


if __name__ == "__main__":
    left = update()
    print(*left, f"{len(left)} messages to translate", sep="\n")
    sys.exit(bool(left))
