"""Stories, program files and command lines.

Grown from such that make sense, so that they get past the first check often enough.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tests.fuzz import nasty, seeds
from tests.fuzz.outcome import Outcome
from tests.fuzz.refusals import check_words, command, refused_in_words
from visualizer.cli.main import COMMANDS
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.load import load_story, parse_story
from visualizer.playback.stories.write import story_toml


def story(seed: int, folder: Path, outcome: Outcome) -> None:
    """A story's TOML, from the one that comes with phasescope or a small one: read, checked, written again."""
    random = Random(seed)
    source = random.choice((_SMALL, _SMALL, (seeds.ASSETS / "stories" / "lesson.toml").read_text(encoding="utf-8")))
    lines = source.splitlines()
    ways = []
    for _ in range(random.choice((1, 1, 2, 4))):
        way, at = random.choice((0, 1, 2, 2, 2, 3, 3, 4)), random.randrange(len(lines))
        optional = [row for row, line in enumerate(lines) if line.partition(" ")[0].partition(".")[0] in _OPTIONAL]
        if optional and random.random() < 0.7:
            at = random.choice(optional)
        ways.append(("dropped", "doubled", "valued", "placeheld", "inserted")[way])
        key = lines[at].partition("=")[0]
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif way == 2:
            fitting = _VALUES.get(key.strip().partition(".")[0])
            value = random.choice(fitting).replace("'", '"') if fitting and random.random() < 0.7 else _toml(random)
            if key.strip() == "parameters" and random.random() < 0.5:
                value = f"{{ {random.choice(_PARAMETERS)} = {_toml(random)}, seed = {_toml(random)} }}"
            lines[at] = f"{key}= {value}"
        elif way == 3:
            lines[at] = f"{key}= {{ en = {_placeholder(random)}, zh = {_placeholder(random)} }}"
        else:
            lines.insert(at, random.choice(_LINES))
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


_OPTIONAL = ("parameters", "others", "lane", "panes", "highlight", "zoom", "autoplay", "notes", "focus", "fault")
_VALUES = {
    "lane": ("'full[0]'", "'x'", "'stage[0]'", "''"),
    "panes": ("['ring']", "[]", "['timeline', 'x']"),
    "highlight": ("['producer']", "['x']", "[]"),
    "zoom": ("'tile'", "'near'", "'keep'", "'x'"),
    "focus": ("0", "-1", "99999", "{ find = 'tile == 1', nth = -1 }", "{ find = 'tile == 1', nth = 99, offset = -9 }"),
    "autoplay": ("{ until = 0 }", "{ until = { find = 'tile == 1' }, loop = true }"),
    "parameters": (
        "{ tiles = 1 }",
        "{ seed = -5 }",
        "{ stages = 8 }",
        "{ tiles = 0 }",
        "{ ctas = 2, seed = true }",
        "{ tiles = 9999999 }",
        "{ tiles = 290000 }",
        "{ tiles = 8500, seed = 2 }",
    ),
    "program": ("'baseline'", "'cluster'", "'attention'", "'x.py'"),
    "others": ("{ recording = 'one-stage' }", "{ program = 'lesson', fault = 'F06' }", "{ recording = '/dev/zero' }"),
}
_PARAMETERS = ("tiles", "stages", "tile_rows", "arrive_per_warp", "ctas", '"a.b"', '""', "producer_arrivals")
_LINES = (
    'program = "x.py"', "nth = 0", "[" * 3000, f"x = {'9' * 5000}", 'lane = "\\u0000"', ".".join("a" * 90_000) + " = 1",
    "[" + ".".join(["b"] * 30_000) + "]",
    ' . '.join(['"a"'] * 20_000), '"' + '\\"' * 90_000, '"""' * 9_001, "'" * 9_001,
)  # fmt: skip


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
        (json.dumps(value), "[]", "[1, 'a']", "{}", "{ en = 1 }", "1979-05-27", "[" * 200 + "]" * 200,
         "{ stages = [] }", "{ stages = 99 }", "{ seed = -1 }", "'lesson'", "-1", "1e400", "inf", "nan")
    )  # fmt: skip


def program(seed: int, folder: Path, outcome: Outcome) -> None:
    """A program file, given to record."""
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


def command_line(seed: int, folder: Path, outcome: Outcome) -> None:
    """A command with options that mean something, or nothing, to it."""
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
    for _ in range(random.randint(0, 3)):
        if name in _FITTING and random.random() < 0.7:
            words += random.choice(_FITTING[name]).split("|")
            continue
        words.append(random.choice(_OPTIONS))
        if random.random() < 0.8:
            words.append(_argument(random, folder))
    if name in ("record", "export") and random.random() < 0.8:
        words += ["-o", str(folder / random.choice(("out.pscope", "out.csv", "out.json", "out.html", "out.vcd")))]
    if "--exhaustive" in words or name == "explore":
        words += ["--schedules", "3"] if "--exhaustive" not in words else ["--limit-states", "200"]
    if name == "explore":
        words += ["--tiles", "2", "--consumer-warps", "1", "--ctas", "1"]  # a larger question takes its time
    if name == "record":
        words = [_quickly_run(word) for word in words]
    outcome.ways = (name,)
    status = command(*words)
    outcome.reached.append(f"status {status}")


_FITTING = {
    "show": ["--json", "--step|3", "--table", "--cta|0", "--find|tile == 1", "--find|a b"],
    "stats": ["--json", "--range|0:1us", "--range|:5"],
    "predict": ["--json", "--stages|1..4", "--consumer-delay|0", "--copy-time|1e300", "--copy-time|nan"],
    "diagnose": ["--json"],
    "compare": ["--json", "--step|3"],
    "export": ["--range|0:9", "--lanes|*", "--lanes|full[*]", "--theme|dark"],
    "record": ["--tiles|2", "--stages|1", "--fault|F06", "--program|attention", "--seed|1", "--window|1:2"],
    "explore": ["--json", "--tiles|1", "--fault|F06", "--seed|1"],
}
_OPTIONS = (
    "--json", "--step", "--table", "--cta", "--find", "--range", "--lanes", "--stages", "--tiles", "--tile", "--seed",
    "--consumer-delay", "--copy-time", "--program", "--fault", "--theme", "--lang", "--window", "--keep-last",
    "--source", "--level", "--check", "--outcome", "--exhaustive", "--consumer-warps", "--size", "--every-cta",
)  # fmt: skip


def _quickly_run(word: str) -> str:
    """A run of so many tiles or CTAs takes seconds because it is asked for: a number that the simulator takes is made a
    small one."""
    return str(int(word) % 100) if word.isdecimal() and 3 <= len(word) <= 7 else word


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


KINDS = {"story": story, "program": program, "command": command_line}
