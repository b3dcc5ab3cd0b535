"""What came of the cases of one kind: faults by place, how far the others got, and what they cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

HEAD = (
    f"{'kind':10} {'cases':>8} {'refused':>8} {'faults':>8} {'slowest':>10} {'memory':>12} {'CPU a case':>11}"
    f" {'by clock':>11}"
)
_COUNTED = ("ways", "opened", "reached", "refused")
_PAIRS = ("slowest", "greediest", "held")


@dataclass
class Tally:
    """What came of the cases of one kind. `seeds`: those that were run, as stretches [first, end) in order."""

    kind: str
    cases: int = 0
    seeds: list[list[int]] = field(default_factory=list)
    faults: dict[str, list[int]] = field(default_factory=dict)
    tracebacks: dict[str, str] = field(default_factory=dict)
    ways: Counter[str] = field(default_factory=Counter)
    opened: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)
    greediest: tuple[int, int] = (0, -1)
    held: tuple[float, str, int] = (0.0, "", -1)
    cpu_s: float = 0.0
    clock_s: float = 0.0
    """Of one process, with its start."""

    def add(self, seed: int, answer: dict[str, Any]) -> None:
        self.cases += 1
        _put(self.seeds, seed)
        if "fault" in answer:
            self.faults.setdefault(answer["fault"], []).append(seed)
            self.tracebacks.setdefault(answer["fault"], answer.get("traceback", ""))
        for way in set(answer.get("ways", ())):
            self.ways[way] += 1
            self.opened[way] += bool(answer["reached"])
        self.reached.update(answer.get("reached", ()))
        if answer.get("refused"):
            self.refused[_kind_of_sentence(answer["refused"])] += 1
        self.cpu_s += answer.get("cpu_s", 0.0)
        self.slowest = max(self.slowest, (answer.get("seconds", 0.0), seed))
        self.greediest = max(self.greediest, (answer.get("bytes", 0), seed))
        self.held = max(self.held, (*answer.get("held", (0.0, "")), seed))

    def left_of(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """What of the seeds [first, end) was not run, as such stretches."""
        for begun, ended in self.seeds:
            if first < min(begun, end):
                yield first, min(begun, end)
            first = max(first, ended)
        if first < end:
            yield first, end

    def row(self) -> str:
        """A line of the table over all kinds."""
        found, refused, cases = sum(map(len, self.faults.values())), sum(self.refused.values()), max(self.cases, 1)
        return (f"{self.kind:10} {self.cases:8,} {refused:8,} {found:8,} {self.slowest[0]:8.2f} s"
                f" {self.greediest[0] / 2**20:8.0f} MiB {self.cpu_s / cases * 1e3:8.1f} ms"
                f" {self.clock_s / cases * 1e3:8.1f} ms")  # fmt: skip

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

    def as_json(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Tally:
        """Of what `as_json` gave."""
        counted = {key: Counter(document[key]) for key in _COUNTED}
        return cls(**document | counted | {key: tuple(document[key]) for key in _PAIRS})


def _put(stretches: list[list[int]], seed: int) -> None:
    """Add a seed to stretches in order that do not touch each other."""
    at = next((at for at, (begun, end) in enumerate(stretches) if seed <= end), len(stretches))
    if at == len(stretches) or seed < stretches[at][0] - 1:
        stretches.insert(at, [seed, seed + 1])
        return
    stretches[at] = [min(stretches[at][0], seed), max(stretches[at][1], seed + 1)]
    if at + 1 < len(stretches) and stretches[at][1] == stretches[at + 1][0]:
        stretches[at : at + 2] = [[stretches[at][0], stretches[at + 1][1]]]


def _kind_of_sentence(sentence: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"|\S*[\d\[\]{}.]\S*", "#", sentence)[:60]
