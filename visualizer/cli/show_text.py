"""The documents of `phasescope show` as aligned text: the same facts as its JSON, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from visualizer.diagnosis.wording import counted, duration

Document = Mapping[str, Any]

_EVENT_FACTS = ("barrier", "stage", "tile", "parity")


def summary_text(document: Document) -> str:
    """A line per fact: what was recorded, how it ended, how far it can be trusted."""
    lost = counted(document["records_lost"], "record") + " lost"
    if document["events_dropped"]:
        lost += f", and {counted(document['events_dropped'], 'event')} left out beside them"
    size = (("ctas", "CTA"), ("agents", "agent"), ("barriers", "barrier"))
    return aligned(
        [
            ("program", document["program"]),
            ("config", _facts(document["config"])),
            ("source", _facts(document["source"])),
            ("probe", _facts(document["source"].get("probe", {})) or "none"),
            ("ended", f"{document['ended']}: {document['detail']}" if document["detail"] else document["ended"]),
            ("check", _facts(document["check"]) or "none"),
            ("events", f"{document['steps']} in {duration(document['duration_ps'])}"),
            ("size", ", ".join(counted(document[key], noun) for key, noun in size)),
            ("lost", lost),
            ("left out", " ".join(document["left_out"]) or "nothing"),
            ("trust", document["trust"]),
            ("cost", _facts(document["cost"]) or "not measured"),
            ("clock", _facts(document["clock"]) or "exact"),
            ("reconciled", _facts(document["reconcile"]) or "no event was moved"),
            ("command", document["command"] or "unknown"),
            ("created", document["created"] or "unknown"),
        ]
    )


def step_text(document: Document) -> str:
    """The event, the explanation, then a table each of barriers, agents and stages."""
    event = document["event"]
    site = event["site"]
    head = f"step {document['step']} of 0..{document['steps'] - 1} at {duration(document['time_ps'])}"
    head += f", {site['file']}:{site['line']} {site['op']}" if site else ""
    facts = ", ".join(f"{name} {event[name]}" for name in _EVENT_FACTS if event[name] is not None)
    facts += f", amount {event['amount']}" if event["amount"] else ""
    return "\n\n".join(
        [
            f"{head}\n{event['agent']}: {event['kind']}{f' ({facts})' if facts else ''}\n{document['explanation']}",
            _barriers(document["barriers"]),
            _agents(document["agents"]),
            _stages(document["stages"]),
        ]
    )


def table_text(rows: Sequence[Document]) -> str:
    """The lesson's table; a dash stands for what did not happen."""
    titles = ("tile", "stage", "pipe_write", "empty wait", "full phase", "pipe_read", "full wait", "empty phase")
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
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in texts)
    return "\n".join(line.rstrip() for line in lines)


def _barriers(barriers: Mapping[str, Document]) -> str:
    rows = [
        (name, b["phase"], b["parity"], f"{b['pending']}/{b['expected']}", b["tx"])
        if b["valid"]
        else (name, None, None, None, None)
        for name, b in barriers.items()
    ]
    return aligned([("barrier", "phase", "parity", "pending", "tx"), *rows])


def _agents(agents: Mapping[str, Document]) -> str:
    rows = [
        (name, a["state"], a["op"], a["barrier"], a["tile"], _full_cursor(a["cursor"])) for name, a in agents.items()
    ]
    return aligned([("agent", "state", "op", "waits on", "tile", "cursor (index, phase, count)"), *rows])


def _stages(stages: Sequence[Document]) -> str:
    rows = [
        (("CTA{}.".format(s["cta"]) if "cta" in s else "") + f"stage[{s['stage']}]", s["state"], s["tile"])
        for s in stages
    ]
    return aligned([("stage", "holds", "tile"), *rows])


def _cursor(cursor: Document | None) -> str | None:
    return None if cursor is None else f"({cursor['index']}, {cursor['phase']})"


def _full_cursor(cursor: Document | None) -> str | None:
    return None if cursor is None else f"({cursor['index']}, {cursor['phase']}, {cursor['count']})"


def _wait(wait: Document | None) -> str | None:
    return None if wait is None else f"wait({wait['parity']}) {'blocks' if wait['blocked'] else 'passes'}"


def _flip(flip: Sequence[int] | None) -> str | None:
    return None if flip is None else f"{flip[0]}->{flip[1]}"


def _facts(facts: Document) -> str:
    """The plain values of a JSON object in one line; what is nested is left to --json."""
    plain = ((key, value) for key, value in facts.items() if isinstance(value, str | int | float))
    return ", ".join(f"{key.replace('_', ' ')} {_value(value)}" for key, value in plain)


def _value(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
