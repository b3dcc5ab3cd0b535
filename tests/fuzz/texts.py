"""Inputs other than recordings: queries, notes, stories, programs, sentences, addresses and command lines.

Each is grown from words that mean something where it is read, so that it gets past the first check often enough.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import nasty, seeds
from tests.fuzz.outcome import Outcome
from tests.fuzz.refusals import check_words, refused_in_words
from visualizer.cli.main import COMMANDS
from visualizer.language import recorded, use
from visualizer.language.endings import SENTENCES
from visualizer.playback.address import AddressError, parse_address
from visualizer.playback.notes_file import fingerprint, load_notes, load_structure, notes_path, save_notes
from visualizer.playback.query import Events, complete, find_steps
from visualizer.playback.query.columns import COLUMN_OF
from visualizer.playback.query.error import QueryError
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.load import load_story, parse_story
from visualizer.playback.stories.write import story_toml
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.views.event_table_filter import FilterError, filtered_steps

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
    text = " ".join(_query_word(random) for _ in range(random.randint(1, random.choice((4, 12, 80)))))
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
        filtered_steps(history.trace, random.choice((text, f"step:{nasty.integer(random)}", f"tile:{'9' * 5000}..4")))
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


def story(seed: int, folder: Path, outcome: Outcome) -> None:
    """A story's TOML, from the one that comes with phasescope or a small one: read, checked, written again."""
    random = Random(seed)
    source = random.choice((_SMALL, _SMALL, (seeds.ASSETS / "stories" / "lesson.toml").read_text(encoding="utf-8")))
    lines = source.splitlines()
    ways = []
    for _ in range(random.choice((1, 1, 2, 4))):
        way, at = random.randrange(5), random.randrange(len(lines))
        ways.append(("dropped", "doubled", "valued", "placeheld", "inserted")[way])
        key = lines[at].partition("=")[0]
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif way == 2:
            lines[at] = f"{key}= {_toml(random)}"
        elif way == 3:
            lines[at] = f"{key}= {{ en = {_placeholder(random)}, zh = {_placeholder(random)} }}"
        else:
            lines.insert(
                at, random.choice(('program = "x.py"', "nth = 0", "[" * 3000, f"x = {'9' * 5000}", 'lane = "\\u0000"'))
            )
        lines = lines or [""]
    outcome.ways = tuple(ways)
    path = folder / "story.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    with refused_in_words(outcome):
        found = load_story(path)
        outcome.reached.append("read")
        if source is _SMALL:  # the other takes seconds to check
            for problem in check_story(found):
                check_words(problem)
            outcome.reached.append("checked")
        assert parse_story(story_toml(found)).chapters == found.chapters
        outcome.reached.append("written again")


_SMALL = """title = { en = "A", zh = "A" }
[[chapter]]
id = "one"
title = { en = "A", zh = "A" }
program = "lesson"
parameters = { tiles = 2, stages = 2, seed = 1 }
others.two = { recording = "lesson" }
[[chapter.step]]
focus = { find = "kind == wait_end", nth = 1, offset = 0 }
text = { en = "{full[0].pending} {run.events}", zh = "{full[0].pending} {run.events}" }
lane = "full[0]"
panes = ["timeline"]
highlight = ["full[0]"]
zoom = "all"
autoplay = { until = 5, loop = false }
question = { en = "{two: run.errors}", zh = "{two: run.errors}" }
answer = { en = "{was full[0].tx}", zh = "{was full[0].tx}" }
"""


def _placeholder(random: Random) -> str:
    names = (
        "full[0]",
        "producer",
        "stage[0]",
        "event",
        "config",
        "run",
        "diagnosis",
        "two: run",
        "was event",
        "was " * 99,
    )
    fields = ("pending", "index", "state", "kind", "stages", "events", "cause", "x", "time", "gpu", "wait")
    return json.dumps("{" + random.choice(names) + random.choice((".", "", ". ")) + random.choice(fields) + "}")


def _toml(random: Random) -> str:
    value = random.choice((nasty.integer, nasty.text, lambda random: random.choice(nasty.FLOATS)))(random)
    return random.choice(
        (json.dumps(value), "[]", "[1, 'a']", "{}", "{ en = 1 }", "1979-05-27", "[" * 200 + "]" * 200, "{ stages = [] }",
         "{ stages = 99 }", "{ seed = -1 }", "'lesson'", "-1", "1e400", "inf", "nan")
    )  # fmt: skip


