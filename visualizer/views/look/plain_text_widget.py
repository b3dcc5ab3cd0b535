"""Text that people see and that a file may have brought: shown as the characters it is, never read as markup.

Qt takes what looks like HTML for HTML: in a label, in a tooltip. A name from a file could then load another file. So
labels are PlainLabel and tooltips go through `tip`; a test holds that no other way is left.
"""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLabel


class PlainLabel(QLabel):
    """A label whose text is plain text."""

    def __init__(self, *arguments, **properties) -> None:
        super().__init__(*arguments, textFormat=Qt.TextFormat.PlainText, **properties)


def tip(text: str) -> str:
    """`text` as a tooltip. A tooltip has no plain format: what Qt would read as markup is quoted."""
    return f"<span style='white-space: pre-wrap'>{escape(text)}</span>" if Qt.mightBeRichText(text) else text
