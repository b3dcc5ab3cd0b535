"""Recordings that are well-formed files - every checksum and size fits - and say things that cannot be.

Each way of damaging is a function of the parts of a recording; its name is told, so that a report can say which ways
got how far.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz import nasty
from visualizer.recording.schema import EVENT_DTYPE, NO_SAMPLES, SAMPLE_DTYPE, EventKind

FREE = ("config", "source", "clock", "reconcile", "check", "window", "cost", "versions")
KNOWN = {
    "config": "stages tiles tile_rows tile_columns consumer_warps arrive_per_warp ctas source_tiles producer_delay"
    " consumer_delay producer_arrivals consumer_arrivals transaction_bytes producer_phase consumer_phase fault",
    "source": "kind seed latencies gpu driver cuda sm sm_count log_level kernel_ns probe exhaustive outcome step",
    "clock": "ps_per_cycle residual_ns residual_max_ns method sms missed_laps",
    "reconcile": "moved median_ns max_ns unresolved copies_observed copies_estimated copies_probed",
    "check": "mode checked errors",
    "window": "tiles ctas first last tiles_before tiles_after keep_last every_cta ctas_left_out roles_left_out",
    "cost": "slowdown_percent spread_percent pairs off_ns on_ns record_ns",
    "versions": "phasescope numpy",
}
ENDINGS = ("completed", "deadlock", "timeout", "crash", "cancelled")
DETAILS = (
    "undefined behaviour: producer on full[9]: init on a live barrier: inval it first",
    "nobody waits on nothing with parity 0, but the barrier stays in phase #9 (parity 7) with",
    "producer gave up after 1000 ms of waiting on empty[0] (3 of 1 CTAs timed out)",
    " waits on  with parity , but the barrier stays in phase #" * 30,
)
PROGRAMS = ("lesson", "baseline", "cluster", "cp_async", "attention")
TABLES = ("agents", "barriers", "sites", "rings")


@dataclass
class Parts:
    """A recording taken apart."""

    document: dict[str, Any]
    events: NDArray[np.void]
    samples: NDArray[np.void]


def take_apart(content: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    samples = np.load(io.BytesIO(members["samples.npy"])) if "samples.npy" in members else NO_SAMPLES.copy()
    events = np.load(io.BytesIO(members["events.npy"])).astype(EVENT_DTYPE)
    document = json.loads(members["meta.json"])
    document.setdefault("rings", [""])  # which recordings of earlier versions do not have
    return Parts(document, events, samples)


def put_together(parts: Parts) -> bytes:
    """The file, all of whose sizes and checksums fit."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, rows in (("events.npy", parts.events), ("samples.npy", parts.samples)):
            if name == "events.npy" or len(rows):
                member = io.BytesIO()
                np.save(member, rows)
                archive.writestr(name, member.getvalue())
        archive.writestr("meta.json", json.dumps(parts.document, ensure_ascii=False).encode("utf-8", "replace"))
    return content.getvalue()


def damage(content: bytes, random: Random) -> tuple[bytes, tuple[str, ...]]:
    """The recording damaged in one to four ways, and which."""
    parts = take_apart(content)
    ways = [random.choice(WAYS) for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4)))]
    for way in ways:
        if isinstance(parts.document.get("meta"), dict):  # else nothing more can be wrong with it
            way(parts, random)
    parts.events = _loadable(parts.events, parts.document) if random.random() < 0.7 else parts.events
    return put_together(parts), tuple(way.__name__.strip("_") for way in ways)


def _loadable(events: NDArray[np.void], document: dict[str, Any]) -> NDArray[np.void]:
    """Times in order from 0 and rows within the tables, so that what else is wrong is not hidden by these checks."""
    if not len(events):
        return events
    events["time"] = np.maximum.accumulate(events["time"])
    events["time"] -= events["time"][0]
    for column, table, least in (("agent", "agents", 0), ("barrier", "barriers", -1), ("site", "sites", -1)):
        rows = document.get(table)
        most = len(rows) - 1 if isinstance(rows, list) else 0
        np.clip(events[column], least, max(most, least), out=events[column])
    return events


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
    name = random.choice(FREE)
    key = random.choice(KNOWN[name].split())
    held = parts.document["meta"].get(name)
    if isinstance(held, dict):
        held[key] = (
            nasty.like(random, held.get(key, random.choice((0, 1.5, "", [])))) if key != "probe" else _probe(random)
        )


def _probe(random: Random) -> Any:
    keys = ("mode", "experimental", "barriers", "samples", "runs_lost")
    return nasty.value(random) if random.random() < 0.3 else {key: nasty.value(random) for key in keys}