def program(seed: int, folder: Path, outcome: Outcome) -> None:
    """A program file, given to record."""
    from tests.fuzz.refusals import command

    random = Random(seed)
    lines = _PROGRAM.splitlines()
    for _ in range(random.choice((1, 1, 2))):
        at = random.randrange(len(lines))
        new = (
            random.choice(_STATEMENTS)
            .replace("N", str(nasty.integer(random)))
            .replace("T", repr(nasty.text(random)[:40]))
        )
        lines[at : at + random.randint(0, 1)] = [lines[at][: len(lines[at]) - len(lines[at].lstrip())] + new]
    path = folder / "mine.py"
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    outcome.ways = ("statements",)
    status = command("record", "--program", str(path), "-o", str(folder / "run.pscope"))
    outcome.reached.append(f"status {status}")


_PROGRAM = """from visualizer.programs.builder import Builder
def program():
    b = Builder("mine", ctas=1)
    full = b.barriers("full", 2, count=1)
    empty = b.barriers("empty", 2, count=1)
    p = b.agent("producer", role="producer", stages=2, phase=1)
    p.init_all()
    p.sync()
    for _ in p.tiles(4):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], 128)
        p.copy(full[p.index], p.index, 128)
        p.advance()
    c = b.agent("consumer", role="consumer", stages=2)
    c.sync()
    for _ in c.tiles(4):
        c.wait(full[c.index], c.phase)
        c.read(c.index, 128)
        c.arrive(empty[c.index])
        c.advance()
    return b.build()
"""
_STATEMENTS = (
    "b = Builder(T, ctas=N)", "full = b.barriers(T, N, count=N)", "p = b.agent(T, role=T, stages=N, phase=N)",
    "p.wait(empty[N], N)", "p.arrive(full[0], N)", "p.arrive_expect_tx(full[0], N)", "p.copy(full[0], N, N)",
    "p.read(N, N)", "return N", "return T", "raise ValueError(T)", "raise SystemExit(N)", "exit()", "1/0", "print(T)",
    "import os; os.close(1)", "p.init_all()", "p.delay(N)", "p.advance()", "b.build()", "x = [T] * 3", "pass", ")(",
    "def f(): f()", "(lambda f: f(f))(lambda f: f(f))", "p.arrive(T)", "b.config[T] = N", "assert False, T",
)  # fmt: skip


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
    import re

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


def command_line(seed: int, folder: Path, outcome: Outcome) -> None:
    """A command with options that mean something, or nothing, to it."""
    from tests.fuzz.refusals import command

    random = Random(seed)
    file = folder / "run.pscope"
    file.write_bytes(seeds.recordings()[random.choice(("lesson", "lesson-probe", "two rings", "cp-async"))])
    name = random.choice([name for name in COMMANDS if name not in ("open", "doctor")])
    words = [name]
    if name == "story":
        words.append(random.choice(("list", "check", "export")))
    elif random.random() < 0.9 and name not in ("record", "explore"):
        words.append(str(file))
    if name == "compare" and random.random() < 0.8:
        words.append(str(file))
    for _ in range(random.randint(0, 4)):
        words.append(random.choice(_OPTIONS))
        if random.random() < 0.8:
            words.append(_argument(random, folder))
    if name in ("record", "export") and random.random() < 0.8:
        words += ["-o", str(folder / random.choice(("out.pscope", "out.csv", "out.json", "out.html", "out.vcd")))]
    if "--exhaustive" in words or name == "explore":
        words += ["--schedules", "3"] if "--exhaustive" not in words else ["--limit-states", "200"]
    outcome.ways = (name,)
    status = command(*words)
    outcome.reached.append(f"status {status}")


_OPTIONS = (
    "--json", "--step", "--table", "--cta", "--find", "--range", "--lanes", "--stages", "--tiles", "--tile", "--seed",
    "--consumer-delay", "--copy-time", "--program", "--fault", "--theme", "--lang", "--window", "--keep-last", "--source",
    "--output", "--level", "--check", "--witness", "--outcome", "--exhaustive", "--consumer-warps", "--size", "--every-cta",
)  # fmt: skip


def _argument(random: Random, folder: Path) -> str:
    few = (
        "0",
        "1",
        "3",
        "-1",
        "1..4",
        "0:5",
        ":",
        "9e400",
        "1us:2us",
        "128x64",
        "64x0",
        "en",
        "zh",
        "light",
        "simulator",
    )
    return random.choice(
        (
            random.choice(few),
            random.choice(few),
            str(nasty.integer(random)),
            nasty.text(random)[:60],
            "9" * 5000,
            str(folder),
        )
    )


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
    "story": story,
    "program": program,
    "sentence": sentence,
    "address": address,
    "command": command_line,
}
