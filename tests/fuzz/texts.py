"""Short inputs: queries, notes, addresses, and sentences of recordings.

Each is grown from words that mean something where it is read, so that it gets past the first check often enough.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import nasty, seeds
from tests.fuzz.outcome import Outcome
from tests.fuzz.refusals import check_words, refused_in_words
from visualizer.language import recorded, use
from visualizer.language.endings import SENTENCES
from visualizer.playback.address import AddressError, parse_address
from visualizer.playback.notes_file import fingerprint, load_notes, load_structure, notes_path, save_notes
from visualizer.playback.query.columns import COLUMN_OF
from visualizer.playback.query.complete import complete
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.events import Events
from visualizer.playback.query.search import find_steps
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.views.tables.event_table_filter import FilterError, filtered_steps

_history: dict[str, History] = {}
_WORDS = (
    "and",
    "or",
    "not",
    "in",
    "none",
    "true",
    "(",
    ")",
    ",",
    "..",
    "==",
    "!=",
    "~",
    "!~",
    "<",
    ">=",
    '"',
    "ns",
    "us",
)
_GLOBS = ("*a*", "*", "?", "full[*]", "*a*a*a*a*a*a*a*a*a*a*a*a*b", "CTA*", "*?*?*?*?*?*?*x", '"*"', "full[0]")


def query(seed: int, folder: Path, outcome: Outcome) -> None:
    """A query, as found, completed, and as an old filter of the table."""
    random = Random(seed)
    history = _loaded(random, folder)
    words = [_query_word(random) for _ in range(random.randint(1, random.choice((4, 12, 80))))]
    if random.random() < 0.6:
        examples = [column.example for column in COLUMN_OF.values()]
        words = [random.choice((*examples, "and", "or", "not")) for _ in range(random.choice((1, 1, 2, 3)) * 2 - 1)]
        words[1::2] = [random.choice(("and", "or", "and not")) for _ in words[1::2]]
        if random.random() < 0.5:
            words[random.randrange(len(words))] = _query_word(random)
    text = " ".join(words)
    outcome.ways = ("words",)
    try:
        find_steps(text, Events(history))
        outcome.reached.append("found")
    except QueryError as error:
        check_words(str(error))
        outcome.refused = str(error)
    complete(text, random.randint(0, len(text)), history)
    outcome.reached.append("completed")
    try:
        filtered_steps(history, random.choice((text, f"step:{nasty.integer(random)}", f"tile:{'9' * 5000}..4")))
    except FilterError as error:
        check_words(str(error))


def _query_word(random: Random) -> str:
    way = random.randrange(8)
    if way < 2:
        return random.choice(list(COLUMN_OF))
    if way < 5:
        return random.choice(_WORDS)
    if way == 5:
        return random.choice(_GLOBS) * random.choice((1, 1, 30))
    return str(nasty.integer(random)) if way == 6 else nasty.text(random)[:80]


def notes(seed: int, folder: Path, outcome: Outcome) -> None:
    """A sidecar file: read, written again, and the structure in it laid over the recording's."""
    random = Random(seed)
    history = _loaded(random, folder)
    trace = history.trace
    document: dict[str, Any] = {
        "format": "phasescope-notes",
        "version": 1,
        "recording": fingerprint(trace),
        "marks": [_mark(random) for _ in range(random.choice((0, 1, 3, 3000)))],
        "breakpoints": [
            {"query": nasty.text(random), "enabled": random.random() < 0.5} for _ in range(random.randint(0, 3))
        ],
        "structure": [_entry(random) for _ in range(random.randint(0, 4))],
    }
    if random.random() < 0.5:
        key = random.choice(list(document))
        document[key] = nasty.like(random, document[key])
    outcome.ways = ("grown",)
    path = notes_path(folder / "run.pscope")
    text = json.dumps(document)
    if random.random() < 0.2:
        at = random.randrange(len(text))
        text = text[:at] + nasty.text(random)[:20] + text[at + random.randint(0, 3) :]
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with refused_in_words(outcome):
        found = load_notes(path, trace)
        outcome.reached.append("read")
        save_notes(path, found, trace, found)
        assert load_notes(path, trace) == found
        outcome.reached.append("written again")
    with refused_in_words():
        structure_of(trace, load_structure(path))
        outcome.reached.append("structure")


def _mark(random: Random) -> Any:
    mark = {
        "step": random.randint(0, 40),
        "lane": None,
        "last": None,
        "bookmark": None,
        "text": nasty.text(random)[:99],
    }
    if random.random() < 0.1:
        key = random.choice(list(mark))
        mark[key] = nasty.value(random)
    return mark


def _entry(random: Random) -> Any:
    names = ["full[0]", "full[1]", "empty[0]", "0x0", "0x8", nasty.text(random)[:30]]
    some = [random.choice(names) for _ in range(random.randint(0, 3))]
    return random.choice(
        (
            {"ring": nasty.text(random)[:9], "full": some, "empty": some},
            {"ring": "", "full": some},
            {"barriers": some, "kind": random.choice(("order", "unknown", "x"))},
            {"agents": some, "role": random.choice(("producer", "x"))},
            {"ring": "", "name": nasty.text(random)[:30]},
            nasty.value(random),
        )
    )


def sentence(seed: int, folder: Path, outcome: Outcome) -> None:
    """How a run ended, as a recording says it, in the other language."""
    random = Random(seed)
    pieces = [piece for template in SENTENCES for piece in _pieces(template)]
    text = "".join(
        random.choice((random.choice(pieces), "a", nasty.text(random)[:30])) for _ in range(random.randint(1, 60))
    )
    if random.random() < 0.3:
        template = random.choice(SENTENCES)
        text = "".join(piece + text[: random.randint(0, 600)] for piece in _pieces(template))
    use("zh")
    try:
        recorded(text * random.choice((1, 1, 4)))
    finally:
        use("en")
    outcome.ways, outcome.reached = ("pieces",), ["translated"]


def _pieces(template: str) -> list[str]:
    return re.split(r"\{\w+\}", template)


def address(seed: int, folder: Path, outcome: Outcome) -> None:
    """What stands after `open` or in the window's line for places."""
    random = Random(seed)
    text = "".join(
        random.choice(
            ("#", "step=", "&", "lane=", str(nasty.integer(random)), "9" * 5000, "%00", "run", nasty.text(random)[:40])
        )
        for _ in range(random.randint(1, 6))
    )
    outcome.ways = ("pieces",)
    try:
        parse_address(text)
        outcome.reached.append("understood")
    except AddressError as error:
        check_words(str(error))
        outcome.refused = str(error)


def _loaded(random: Random, folder: Path) -> History:
    """One of the sound recordings, kept between cases."""
    name = random.choice(("lesson", "two rings", "kernel 1"))
    if name not in _history:
        trace = seeds.loaded(folder, name)
        _history[name] = History(trace)
    return _history[name]


KINDS = {
    "query": query,
    "notes": notes,
    "sentence": sentence,
    "address": address,
}
