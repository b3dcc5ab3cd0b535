"""From a query's tree and a recording to the events it means: passes over columns, cheapest first.

Of `a and b` the costlier side is only asked about the events that the other left.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.playback.query.columns import Column, called
from visualizer.playback.query.error import QueryError, did_you_mean
from visualizer.playback.query.events import Events, Selection
from visualizer.playback.query.parse import Query
from visualizer.playback.query.syntax import (
    Both,
    CompareName,
    CompareNumber,
    Differs,
    Either,
    Flag,
    Missing,
    Name,
    Node,
    Not,
)
from visualizer.playback.query.wild import wild_matcher
from visualizer.recording.tables import without_cta
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

Mask = NDArray[np.bool_]

_COMPARE: dict[str, Callable[[Any, Any], Mask]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matching_mask(query: Query, events: Events) -> Mask:
    """Which events the query means, shape (events,). QueryError if it names something the recording lacks."""
    return _Evaluation(query.text, events).mask(query.root, None)


def matching_steps(query: Query, events: Events) -> Steps:
    """The steps of the events the query means, ascending."""
    return np.flatnonzero(matching_mask(query, events))


class _Evaluation:
    def __init__(self, text: str, events: Events) -> None:
        self._text = text
        self._events = events

    def mask(self, node: Node, steps: Selection) -> Mask:
        """Which of the selected events the node holds for."""
        match node:
            case Both(left, right):
                first, second = sorted((left, right), key=_cost)
                return self._narrowed(first, second, steps, wanted=True)
            case Either(left, right):
                first, second = sorted((left, right), key=_cost)
                return self._narrowed(first, second, steps, wanted=False)
            case Not(operand):
                return ~self.mask(operand, steps)
            case Flag(column):
                return np.asarray(column.read(self._events, steps), bool)
            case Missing(column):
                return np.asarray(column.read(self._events, steps) == column.missing)
            case Differs(equal):
                values = equal.column.read(self._events, steps)
                differs: Mask = ~self._compare(equal, values, steps) & (values != equal.column.missing)
                return differs
            case CompareName() | CompareNumber():
                return self._compare(node, node.column.read(self._events, steps), steps)

    def _narrowed(self, first: Node, second: Node, steps: Selection, *, wanted: bool) -> Mask:
        """`first`, and where it is `wanted` the answer of `second`, which is asked about those events alone."""
        mask = self.mask(first, steps)
        rows = np.flatnonzero(mask == wanted)
        if len(rows) > len(mask) // 2 and steps is None:
            # Picking out most of the events would cost more than it saves.
            other = self.mask(second, None)
            return mask & other if wanted else mask | other
        mask[rows] = self.mask(second, rows if steps is None else steps[rows])
        return mask

    def _compare(self, node: CompareName | CompareNumber, values: NDArray[Any], steps: Selection) -> Mask:
        """The comparison for values already read; a missing one compares to nothing."""
        column = node.column
        if isinstance(node, CompareName):
            return np.asarray(self._chosen(node)[values])
        compare = _COMPARE[node.comparison]
        if isinstance(node.value, Column):
            other = node.value.read(self._events, steps)
            return np.asarray(compare(values, other) & (values != column.missing) & (other != node.value.missing))
        mask = compare(values, np.int64(node.value))
        return np.asarray(mask & (values != column.missing) if compare(column.missing, node.value) else mask)

    def _chosen(self, node: CompareName) -> Mask:
        """By id, whether the comparison names it; the entry after the last, for -1, is "no"."""
        ids = called(node.column, self._events.history)
        chosen = np.zeros(len(ids) + 1, bool)
        for wanted in node.names:
            matches = _matcher(wanted.text, node.pattern)
            rows = [row for row, names in enumerate(ids) if any(map(matches, names))]
            if not rows:
                raise self._unknown(node.column, wanted, names_of(node.column, self._events.history))
            chosen[rows] = True
        return chosen

    def _unknown(self, column: Column, wanted: Name, names: list[str]) -> QueryError:
        message = tr("This recording has no {column} {name}.", column=column.name, name=wanted.text)
        known = tr("There are {names}.", names=", ".join(names[:8])) if names else tr("It has none at all.")
        return QueryError(
            f"{message} {did_you_mean(wanted.text, names, known)}", self._text, wanted.start, wanted.length
        )


def _matcher(wanted: str, pattern: bool) -> Callable[[str], bool]:
    """Whether a name, or the name without its CTA, is the wanted one; * and ? are wild in a pattern, [ ] are not."""
    if not pattern:
        folded = wanted.lower()
        return lambda name: folded in (name.lower(), without_cta(name).lower())
    matches = wild_matcher(wanted.lower())
    return lambda name: matches(name.lower()) or matches(without_cta(name).lower())


def names_of(column: Column, history: History) -> list[str]:
    """The names a column can be compared with in this recording, each once, in the recording's order: those that
    people say before those that it alone has."""
    ids = called(column, history)
    return list(dict.fromkeys([*(names[0] for names in ids if names), *(name for names in ids for name in names)]))


def _cost(node: Node) -> int:
    """How dear a node is to evaluate; equal ones stay in the order they were written."""
    match node:
        case Both(left, right):
            return min(_cost(left), _cost(right))
        case Either(left, right):
            return max(_cost(left), _cost(right))
        case Not(operand):
            return _cost(operand)
        case Differs(equal):
            return equal.column.cost
        case _:
            return node.column.cost
