"""Many cases of all kinds, in several processes: kinds take turns, so that what is done at any time is of all of them.

A campaign that keeps its state in a file goes on where it was when it ended, however it ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from tests.fuzz.batch import ROOT, Batch
from tests.fuzz.tally import Tally

_AT_ONCE, _AT_ONCE_S = 5000, 60.0
"""Cases and seconds of a process, before a new one takes over: its start takes as long as many a case, and at the end
all others wait for the last."""
_SAVED_EVERY_S = 10.0
_ENDLESS = 1 << 62
_FORMAT = "phasescope-fuzz"


class OtherState(ValueError):
    """A file of results that this campaign cannot go on with; the message says why and what to do."""


class Campaign:
    """Cases from seed `first` on: `wanted` of each kind, or, where that is None, as many as `seconds` allow, which the
    kinds share. `tallies` grow as it runs; `keep`: the file that they are kept in."""

    def __init__(
        self, wanted: Mapping[str, int | None], first: int, seconds: float | None = None, keep: Path | None = None
    ) -> None:
        self.first, self._wanted, self._seconds, self._keep = first, dict(wanted), seconds, keep
        self.tallies = {kind: Tally(kind) for kind in wanted}
        self._of = _of_files()
        self._lock = threading.Lock()
        self._running: dict[str, list[Batch]] = {kind: [] for kind in wanted}
        self._stopped = False
        self._saved = -_SAVED_EVERY_S
        if keep is not None and keep.exists():
            self._go_on(json.loads(keep.read_text(encoding="utf-8")))

    def run(self, jobs: int) -> None:
        """All of it, in so many processes at a time; KeyboardInterrupt ends them, and what they did is kept."""
        end = None if self._seconds is None else time.monotonic() + self._seconds
        with ThreadPoolExecutor(jobs) as pool:
            working = [pool.submit(self._work, jobs, end) for _ in range(jobs)]
            try:
                for one in working:
                    one.result()
            finally:
                self._stop()
                self._save()

    def _work(self, jobs: int, end: float | None) -> None:
        while (batch := self._next(jobs, end)) is not None:
            try:
                batch.run(partial(self._add, batch.kind))
            except BaseException:
                self._stop()
                raise
            finally:
                with self._lock:
                    self._running[batch.kind].remove(batch)
                    self.tallies[batch.kind].clock_s += batch.clock_s

    def _next(self, jobs: int, end: float | None) -> Batch | None:
        """The next cases: of the kind that is furthest behind."""
        with self._lock:
            if self._stopped or (end is not None and time.monotonic() >= end):
                return None
            behind = sorted((self._got(kind), kind) for kind in self._wanted if self._left(kind))
            if not behind:
                return None
            kind = behind[0][1]
            begun, ended = self._left(kind)[0]
            seconds = _AT_ONCE_S
            if end is not None and self._seconds is not None:
                share = self._seconds * jobs / len(self._wanted)
                seconds = min(seconds, end - time.monotonic(), max(share - self._spent(kind), 1.0))
            # A tenth: kinds take turns, and the last cases are not left to one process.
            some = max((self._wanted[kind] or _ENDLESS) // 10, 50)
            batch = Batch(kind, begun, min(_AT_ONCE, ended - begun, some), seconds)
            self._running[kind].append(batch)
            return batch

    def _got(self, kind: str) -> float:
        """How far a kind is, by share of its cases or by time."""
        count = self._wanted[kind]
        if count is None:
            return self._spent(kind)
        under_way = sum(batch.count for batch in self._running[kind])
        return (self.tallies[kind].cases + under_way) / count

    def _spent(self, kind: str) -> float:
        return self.tallies[kind].clock_s + sum(batch.clock_s for batch in self._running[kind])

    def _left(self, kind: str) -> list[tuple[int, int]]:
        """Stretches of seeds that nobody ran or runs."""
        count = self._wanted[kind]
        left = list(self.tallies[kind].left_of(self.first, _ENDLESS if count is None else self.first + count))
        for batch in self._running[kind]:
            ended = batch.first + batch.count
            left = [part for begun, end in left for part in ((begun, min(end, batch.first)), (max(begun, ended), end))]
            left = [(begun, end) for begun, end in left if begun < end]
        return left

    def _add(self, kind: str, seed: int, answer: dict[str, Any]) -> None:
        with self._lock:
            self.tallies[kind].add(seed, answer)
            save = time.monotonic() > self._saved + _SAVED_EVERY_S
        if save:
            self._save()

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for batches in self._running.values():
                for batch in batches:
                    batch.stop()

    def _save(self) -> None:
        with self._lock:
            self._saved = time.monotonic()
            if self._keep is None:
                return
            tallies = {kind: tally.as_json() for kind, tally in self.tallies.items()}
            document = {"format": _FORMAT, "of": self._of, "first": self.first, "kinds": tallies}
            beside = self._keep.with_name(self._keep.name + ".new")
            beside.write_text(json.dumps(document, indent=1), encoding="utf-8")
            os.replace(beside, self._keep)

    def _go_on(self, document: dict[str, Any]) -> None:
        if document.get("format") != _FORMAT or document.get("of") != self._of:
            raise OtherState(
                f"{self._keep} holds results of other files than these; name another file, or remove it to begin anew"
            )
        self.first = document["first"]
        self.tallies |= {kind: Tally.from_json(kept) for kind, kept in document["kinds"].items()}


def _of_files() -> str:
    """By what one knows again which phasescope, and which harness, results are of."""
    digest = hashlib.sha256()
    folders = (ROOT / name for name in ("visualizer", "kernels", "assets", "tests/fuzz"))
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        if path.suffix != ".pyc":
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
