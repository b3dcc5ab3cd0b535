"""The documents of `phasescope show` as aligned text: the same facts as its JSON, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import east_asian_width

from visualizer.diagnosis.arrived import arrived_of, cursor_text, landed_at, number_of, parity_of
from visualizer.diagnosis.wording import commas, duration, ending_word, sentences, state_word
from visualizer.language import recorded, tr, trn
from visualizer.replay.history import History

Document = Mapping[str, Any]

_EVENT_FACTS = ("barrier", "stage", "ring", "tile", "parity")


def summary_text(document: Document) -> str:
    """A line per fact: what was recorded, how it ended, how far it can be trusted."""
    lost = trn("{n} event lost", "{n} events lost", document["records_lost"] + document["events_dropped"])
    if document["events_dropped"]:
        lost = tr(
            "{lost}, {n} of them left out with those that did not fit in the log",
            n=document["events_dropped"],
            lost=lost,
        )
    size = [
        trn("{n} CTA", "{n} CTAs", document["ctas"]),
        trn("{n} agent", "{n} agents", document["agents"]),
        trn("{n} barrier", "{n} barriers", document["barriers"]),
    ]
    ended = ending_word(document["ended"])
    events = tr("{steps} in {duration}", steps=document["steps"], duration=duration(document["duration_ps"]))
    return aligned(
        [
            (tr("program"), document["program"]),
            (tr("config"), _facts(document["config"])),
            (tr("source"), _facts(document["source"])),
            (tr("probe"), _facts(document["source"].get("probe", {})) or tr("none")),
            (tr("ended"), f"{ended}: {recorded(document['detail'])}" if document["detail"] else ended),
            (tr("check"), _facts(document["check"]) or tr("none")),
            (tr("events"), events),
            (tr("size"), commas(size)),
            (tr("lost"), lost),
            (tr("left out"), sentences(*document["left_out"]) or tr("nothing")),
            (tr("trust"), document["trust"]),
            (tr("cost"), _facts(document["cost"]) or tr("not measured")),
            (tr("clock"), _facts(document["clock"]) or _clock_word(document["source"])),
            (tr("reconciled"), _facts(document["reconcile"]) or tr("no event was moved")),
            (tr("command"), document["command"] or tr("unknown")),
            (tr("created"), document["created"] or tr("unknown")),
        ]
    )


def step_text(document: Document, history: History) -> str:
    """The event, the explanation, then a table each of barriers, agents and stages."""
    event = document["event"]
    site = event["site"]
    head = tr(
        "step {step} of 0..{last} at {time}",
        step=document["step"],
        last=document["steps"] - 1,
        time=duration(document["time_ps"]),
    )
    head += f", {site['file']}:{site['line']} {site['op']}" if site else ""
    titles = {name: barrier.get("title", name) for name, barrier in document["barriers"].items()}
    told = {**event, "barrier": event["barrier_title"]}
    facts = ", ".join(f"{name} {told[name]}" for name in _EVENT_FACTS if told.get(name) is not None)
    facts += f", amount {event['amount']}" if event["amount"] else ""
    return "\n\n".join(
        [
            f"{head}\n{event['agent']}: {event['kind']}{f' ({facts})' if facts else ''}\n{document['explanation']}",
            _barriers(history, document["step"]),
            _agents(document["agents"], titles),
            _stages(document["stages"]),
        ]
    )


def table_text(rows: Sequence[Document]) -> str:
    """The lesson's table; a dash stands for what did not happen."""
    titles = [
        "tile",
        "stage",
        "pipe_write",
        tr("empty wait"),
        tr("full phase"),
        "pipe_read",
        tr("full wait"),
        tr("empty phase"),
    ]
    cells = [
        (
            row["tile"],
            row["stage"],
            _cursor(row["pipe_write"]),
            _wait(row["empty_wait"]),
            _flip(row["full_phase"]),
            _cursor(row["pipe_read"]),
            _wait(row["full_wait"]),
            _flip(row["empty_phase"]),
        )
        for row in rows
    ]
    return aligned([titles, *cells])


def aligned(rows: Sequence[Sequence[object]]) -> str:
    """Rows of cells in columns two blanks apart; None becomes a dash."""
    texts = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(columns(row[column]) for row in texts) for column in range(len(texts[0]) if texts else 0)]
    lines = ("  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)) for row in texts)
    return "\n".join(line.rstrip() for line in lines)


def columns(text: str) -> int:
    """How many columns of a terminal the text takes: a Chinese character takes two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def padded(text: str, width: int) -> str:
    """The text with blanks after it to `width` columns of a terminal."""
    return text + " " * (width - columns(text))


def _barriers(history: History, step: int) -> str:
    """What has come of each barrier's phase; what the barrier itself counts is in the JSON."""
    rows = []
    for row in range(len(history.trace.barriers)):
        now, title = history.barrier_at(row, step), history.barrier_title(row)
        landed = landed_at(history, row, step).text or None
        told = (number_of(now), parity_of(now), arrived_of(now), landed) if now.valid else (None, None, None, None)
        rows.append((title, *told))
    return aligned([("barrier", "phase", "parity", tr("arrived"), tr("landed")), *rows])


def _agents(agents: Mapping[str, Document], barriers: Mapping[str, str]) -> str:
    rows = [
        (name, state_word(a["state"]), a["op"], barriers.get(a["barrier"]), a["tile"], _cursors(a))
        for name, a in agents.items()
    ]
    titles = (tr("agent"), tr("state"), tr("op"), tr("waits on"), "tile", tr("cursor"))
    return aligned([titles, *rows])


def _stages(stages: Sequence[Document]) -> str:
    rows = [(_qualifier(s) + f"stage[{s['stage']}]", state_word(s["state"]), s["tile"]) for s in stages]
    return aligned([("stage", tr("holds"), "tile"), *rows])


def _qualifier(stage: Document) -> str:
    """What tells a stage from those of other CTAs and rings."""
    cta = f"CTA{stage['cta']}." if "cta" in stage else ""
    return f"{cta}{stage['ring']}." if stage.get("ring") else cta


def _cursor(cursor: Document | None) -> str | None:
    return None if cursor is None else tr("stage {index}, phase {phase}", **cursor)


def _cursors(agent: Document) -> str | None:
    """The agent's cursor, and those over further rings with their names."""
    further = {ring: cursor for ring, cursor in agent.get("more_cursors", {}).items() if cursor is not None}
    cursors = [_full_cursor(agent["cursor"]), *(f"{ring} {_full_cursor(cursor)}" for ring, cursor in further.items())]
    return "  ".join(filter(None, cursors)) or None


def _full_cursor(cursor: Document | None) -> str | None:
    return None if cursor is None else cursor_text(cursor["index"], cursor["phase"], cursor["count"])


def _wait(wait: Document | None) -> str | None:
    if wait is None:
        return None
    outcome = tr("blocks") if wait["blocked"] else tr("passes")
    return f"wait({wait['parity']}) {outcome}"


def _flip(flip: Sequence[int] | None) -> str | None:
    return None if flip is None else f"{flip[0]}->{flip[1]}"


def _clock_word(source: Mapping[str, Any]) -> str:
    """Of a recording whose clock was not fitted."""
    return tr("as the file has it") if source.get("kind") == "import" else tr("exact")


def _facts(facts: Document) -> str:
    """The plain values of a JSON object in one line; what is nested is left to --json."""
    plain = ((key, value) for key, value in facts.items() if isinstance(value, str | int | float))
    return ", ".join(f"{key.replace('_', ' ')} {_value(value)}" for key, value in plain)


def _value(value: str | float) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
