"""Many cases, in several processes, and what came of them: faults by place, and how far the others got."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = f"{'kind':10} {'cases':>8} {'refused':>8} {'faults':>8} {'slowest':>10} {'memory':>12}"
_AT_ONCE = 200
"""Cases a process runs before a new one takes over."""
_SILENT_S = 300.0
"""So long a case may say nothing by the clock on the wall: it waits for something that never comes. Processor time, of
which a busy machine gives little, has a limit of its own."""


@dataclass
class Tally:
    """What came of the cases of one kind."""

    kind: str
    cases: int = 0
    faults: dict[str, list[int]] = field(default_factory=dict)
    tracebacks: dict[str, str] = field(default_factory=dict)
    ways: Counter[str] = field(default_factory=Counter)
    opened: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)
    greediest: tuple[int, int] = (0, -1)
    held: tuple[float, str, int] = (0.0, "", -1)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, seed: int, answer: dict[str, Any]) -> None:
        with self._lock:
            self.cases += 1
            if "fault" in answer:
                self.faults.setdefault(answer["fault"], []).append(seed)
                self.tracebacks.setdefault(answer["fault"], answer.get("traceback", ""))
            for way in set(answer.get("ways", ())):
                self.ways[way] += 1
                self.opened[way] += bool(answer["reached"])
            self.reached.update(answer.get("reached", ()))
            if answer.get("refused"):
                self.refused[_kind_of_sentence(answer["refused"])] += 1
            self.slowest = max(self.slowest, (answer.get("seconds", 0.0), seed))
            self.greediest = max(self.greediest, (answer.get("bytes", 0), seed))
            self.held = max(self.held, (*answer.get("held", (0.0, "")), seed))

    def row(self) -> str:
        """A line of the table over all kinds."""
        found, refused = sum(map(len, self.faults.values())), sum(self.refused.values())
        return (f"{self.kind:10} {self.cases:8,} {refused:8,} {found:8,} {self.slowest[0]:8.2f} s"
                f" {self.greediest[0] / 2**20:8.0f} MiB")  # fmt: skip

    def text(self) -> str:
        found = sum(map(len, self.faults.values()))
        lines = [f"{self.kind}: {self.cases} cases, {found} faults in {len(self.faults)} places"]
        for fault, seeds in sorted(self.faults.items(), key=lambda item: -len(item[1])):
            lines.append(f"  {len(seeds):5} {fault}; seeds {', '.join(map(str, sorted(seeds)[:5]))}")
        lines.append(f"  slowest {self.slowest[0]:.2f} s (seed {self.slowest[1]}),"
                     f" most memory {self.greediest[0] / 2**20:.0f} MiB (seed {self.greediest[1]})")  # fmt: skip
        if self.held[0]:
            lines.append(
                f"  a window stood still for {self.held[0]:.2f} s at most, {self.held[1]} (seed {self.held[2]})"
            )
        if self.ways:
            ways = (f"{way} {self.opened[way]}/{n}" for way, n in sorted(self.ways.items()))
            lines.append(f"  opened, of those damaged so: {', '.join(ways)}")
        if self.reached:
            lines.append(f"  reached: {', '.join(f'{stage} {n}' for stage, n in self.reached.items())}")
        if self.refused:
            lines.append(f"  {sum(self.refused.values())} refused, in {len(self.refused)} different sentences")
        return "\n".join(lines)


def campaign(kind: str, first: int, until: float | None, count: int | None, jobs: int) -> Tally:
    """Run cases from seed `first` on, `count` of them or until that time (time.monotonic)."""
    tally = Tally(kind)
    take = threading.Lock()
    following = first

    def next_batch() -> tuple[int, int]:
        nonlocal following
        with take:
            left = _AT_ONCE if count is None else min(_AT_ONCE, first + count - following)
            begin, following = following, following + max(left, 0)
            return begin, left

    def work() -> None:
        while until is None or time.monotonic() < until:
            begin, left = next_batch()
            while left > 0 and (until is None or time.monotonic() < until):
                done = _batch(tally, kind, begin, left, until)
                begin, left = begin + done, left - done
            if left <= 0 and count is not None and following >= first + count:
                return

    with ThreadPoolExecutor(jobs) as workers:
        for working in [workers.submit(work) for _ in range(jobs)]:
            working.result()
    return tally


def _batch(tally: Tally, kind: str, first: int, count: int, until: float | None) -> int:
    """Cases from `first` on in one process, until one of them ends it; how many were run."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.fuzz.worker", kind, str(first), str(count)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert process.stdout is not None
        done, current = 0, None
        watch = threading.Timer(_SILENT_S, process.kill)
        watch.start()
        for raw in process.stdout:
            watch.cancel()
            watch = threading.Timer(_SILENT_S, process.kill)
            watch.start()
            line = json.loads(raw)
            if "begin" in line:
                current = line["begin"]
                continue
            tally.add(line["end"], line)
            done, current = done + 1, None
            if until is not None and time.monotonic() > until:
                process.kill()
                break
        watch.cancel()
        code = process.wait()
        process.stdout.close()
        if current is not None and (until is None or time.monotonic() < until):
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")
            tally.add(current, {"fault": last_words(code, said), "traceback": said})
            done += 1
        elif not done and code and (until is None or time.monotonic() < until):
            errors.seek(0)
            raise RuntimeError(f"no case ran: {errors.read().decode('utf-8', 'replace')}")
    return done


def last_words(code: int, said: str) -> str:
    """Why a process ended in the middle of a case: the signal, and where it was."""
    import signal

    name = signal.Signals(-code).name if code < 0 else f"status {code}"
    what = {"SIGPROF": "took over 5 s", "SIGKILL": "waited for ever"}.get(name, f"ended the process: {name}")
    place = re.search(r'File ".*/visualizer/([^"]+)", line (\d+) in (\S+)', said)
    return f"{what} at {place[1]}:{place[2]} {place[3]}" if place else what


def _kind_of_sentence(sentence: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"|\S*[\d\[\]{}.]\S*", "#", sentence)[:60]