def _window(parts: Parts, random: Random) -> None:
    """A window whose every key says anything."""
    keys = KNOWN["window"].split()
    parts.document["meta"]["window"] = {key: nasty.integer(random) for key in keys if random.random() < 0.8}
    if random.random() < 0.5:
        parts.document["meta"]["window"]["roles_left_out"] = random.choice(
            (["consumer"], ["producer", "x"], "consumer")
        )


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
    for row in parts.document["barriers"]:
        if isinstance(row, dict):
            row["ring"] = random.choice(parts.document["rings"])
    parts.events["ring"] = [random.randrange(len(parts.document["rings"])) for _ in range(len(parts.events))]


def _event_field(parts: Parts, random: Random) -> None:
    """A field of a few events: a bound of its type, or what others have in it."""
    events = parts.events
    if not len(events):
        return
    name = random.choice(EVENT_DTYPE.names)
    for _ in range(random.choice((1, 1, 3, 20, len(events)))):
        at = random.randrange(len(events))
        way = random.randrange(3)
        if name == "kind" or way == 0:
            new = int(random.choice(list(EventKind))) if name == "kind" else int(random.choice(events)[name])
        elif way == 1:
            new = random.randint(-1, 6)
        else:
            new = nasty.integer(random)
        low, high = _bounds(EVENT_DTYPE[name])
        events[name][at] = min(max(new, low), high)


def _bounds(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _event_rows(parts: Parts, random: Random) -> None:
    """Events missing, doubled, in another order at the same times, or fewer altogether."""
    events, rows = parts.events, len(parts.events)
    if not rows:
        return
    way, first = random.randrange(6), random.randrange(rows)
    last = min(rows, first + random.choice((1, 1, 5, 50)))
    if way == 0:
        kept = np.delete(events, np.s_[first:last])
    elif way == 1:
        kept = np.insert(events, first, events[first:last])
    elif way == 2:
        kept, time = events.copy(), events["time"].copy()
        kept[first:last] = kept[first:last][::-1]
        kept["time"] = time
    elif way == 3:
        kept = events[: random.choice((0, 1, 2, first))].copy()
    elif way == 4:
        kept, time = events[np.random.default_rng(first).permutation(rows)], events["time"].copy()
        kept["time"] = time
    else:
        kept = events[first:].copy()
    parts.events = kept
    if len(kept):
        kept["time"] -= kept["time"][0]


def _times(parts: Parts, random: Random) -> None:
    """Times that are all one, far apart, or at the end of what an int64 holds."""
    events, rows = parts.events, len(parts.events)
    if not rows:
        return
    way, far = random.randrange(5), random.choice((2**40, 2**53 - 1, 2**53, 2**60, 2**62, 2**63 - 1))
    if way == 0:
        events["time"] = 0
    elif way == 1:
        events["time"][random.randrange(rows) :] = far
        events["time"][0] = 0
    elif way == 2:
        events["time"] = np.linspace(0, float(min(far, 2**62)), rows).astype(np.int64)
    elif way == 3:
        events["measured"][random.randrange(rows) :] = random.choice((far, -far))
    else:
        events["time"][-1] = far
        events["time"][0] = 0


def _samples(parts: Parts, random: Random) -> None:
    """What a probe cannot have seen."""
    if random.random() < 0.5 or not len(parts.samples):
        rows = random.choice((1, 3, 40))
        samples = np.zeros(rows, SAMPLE_DTYPE)
        barriers = len(parts.document["barriers"]) if isinstance(parts.document["barriers"], list) else 1
        samples["barrier"] = sorted(random.randrange(max(barriers, 1)) for _ in range(rows))
        end = int(parts.events["time"][-1]) if len(parts.events) else 1000
        samples["begin"] = sorted(random.randint(-100, max(end, 1)) for _ in range(rows))
        samples["end"] = samples["begin"] + random.randint(-50, 50)
        samples["word"] = [random.getrandbits(64) for _ in range(rows)]
        parts.samples = samples[np.lexsort((samples["begin"], samples["barrier"]))]
    else:
        samples = parts.samples.copy()
        name = random.choice(SAMPLE_DTYPE.names)
        low, high = _bounds(SAMPLE_DTYPE[name])
        samples[name][random.randrange(len(samples))] = min(max(nasty.integer(random), low), high)
        parts.samples = samples
    if isinstance(parts.document["meta"].get("source"), dict) and random.random() < 0.5:
        parts.document["meta"]["source"]["probe"] = _probe(random)


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


WAYS: tuple[Callable[[Parts, Random], None], ...] = (
    _any_value, _free_value, _free_value, _window, _ending, _program, _row, _field, _number, _cursor, _names, _rings,
    _event_field, _event_field, _event_rows, _times, _samples, _lost, _many,
)  # fmt: skip
