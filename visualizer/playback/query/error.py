"""What is wrong with a query, and exactly where."""

from __future__ import annotations

from collections.abc import Iterable

from visualizer.language import tr


class QueryError(ValueError):
    """A query that cannot be read or does not fit the recording. `str` is the sentence, `pointed` adds the caret."""

    def __init__(self, message: str, text: str, start: int, length: int = 1) -> None:
        super().__init__(message)
        self.text = text
        self.start = start
        self.length = max(length, 1)

    @property
    def pointed(self) -> str:
        """The query, carets under what is wrong, and the sentence; three lines for a fixed-width font."""
        return f"{self.text}\n{' ' * self.start}{'^' * self.length}\n{self}"


def did_you_mean(wrong: str, known: Iterable[str], otherwise: str) -> str:
    """A sentence that names what is most like `wrong`, or `otherwise` when nothing is."""
    from difflib import get_close_matches

    by_folded = {name.lower(): name for name in known}
    near = get_close_matches(wrong.lower(), by_folded, n=1, cutoff=0.6)
    return tr("Did you mean {name}?", name=by_folded[near[0]]) if near else otherwise
