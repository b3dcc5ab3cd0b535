"""Recordings damaged below what they say: bytes of the file, its directory, the headers of its arrays, the text of its
JSON. Checksums are right where a reader would otherwise look no further."""

from __future__ import annotations

import io
import json
import pickle
import re
import zipfile
from pathlib import Path
from random import Random

import numpy as np

from tests.fuzz import nasty, seeds
from tests.fuzz.asking import Asked, ask_everything, read_by
from tests.fuzz.outcome import Outcome
from visualizer.recording.file import load
from visualizer.replay.history import History

Members = dict[str, bytes]


def archive(seed: int, folder: Path, outcome: Outcome) -> None:
    """Opened, and asked everything if it opens; nothing in it is ever run."""
    random = Random(seed)
    known = seeds.recordings()
    members = _members(known[random.choice(sorted(known))])
    trap = folder / "ran"
    for _ in range(random.choice((0, 1, 1, 2))):
        way = random.choice((_array_header, _array_header, _array_bytes, _json_text, _json_text, _pickled))
        outcome.ways = (*outcome.ways, way.__name__)
        way(members, random, trap)
    content = random.choice((_packed, _packed, _oddly_packed))(members, random)
    if not outcome.ways or random.random() < 0.2:
        outcome.ways = (*outcome.ways, "bytes")
        content = _some_bytes(content, random)
    path = folder / "case.pscope"
    path.write_bytes(content)
    try:
        trace = read_by(load, path, outcome)
    finally:
        assert not trap.exists(), "what was in the file was run"
    if trace is None:
        return
    outcome.reached.append("load")
    ask_everything(Asked(trace, History(trace), path, folder, random, thorough=False), outcome)


