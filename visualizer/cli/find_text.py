"""The events that `phasescope show TRACE --find QUERY` lists, as JSON rows and as aligned text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from visualizer.cli.errors import UserError
from visualizer.cli.show_text import aligned
from visualizer.diagnosis.wording import duration
from visualizer.language import tr, trn
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.events import Events
from visualizer.playback.query.search import find_steps
from visualizer.replay.history import History
from visualizer.replay.step_document import event_document


def found_events(history: History, query: str) -> list[dict[str, Any]]:
    """A row per event that the query means: its step, time and what happened. UserError points at what is wrong."""
    try:
        steps = find_steps(query, Events(history))
    except QueryError as error:
        raise UserError(
            f"--find: {error}\n  {error.pointed.splitlines()[0]}\n  {error.pointed.splitlines()[1]}"
        ) from None
    time = history.trace.events["time"]
    return [{"step": step, "time_ps": int(time[step]), **event_document(history, step)} for step in steps.tolist()]


def found_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line per event, and how many there are."""
    count = trn("{n} event", "{n} events", len(rows))
    found = tr("{count} found", count=count)
    if not rows:
        return found
    keys = ("agent", "kind", "barrier_title", "stage", "tile", "parity", "amount")
    last = rows[-1]["time_ps"]
    cells = [
        (row["step"], duration(row["time_ps"], last), *(row[key] for key in keys), _site(row["site"])) for row in rows
    ]
    titles = (tr("step"), tr("time"), *(key.removesuffix("_title") for key in keys), tr("site"))
    return f"{aligned([titles, *cells])}\n\n{found}"


def _site(site: Mapping[str, Any] | None) -> str | None:
    return None if site is None else f"{site['file']}:{site['line']} {site['op']}"
