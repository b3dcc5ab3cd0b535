"""Ways of damaging what a recording says of itself, and its tables of agents, barriers, sites and rings."""

from __future__ import annotations

from random import Random
from typing import Any, get_type_hints

from tests.fuzz import nasty
from tests.fuzz.parts import Parts
from visualizer.programs.parameters import PARAMETERS
from visualizer.recording.facts import OBJECTS

KNOWN = {name: tuple(get_type_hints(kind)) for name, kind in OBJECTS.items()}
KNOWN["config"] += tuple(parameter.name for parameter in PARAMETERS)
ENDINGS = ("completed", "deadlock", "timeout", "crash", "cancelled")
DETAILS = (
    "undefined behaviour: producer on full[9]: init on a live barrier: inval it first",
    "nobody waits on nothing with parity 0, but the barrier stays in phase #9 (parity 7) with",
    "producer gave up after 1000 ms of waiting on empty[0] (3 of 1 CTAs timed out)",
    " waits on  with parity , but the barrier stays in phase #" * 30,
)
PROGRAMS = ("lesson", "baseline", "cluster", "cp_async", "attention")
TABLES = ("agents", "barriers", "sites", "rings")


def _any_value(parts: Parts, random: Random) -> None:
    """Any value anywhere in meta.json."""
    parent: Any = parts.document
    while True:
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        if not keys:
            return
        key = random.choice(list(keys))
        if isinstance(parent[key], dict | list) and parent[key] and random.random() < 0.9:
            parent = parent[key]
            continue
        parent[key] = nasty.like(random, parent[key])
        return


def _free_value(parts: Parts, random: Random) -> None:
    """A key of an object that recordings fill as they like, and that phasescope reads all the same."""
    name = random.choice(list(KNOWN))
    key = random.choice(KNOWN[name])
    held = parts.document["meta"].get(name)
    if isinstance(held, dict):
        held[key] = (
            nasty.like(random, held.get(key, random.choice((0, 1.5, "", []))))
            if key != "probe"
            else nasty.probe(random)
        )


def _window(parts: Parts, random: Random) -> None:
    """A window whose every key says anything."""
    window: dict[str, Any] = {key: abs(nasty.integer(random)) for key in KNOWN["window"] if random.random() < 0.8}
    if random.random() < 0.7:
        window = {key: min(number, random.choice((3, 40, 10**6, 2**53 - 1))) for key, number in window.items()}
    window["roles_left_out"] = random.choice(([], ["consumer"], ["consumer"], ["producer", "x"], "consumer"))
    parts.document["meta"]["window"] = window


def _ending(parts: Parts, random: Random) -> None:
    parts.document["meta"]["ending"] = {
        "kind": random.choice(ENDINGS),
        "detail": random.choice((*DETAILS, nasty.text(random))),
    }


def _program(parts: Parts, random: Random) -> None:
    parts.document["meta"]["program"] = random.choice(
        ("lesson", "baseline", "cluster", "cp_async", "attention", "x.py", nasty.text(random))
    )


def _row(parts: Parts, random: Random) -> None:
    """A row of a table dropped, doubled, or in another's place."""
    rows = parts.document[random.choice(TABLES)]
    if not isinstance(rows, list) or not rows:
        return
    at, other = random.randrange(len(rows)), random.randrange(len(rows))
    way = random.randrange(4)
    if way == 0:
        del rows[at]
    elif way == 1:
        rows.insert(at, rows[other])
    elif way == 2:
        rows[at], rows[other] = rows[other], rows[at]
    else:
        rows.clear()


def _field(parts: Parts, random: Random) -> None:
    """A field of a few rows of a table: another row's value, or a bound."""
    rows = parts.document[random.choice(TABLES[:3])]
    if not isinstance(rows, list) or not rows:
        return
    for _ in range(random.choice((1, 1, 2, 5))):
        row, other = random.choice(rows), random.choice(rows)
        if isinstance(row, dict) and row:
            key = random.choice(list(row))
            row[key] = (
                other.get(key) if isinstance(other, dict) and random.random() < 0.5 else nasty.like(random, row[key])
            )


def _number(parts: Parts, random: Random) -> None:
    """A number of the tables that must be within what the others say: CTA, stage, count, warp, phase."""
    rows = parts.document[random.choice(TABLES[:2])]
    if not isinstance(rows, list) or not rows:
        return
    row = random.choice(rows)
    if isinstance(row, dict):
        key = random.choice(("cta", "stage", "init_count", "offset", "first_phase", "address", "warp", "warpgroup"))
        if key in row:
            row[key] = random.choice((0, 1, 2, 3, 8, 100, 32766, 32767, 2**20 - 1, 2**31 - 1))


def _cursor(parts: Parts, random: Random) -> None:
    """An agent that starts elsewhere, in a ring that may not have so many stages."""
    rows = parts.document["agents"]
    rings = parts.document.get("rings")
    if not isinstance(rows, list) or not rows:
        return
    agent = random.choice(rows)
    if not isinstance(agent, dict):
        return
    stages = random.choice((1, 2, 3, 4, 8, 100, 32768))
    cursor = {
        "stages": stages,
        "index": random.choice((0, stages - 1)),
        "phase": random.randint(0, 1),
        "count": random.choice((0, 1, 7, 2**31 - 1)),
    }
    if isinstance(rings, list) and rings and random.random() < 0.4:
        agent["more_starts"] = {str(random.choice(rings)): cursor}
    else:
        agent["start"] = cursor if random.random() < 0.8 else None


def _names(parts: Parts, random: Random) -> None:
    """An agent with a barrier's name, a barrier with a stage's, a ring with an agent's."""
    tables = [rows for name in TABLES[:2] if isinstance(rows := parts.document[name], list) and rows]
    if len(tables) < 2:
        return
    row, other = random.choice(random.choice(tables)), random.choice(random.choice(tables))
    if isinstance(row, dict) and isinstance(other, dict):
        row["name"] = random.choice((other.get("name"), "stage[0]", "CTA0", "CTA1.stage[0]", nasty.text(random)))


def _rings(parts: Parts, random: Random) -> None:
    """More rings than there were, and barriers and events in them."""
    rings = [
        random.choice(("", "K", "V", "Q", "full", "stage", "x.y", nasty.text(random)[:30]))
        for _ in range(random.randint(1, 3))
    ]
    parts.document["rings"] = list(dict.fromkeys(rings))
    barriers = parts.document["barriers"]
    for row in barriers if isinstance(barriers, list) else ():
        if isinstance(row, dict):
            row["ring"] = random.choice(parts.document["rings"])
    parts.events["ring"] = [random.randrange(len(parts.document["rings"])) for _ in range(len(parts.events))]


def _many(parts: Parts, random: Random) -> None:
    """Hundreds of rows where there were a few."""
    name = random.choice(TABLES[:2])
    rows = parts.document[name]
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        return
    row, spread = random.choice(rows), random.choice(("", "cta", "stage", "warp"))
    for number in range(random.choice((50, 300, 2000))):
        more = {**row, "name": f"more{number}"}
        if spread in more:
            more[spread] = number
        rows.append(more)


def _lost(parts: Parts, random: Random) -> None:
    meta = parts.document["meta"]
    if isinstance(meta, dict):
        meta[random.choice(("records_lost", "events_dropped"))] = random.choice((1, 9, 2**31, 2**63 - 1))


WAYS = (
    _any_value, _free_value, _free_value, _window, _ending, _program, _row, _field, _number, _cursor, _names, _rings,
    _lost, _many,
)  # fmt: skip