def _members(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def _packed(members: Members, random: Random) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as packed:
        for name, member in members.items():
            packed.writestr(name, member)
    return content.getvalue()


def _oddly_packed(members: Members, random: Random) -> bytes:
    """Compressed, with members that are missing, of other names or too many, or with bytes around."""
    content = io.BytesIO()
    way = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(content, "w", way) as packed:
        for name, member in members.items():
            if random.random() < 0.9:
                packed.writestr(name if random.random() < 0.9 else f"{name}{nasty.text(random)[:300]}", member)
        if random.random() < 0.3:
            packed.writestr(random.choice(("events.npz", "../events.npy", "/etc/passwd", "meta.json.npy")), b"x" * 99)
        if random.random() < 0.05:
            packed.writestr("zeros", bytes(64 << 20), zipfile.ZIP_DEFLATED)  # 64 kB in the file
        packed.comment = random.choice((b"", b"PK\5\6" * 30, b"x" * 60_000))
    return random.choice((b"", b"", b"PK\3\4", b"#!/bin/sh\n")) + content.getvalue()


def _array_header(members: Members, random: Random, trap: Path) -> None:
    """The description of an array, which is a Python literal: shorter, longer, of other types."""
    name = random.choice([name for name in members if name.endswith(".npy")])
    content = members[name]
    size = int.from_bytes(content[8:10], "little")
    text = content[10 : 10 + size].decode("latin-1")
    way = random.randrange(6)
    if way == 0:
        text = re.sub(r"\d+", lambda found: str(random.choice((found[0], nasty.integer(random)))), text)
    elif way == 1:
        text = text.replace(random.choice(("'<i8'", "'<i4'", "'|u1'", "<", "False")), random.choice(_LITERALS), 1)
    elif way == 2:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(_LITERALS) + text[at + random.randint(0, 9) :]
    elif way == 3:
        text = random.choice(_LITERALS) * random.choice((1, 1, 5000))
    elif way == 4:
        text = text.replace("'shape'", "'shape': (1,), 'shape'").replace("}", ", 'more': 1}", random.randint(0, 1))
    version = random.choice((content[6:8], content[6:8], b"\2\0", b"\3\0", b"\xff\0"))
    told = len(text) if random.random() < 0.9 else random.randrange(1 << 16)
    width = 2 if version[0] == 1 else 4
    head = content[:6] + version + (told % (1 << 16)).to_bytes(width, "little") + text.encode("latin-1", "replace")
    members[name] = head + content[10 + size :]


_LITERALS = (
    "[('a', '<i8')]", "('<i8', (3,))", "'O'", "'|V0'", "'<i16'", "'<U99999999999'", "None", "True", "-1", "1" * 5000,
    "[" * 200, "(" * 5000, "{", "}", "'", "\0", "\n", "__import__('os')", "9**9**9", "[(('a', 'b'), '<i8')]", "{1: 2}",
    "'<M8[ns]'", "'<f8'", "(2**62, 2**62)", "(0,)", "()", "lambda: 0",
)  # fmt: skip


def _array_bytes(members: Members, random: Random, trap: Path) -> None:
    """Bytes of an array changed, put in, or missing, whatever its header says."""
    name = random.choice([name for name in members if name.endswith(".npy")])
    members[name] = _some_bytes(members[name], random)


def _json_text(members: Members, random: Random, trap: Path) -> None:
    """JSON that a parser may read otherwise, for long, or not at all."""
    text = members["meta.json"].decode(errors="replace")
    way = random.randrange(7)
    if way == 0:
        text = text.replace(":", ":" + random.choice(_JSON) + ",", 1)
    elif way == 1:
        values = list(re.finditer(r":\s*(\d+|\"[^\"]*\"|true|false|null)", text))
        if values:
            at = random.choice(values)
            text = text[: at.start(1)] + random.choice(_JSON) + text[at.end(1) :]
    elif way == 2:
        key = json.dumps(random.choice(("format", "meta", "x", nasty.text(random)[:30])))
        text = "{" + f"{key}: 1, " * random.choice((1, 2, 40_000)) + text[1:]
    elif way == 3:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(("", *_JSON)) + text[at + random.randint(0, 30) :]
    elif way == 4:
        text = random.choice((" " * 500_000 + text, text + "\n" * 500_000, text + text, text + "x"))
    elif way == 5:
        members["meta.json"] = text.encode(random.choice(("utf-16", "utf-8-sig", "utf-32", "latin-1")), "replace")
        return
    else:
        members["meta.json"] = _some_bytes(text.encode(), random)
        return
    members["meta.json"] = text.encode("utf-8", "surrogatepass")


_JSON = (
    "NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-0.0", "[" * 900 + "]" * 900, "[" * 100_000, '{"a":' * 5000,
    r'"\ud800"', r'"\u0000"', '"' + "x" * 300_000 + '"', "null", "true", "{}", "[]", "1.5", '"1"', "\ud800", "'", "//",
)  # fmt: skip


class _Runs:
    """What leaves a file behind if it is unpickled."""

    def __init__(self, trap: Path) -> None:
        self.trap = trap

    def __reduce__(self) -> object:
        return Path.touch, (self.trap,)


def _pickled(members: Members, random: Random, trap: Path) -> None:
    """Python objects where an array is expected."""
    content = io.BytesIO()
    if random.random() < 0.7:
        one = np.empty(1, object)
        one[0] = _Runs(trap)
        np.save(content, one, allow_pickle=True)
    else:
        content.write(pickle.dumps(_Runs(trap)))
    members[random.choice([name for name in members if name != "meta.json"])] = content.getvalue()


def _some_bytes(content: bytes, random: Random) -> bytes:
    """A few bytes changed, put in, doubled or missing, most of them where a file says what it is: at its ends."""
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.choice((random.randrange(len(content) + 1), random.randrange(min(len(content), 300) + 1)))
        at = max(len(content) - at, 0) if random.random() < 0.4 else at
        some, new = random.choice((1, 1, 4, 40)), random.randbytes(random.choice((1, 1, 4, 40)))
        way = random.randrange(5)
        if way == 0:
            content = content[:at] + new[:some] + content[at + len(new[:some]) :]
        elif way == 1:
            content = content[:at] + new + content[at:]
        elif way == 2:
            content = content[:at] + content[at + some :]
        elif way == 3:
            content = content[:at] + content[at : at + some] * 2 + content[at + some :]
        else:
            content = content[:at] + (nasty.integer(random) & (1 << 64) - 1).to_bytes(8, "little") + content[at + 8 :]
    return content[: random.randrange(len(content) + 1)] if random.random() < 0.1 else content


KINDS = {"archive": archive}
