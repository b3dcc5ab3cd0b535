"""The event table's filter line: free text and `key:value` terms, evaluated over the event columns; or a query.

It lives apart from the table because it is pure: text and a history in, the steps that match out, with no row
ever built. Every term narrows the result. Names match whole dotted parts first ("w1" is not "w10"), then as substrings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.playback.query.columns import COLUMN_OF, called
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

NAME_KEYS = ("agent", "kind", "barrier", "site")
NUMBER_KEYS = ("step", "cta", "stage", "tile", "parity", "amount")
FILTER_KEYS = NAME_KEYS + NUMBER_KEYS

_TERM = re.compile(r"\w+:")
_NUMBER = re.compile(r"(-?\d{1,18})(?:\.\.(-?\d{1,18}))?")


class FilterError(ValueError):
    """A filter line that cannot be read; the message names the term and what is expected."""


def has_terms(text: str) -> bool:
    """Whether there is a `key:value` in it: then it is a filter and no query."""
    return any(_TERM.match(word) for word in text.split())


def filtered_steps(history: History, text: str) -> NDArray[np.int64] | None:
    """Steps whose events match every term of `text`, ascending; None when the text is blank and all match."""
    terms = text.split()
    if not terms:
        return None
    mask = np.ones(history.steps, dtype=bool)
    for term in terms:
        mask &= _term_mask(history, term)
    return np.flatnonzero(mask)


def _term_mask(history: History, term: str) -> NDArray[np.bool_]:
    key, colon, value = term.partition(":")
    if not colon:
        return _free_text_mask(history, term)
    if key.lower() not in FILTER_KEYS:
        raise FilterError(
            tr("unknown key {key!r}: use {names}, or text without a colon", key=key, names=", ".join(FILTER_KEYS))
        )
    if not value:
        raise FilterError(tr("{key}: needs a value, for example {examples}", key=key, examples=_EXAMPLES[key.lower()]))
    key = key.lower()
    if key in NUMBER_KEYS:
        return _number_mask(history.trace, key, value)
    ids = _matching_ids(_names(history, key), value)
    if not ids.any():
        raise FilterError(
            tr("no {key} is called {value!r}; try {examples}", key=key, value=value, examples=_EXAMPLES[key])
        )
    return _lookup(history.trace.events[key], ids)


_EXAMPLES = {
    "agent": "agent:producer",
    "kind": "kind:phase_complete",
    "barrier": "barrier:full[0]",
    "site": "site:producer_acquire",
    "step": "step:100..200",
    "cta": "cta:0",
    "stage": "stage:1",
    "tile": "tile:5",
    "parity": "parity:0",
    "amount": "amount:96",
}


def _free_text_mask(history: History, text: str) -> NDArray[np.bool_]:
    """Events whose agent, kind or barrier matches the text."""
    mask = np.zeros(history.steps, dtype=bool)
    for column in ("agent", "kind", "barrier"):
        ids = _matching_ids(_names(history, column), text)
        if ids.any():
            mask |= _lookup(history.trace.events[column], ids)
    return mask


def _number_mask(trace: Trace, key: str, value: str) -> NDArray[np.bool_]:
    match = _NUMBER.fullmatch(value)
    if match is None:
        raise FilterError(
            tr(
                "{key}:{value} is not a number or a range: write {examples} or {key}:2..6",
                key=key,
                value=value,
                examples=_EXAMPLES[key],
            )
        )
    low = int(match[1])
    high = int(match[2]) if match[2] is not None else low
    if key == "step":
        values: NDArray[np.int64] = np.arange(len(trace), dtype=np.int64)
        return (values >= low) & (values <= high)
    if key == "cta":
        ids = np.array([low <= agent.cta <= high for agent in trace.agents], dtype=bool)
        return _lookup(trace.events["agent"], ids)
    column = trace.events[key]
    return np.asarray((column >= low) & (column <= high))


def _names(history: History, column: str) -> list[tuple[str, ...]]:
    """What every id the column can hold may be called, in id order: by people and by the recording, or its one name."""
    if column == "site":
        return [(f"{site.op} {site.file}:{site.line}",) for site in history.trace.sites]
    return called(COLUMN_OF[column], history)


def _matching_ids(ids: Sequence[tuple[str, ...]], text: str) -> NDArray[np.bool_]:
    """Which ids match: those with the text as whole dotted parts if there are any, else those that contain it."""
    folded = [[name.lower() for name in names] for names in ids]
    part = f".{text.lower()}."
    whole = np.array([any(part in f".{name}." for name in names) for names in folded], dtype=bool)
    if whole.any():
        return whole
    return np.array([any(text.lower() in name for name in names) for names in folded], dtype=bool)


def _lookup(column: NDArray[np.integer], ids: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`ids[column]` with -1 ("none") matching nothing."""
    table = np.append(ids, False)
    return np.asarray(table[column])
