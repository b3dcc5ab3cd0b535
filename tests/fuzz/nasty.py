"""Values that programs stumble over: bounds, other types, texts that mean something elsewhere."""

from __future__ import annotations

from random import Random
from typing import Any

INTEGERS = (
    -(2**63), -(2**31) - 1, -(2**31), -2, -1, 0, 1, 2, 3, 7, 31, 32, 33, 255, 256, 32766, 32767, 32768, 65535,
    2**20 - 1, 2**20, 2**31 - 1, 2**31, 2**32, 2**53 - 1, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**30,
)  # fmt: skip
FLOATS = (0.0, -0.0, 0.5, -1.5, 1e-300, 1e15, 1e308, -1e308, 2.0**53)
TEXTS = (
    "", " ", "\n", "\0", "a\0b", "\x1b[31mred\x1b[0m", "\x07", "\r\n", "\u202e", "\u2028", "\ufdd0", "\U0001f600" * 8,
    "<img src='/dev/zero'>", "<b>x</b>", "&amp;", "=1+1", "=cmd|' /C calc'!A0", "+1", "@SUM(A1)", "-1", "$end", "#",
    "../../etc/passwd", "/dev/zero", "file:///etc/passwd", "{", "{x}", "{0}", "%s", "%n", "]]>", "--", "'", '"',
    "full[0]", "full[99]", "empty[0]", "producer", "consumer.w1", "tma", "stage[0]", "stage[1]", "CTA0", "CTA1.full[0]",
    "CTA1.stage[0]", "lesson", "baseline", "cluster", "attention", "cp_async", "x.py", "F06", "F99", "gpu", "simulator",
    "exact", "nan", "none", "true", "x" * 500, "a" * 40_000, "consumer", "words", "flips", "clocks",
)  # fmt: skip


def integer(random: Random) -> int:
    """A bound of some type, something near one, or anything small."""
    way = random.randrange(4)
    if way == 0:
        return random.choice(INTEGERS)
    if way == 1:
        return random.choice(INTEGERS) + random.randint(-2, 2)
    return random.randint(-2, 12) if way == 2 else random.randint(0, 5000)


def text(random: Random) -> str:
    """A text that means something to some reader, or a few such in a row."""
    if random.random() < 0.8:
        return random.choice(TEXTS)
    return "".join(random.choice(TEXTS)[:60] for _ in range(random.randint(2, 5)))


def value(random: Random, depth: int = 0) -> Any:
    """Any JSON value."""
    way = random.randrange(9 if depth < 3 else 6)
    if way == 0:
        return None
    if way == 1:
        return random.random() < 0.5
    if way in (2, 3):
        return integer(random)
    if way == 4:
        return random.choice(FLOATS)
    if way == 5:
        return text(random)
    if way == 6:
        return [value(random, depth + 1) for _ in range(random.randint(0, 3))]
    if way == 7:
        return {text(random)[:20]: value(random, depth + 1) for _ in range(random.randint(0, 3))}
    return _nested(random.choice((5, 40)))


def like(random: Random, old: Any) -> Any:
    """A value of the type of `old` more often than not: what a check of types alone lets pass."""
    if random.random() < 0.3:
        return value(random)
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return integer(random)
    if isinstance(old, float):
        return random.choice(FLOATS)
    if isinstance(old, str):
        return text(random)
    if isinstance(old, list):
        return [*old, *old[:1]] if random.random() < 0.5 else old[1:]
    return value(random)


def probe(random: Random) -> Any:
    """What a recording may say of a probe, or nothing of the kind."""
    keys = ("mode", "experimental", "barriers", "samples", "runs_lost")
    return value(random) if random.random() < 0.3 else {key: value(random) for key in keys}


def _nested(depth: int) -> Any:
    inner: Any = 0
    for _ in range(depth):
        inner = [inner]
    return inner
