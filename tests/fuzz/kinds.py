"""The kinds of input: what a case of each is, made of nothing but its seed, and what is done with it.

A case's answer is how far it got: the stages that it reached, and where it was refused in words.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.fuzz import archives, attached, damage, logs, longer_texts, seeds, texts, windows
from tests.fuzz.asking import Asked, ask_everything, commands, read_by
from tests.fuzz.outcome import Outcome
from tests.fuzz.refusals import command
from visualizer.recording.file import load
from visualizer.replay.history import History

_TRAPS = ("x.py", "base64.py", "numpy.py", "json.py", "visualizer.py")
ONE_IN = 10
"""Of so many recordings one is also compared, exported and painted."""


Case = Callable[[int, Path, Outcome], None]


def run(kind: str, seed: int, outcome: Outcome) -> None:
    """The case `seed` of a kind, which notes how far it gets. Whatever it raises is a fault of phasescope."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, _trapped(Path(folder)):
        KINDS[kind](seed, Path(folder), outcome)


@contextlib.contextmanager
def _trapped(folder: Path) -> Iterator[None]:
    """In a folder where the program lies that damaged files name, and modules that Python would find first. Nothing
    runs them: files name no programs, and children do not import from the folder that they are started in."""
    trap = folder / "ran"
    for name in _TRAPS:
        (folder / name).write_text(f"open({str(trap)!r}, 'w')\n", encoding="utf-8")
    with contextlib.chdir(folder):
        yield
    assert not trap.exists(), "a file ran code that lay beside it"


def recording(seed: int, folder: Path, outcome: Outcome) -> None:
    """A damaged recording: opened, replayed, and asked everything."""
    random = Random(seed)
    known = seeds.recordings()
    name = random.choice(sorted(known))
    content, ways = damage.damage(known[name], random)
    outcome.ways = ways
    path = folder / "case.pscope"
    path.write_bytes(content)
    trace = read_by(load, path, outcome)
    if trace is None:
        return
    outcome.reached.append("load")
    asked = Asked(trace, History(trace), path, folder, random, thorough=seed % ONE_IN == 0)
    ask_everything(asked, outcome)


def warm_up() -> None:
    """Ask a sound recording everything: what is imported, and made once, would count as the first case's time."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder) / "sound.pscope"
        path.write_bytes(seeds.recordings()["lesson"])
        trace = load(path)
        ask_everything(Asked(trace, History(trace), path, Path(folder), Random(0), thorough=True), Outcome())
        for words in commands(path):
            command(*words)


KINDS: dict[str, Case] = {
    "recording": recording, **archives.KINDS, **texts.KINDS, **longer_texts.KINDS, **logs.KINDS, **attached.KINDS,
    **windows.KINDS,
}  # fmt: skip
PREPARED = windows.PREPARED
"""What is made once for all cases of a kind that run alone: how, and who takes it."""
ALONE = frozenset(windows.KINDS)
"""Kinds that need Qt. A case of them has a process of its own: a window is never the first one's heir."""
