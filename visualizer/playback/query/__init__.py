"""The query language: which events a breakpoint stops at, what find finds. docs/queries.md is its reference.

A text is parsed into a small tree and evaluated with numpy over the columns of the events: nothing is ever executed.
"""

from visualizer.playback.query.complete import Completion, complete
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.evaluate import matching_mask, matching_steps
from visualizer.playback.query.events import Events
from visualizer.playback.query.parse import Query, parse
from visualizer.playback.query.search import find_steps, reads_like_a_query

__all__ = [
    "Completion",
    "Events",
    "Query",
    "QueryError",
    "complete",
    "find_steps",
    "matching_mask",
    "matching_steps",
    "parse",
    "reads_like_a_query",
]
