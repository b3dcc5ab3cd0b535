"""Long use: recordings opened and runs made in one window, notes written in two that are killed while they write.

Memory, threads and file handles stay what they were soon after the start, and no note that was saved is lost.

Run: python -m tests.fuzz.soak [--recordings N] [--runs N] [--kills N] [--seed N]. Exit status 1 if it was not so.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

from tests.fuzz import damage, seeds
from tests.fuzz.batch import ROOT
from tests.fuzz.needs import missing
from tests.fuzz.outcome import Outcome
from visualizer.children import child_command, child_environment

MOST_GROWTH = 1.1
"""Memory at the end over that near the start."""
_WINDOW = "tests.fuzz.soak_window"
_LEFT = ".phasescope-*.tmp"
_PATIENCE_S = 120.0
"""So long a window may take to save a few notes, from its start on."""


@dataclass
class Flat:
    """What a process holds, looked at again and again."""

    what: str
    bytes: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)

    def look(self) -> None:
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        self.bytes.append(int(status["VmRSS"].split()[0]) * 1024)
        self.threads.append(int(status["Threads"]))
        self.files.append(len(os.listdir("/proc/self/fd")))

    def text(self) -> str:
        first, last = self._ends(self.bytes)
        return (
            f"{self.what}: {len(self.bytes)} looks; memory {first / 2**20:.0f} to {last / 2**20:.0f} MiB"
            f" ({last / first - 1:+.1%}), threads {self.threads[len(self.threads) // 5]} to {self.threads[-1]},"
            f" files {self.files[len(self.files) // 5]} to {self.files[-1]}"
        )

    def check(self) -> None:
        first, last = self._ends(self.bytes)
        assert last < first * MOST_GROWTH, f"memory grows: {self.text()}"
        for held in (self.threads, self.files):
            assert held[-1] <= max(held[: len(held) // 5 + 1]), f"what is held grows: {self.text()}"

    @staticmethod
    def _ends(values: list[int]) -> tuple[float, float]:
        """Of the second tenth, when everything has been used once, and of the last."""
        tenth = max(len(values) // 10, 1)
        return median(values[tenth : 2 * tenth] or values[:1]), median(values[-tenth:])


def open_recordings(count: int, seed: int, folder: Path) -> Flat:
    """So many recordings, sound and damaged by turns, opened in one window and looked at."""
    from tests.fuzz.person import Complaints, Person

    known, random = seeds.recordings(), Random(seed)
    names = sorted(known)
    flat = Flat("recordings")
    with Complaints().listening():
        person = Person(folder / "settings.ini", Outcome())
        panes = list(person.window.panes)
        for number in range(-1, count):
            content = known[names[number % len(names)]]
            path = folder / f"{number % 7}.pscope"
            path.unlink(missing_ok=True)
            path.write_bytes(damage.damage(content, random)[0] if number % 3 == 1 else content)
            if person.open(path):
                # A pane is made when it is first seen: all before the first look.
                for name in panes if number < 0 else random.sample(panes, 3):
                    person.do(name, lambda name=name: person.window.show_pane(name))
                person.do("next", person.window.navigator.next_event)
            if number >= 0:
                flat.look()
        person.close()
    return flat


def make_runs(count: int, seed: int, folder: Path) -> Flat:
    """So many runs by the button of the experiment."""
    from tests.fuzz.person import Complaints, Person

    random = Random(seed)
    flat = Flat("runs")
    with Complaints().listening():
        person = Person(folder / "settings.ini", Outcome())
        experiment = person.window.experiment
        for _ in range(count):
            experiment.seed.setValue(random.randrange(1000))
            experiment.form.set_parameters({"tiles": random.randint(2, 12), "stages": random.randint(1, 4)})
            before = person.window.document
            person.do("running", experiment.run)
            assert person.window.document is not before, person.window.messages.text or experiment.problem.text()
            flat.look()
        person.close()
    return flat


@dataclass
class Notes:
    """What came of notes in two windows."""

    kills: int = 0
    confirmed: int = 0
    lost: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)

    def text(self) -> str:
        return (
            f"notes: {self.confirmed} written in two windows, of which {self.kills} were killed;"
            f" {len(self.lost)} lost, the file damaged {len(self.damaged)} times"
        )

    def check(self) -> None:
        assert self.confirmed > self.kills, f"hardly anything was written: {self.text()}"
        assert not self.lost, f"lost: {self.lost[:5]}; {self.text()}"
        assert not self.damaged, self.damaged[0]


def write_notes(kills: int, seed: int, folder: Path) -> Notes:
    """Two windows on one recording, each in a process that is killed at a random moment and started again."""
    from visualizer.playback.notes_file import NotesError, load_notes, notes_path, save_notes
    from visualizer.recording.file import load

    path = folder / "run.pscope"
    path.write_bytes(seeds.recordings()["lesson"])
    trace, sidecar = load(path), notes_path(path)
    random, found = Random(seed), Notes()
    writers = [_Writer(path, folder, number) for number in range(2)]
    try:
        while found.kills < kills:
            victim = random.choice(writers)
            victim.wait_for(random.randint(1, 12))
            time.sleep(random.random() * 0.02)  # somewhere in the midst of what it does next
            victim.kill()
            found.kills += 1
            try:
                load_notes(sidecar, trace)
            except NotesError as error:
                found.damaged.append(str(error))
            victim.start()
    finally:
        for writer in writers:
            writer.kill()
    kept = load_notes(sidecar, trace)
    for left in folder.glob(_LEFT):
        os.utime(left, (0, 0))  # a minute later, when nobody writes it any more
    words = {word for mark in kept.marks for word in mark.text.split()}
    confirmed = [word for writer in writers for word in writer.confirmed]
    found.confirmed, found.lost = len(confirmed), [word for word in confirmed if word not in words]
    save_notes(sidecar, kept, trace, kept)
    found.damaged += [f"{left} was left" for left in folder.glob(_LEFT)]
    return found


class _Writer:
    """A window in a process of its own, and what it said is saved."""

    def __init__(self, path: Path, folder: Path, number: int) -> None:
        self._words = [str(path), str(folder / f"settings{number}.ini"), str(number)]
        self.confirmed: list[str] = []
        self._lives = 0
        self.start()

    def start(self) -> None:
        self._lives += 1
        environment = child_environment(QT_QPA_PLATFORM="offscreen", LC_ALL="C.UTF-8")
        self._process = subprocess.Popen(
            child_command(_WINDOW, *self._words, str(self._lives)),
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def wait_for(self, notes: int) -> None:
        """Until it has saved so many more. AssertionError if it ended, or does not come to that."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        watch = threading.Timer(_PATIENCE_S, self._process.kill)
        watch.start()
        try:
            for _ in range(notes):
                word = self._process.stdout.readline()
                assert word.endswith("\n"), f"a window ended: {self._process.stderr.read()}"
                self.confirmed.append(word.strip())
        finally:
            watch.cancel()

    def kill(self) -> None:
        """With what it said before it died."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        said, _ = self._process.communicate()
        self.confirmed += [word for word in said.split("\n")[:-1] if word]  # the last line may be half of one


def soak(what: Callable[[int, int, Path], Flat | Notes], count: int, seed: int) -> Flat | Notes:
    """One of the above, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        return what(count, seed, Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=int, default=300)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if said := missing():
        parser.error(said)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    bad = False
    for what, count in ((open_recordings, args.recordings), (make_runs, args.runs), (write_notes, args.kills)):
        if not count:
            continue
        began = time.monotonic()
        found = soak(what, count, args.seed)
        print(f"{found.text()}; {(time.monotonic() - began) / 60:.1f} minutes", flush=True)
        try:
            found.check()
        except AssertionError as error:
            print(f"  {error}", flush=True)
            bad = True
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
