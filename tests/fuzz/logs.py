"""Other tools' files: sound ones whose lines, fields and characters are changed; and snapshots of one moment."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import nasty, seeds
from tests.fuzz.asking import Asked, ask_everything, read_by
from tests.fuzz.outcome import Outcome
from tests.fuzz.refusals import check_words, refused_in_words
from visualizer.diagnosis.snapshot.model import decode_snapshot, encode_snapshot
from visualizer.diagnosis.snapshot.text import judged_text, snapshot_json, snapshot_text
from visualizer.recording.schema import EventKind, kind_name
from visualizer.replay.history import History
from visualizer.sources.imports.any_file import read_recording

_KINDS = [kind_name(kind) for kind in EventKind]
_NAMES = [
    "full[0]",
    "empty[0]",
    "K.full[7]",
    "0x400",
    "0x5000400",
    "CTA9.full[0]",
    "producer",
    "CTA2.consumer.w3",
    "tma",
]


def log(seed: int, folder: Path, outcome: Outcome) -> None:
    """A damaged log: imported, and asked everything."""
    assert seeds.TESTS  # where the sound ones are found
    from sources.imports.logs import FILES

    random = Random(seed)
    name = random.choice(list(FILES))
    text = FILES[name]
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        way = random.choice((_swapped, _number, _name, _kind, _torn, _repeated))
        outcome.ways = (*outcome.ways, way.__name__)
        text = way(text, random)
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    trace = read_by(read_recording, path, outcome)
    if trace is None:
        return
    outcome.reached.append("imported")
    ask_everything(Asked(trace, History(trace), path, folder, random, thorough=seed % 10 == 0), outcome)


def _swapped(text: str, random: Random) -> str:
    lines = text.splitlines() or [""]
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def _number(text: str, random: Random) -> str:
    """Another number in the place of one."""
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    at = random.choice(found)
    return text[: at.start()] + str(random.choice((0, 1, 2, 7, nasty.integer(random), "1e999"))) + text[at.end() :]


def _name(text: str, random: Random) -> str:
    name = random.choice(_NAMES)
    return text.replace(name, random.choice((*_NAMES, nasty.text(random)[:30])), random.choice((1, 99)))


def _kind(text: str, random: Random) -> str:
    return text.replace(random.choice(_KINDS), random.choice(_KINDS), 1)


def _torn(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(("", nasty.text(random)[:20], text[at + random.randint(1, 9) :]))


def _repeated(text: str, random: Random) -> str:
    lines = text.splitlines() or [""]
    at = random.randrange(len(lines))
    return "\n".join(lines[:at] + lines[at : at + 3] * random.choice((2, 50)) + lines[at:])


def snapshot(seed: int, folder: Path, outcome: Outcome) -> None:
    """A snapshot of one moment: decoded and judged."""
    random = Random(seed)
    document: dict[str, Any] = {
        "format": "phasescope-snapshot",
        "version": 1,
        "barriers": [_seen_barrier(random, name) for name in ("full[0]", "empty[0]", "0x400")],
        "agents": [_seen_agent(random, name) for name in ("producer", "warp4")],
    }
    if random.random() < 0.2:
        key = random.choice(list(document))
        document[key] = nasty.like(random, document[key])
    outcome.ways = ("grown",)
    with refused_in_words(outcome):
        seen = decode_snapshot(document)
        outcome.reached.append("read")
        assert decode_snapshot(encode_snapshot(seen)) == seen
        json.dumps(snapshot_json(seen))
        check_words(judged_text(seen) + snapshot_text(seen))


def _seen_barrier(random: Random, name: str) -> dict[str, Any]:
    row = {
        "name": name,
        "word": random.choice((random.getrandbits(64), f"{random.getrandbits(64):#x}")),
        "count": random.choice((1, 2, 384)),
        "arrivers": random.choice(([], ["producer"], ["warp4", "nobody"])),
    }
    return _spoilt(random, row)


def _seen_agent(random: Random, name: str) -> dict[str, Any]:
    waits = random.choice(("full[0]", "empty[0]", 0x400, ""))
    return _spoilt(
        random, {"name": name, "at": nasty.text(random)[:50], "waits": waits, "parity": random.randint(0, 1)}
    )


def _spoilt(random: Random, row: dict[str, Any]) -> dict[str, Any]:
    """Now and then a value is another one, or is missing."""
    if random.random() < 0.1:
        row[random.choice(list(row))] = nasty.value(random)
    if random.random() < 0.1:
        del row[random.choice(list(row))]
    return row


KINDS = {"log": log, "snapshot": snapshot}
