"""Find: a query if the text reads like one, else words that must all occur in an event's names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.playback.query.columns import COLUMN_OF, called
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.evaluate import matching_steps
from visualizer.playback.query.events import Events
from visualizer.playback.query.parse import parse
from visualizer.playback.query.tokens import tokenize
from visualizer.replay.step_index import Steps

_SEARCHED = ("agent", "kind", "barrier", "op")


def find_steps(text: str, events: Events) -> Steps:
    """The steps of the events that `text` means, ascending; none for blank text. Raises QueryError."""
    if not text.strip():
        return np.empty(0, np.int64)
    if reads_like_a_query(text):
        return matching_steps(parse(text), events)
    mask = np.ones(len(events), bool)
    for word in text.lower().split():
        mask &= _containing(word, events)
    return np.flatnonzero(mask)


def reads_like_a_query(text: str) -> bool:
    """Whether there is a sign in it, or it begins with a column, `not` or a parenthesis."""
    try:
        tokens = tokenize(text)
    except QueryError:
        return True
    first = tokens[0]
    return first.value.lower() in COLUMN_OF or first.is_word("not") or any(token.kind == "sign" for token in tokens)


def _containing(word: str, events: Events) -> NDArray[np.bool_]:
    found = np.zeros(len(events), bool)
    for key in _SEARCHED:
        column = COLUMN_OF[key]
        ids = called(column, events.history)
        chosen = np.array([*(any(word in name.lower() for name in names) for names in ids), False])
        if chosen.any():
            found |= chosen[column.read(events, None)]
    return found
