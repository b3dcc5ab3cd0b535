"""snapshot.toml: barriers with their words, and agents with where they stand. docs/snapshot.md is its reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visualizer.diagnosis.snapshot.words import MOST_COUNT, Word, word_of
from visualizer.language import tr
from visualizer.recording.bounded_toml import read_toml
from visualizer.recording.quoting import quoted
from visualizer.recording.regular_file import read_regular

FORMAT = "phasescope-snapshot"
VERSION = 1
MOST_BYTES = 4 << 20
MOST_ROWS = 1 << 14
_LONGEST = 200


class SnapshotError(ValueError):
    """A snapshot that cannot be read; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class SeenBarrier:
    """A barrier at that moment. `arrivers`: agents that can arrive on it, as far as told."""

    name: str
    word: Word
    count: int | None = None
    arrivers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenAgent:
    """An agent at that moment. `waits`: the name of the barrier that it waits on, "" if that is not told."""

    name: str
    at: str = ""
    waits: str = ""
    parity: int = -1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment."""

    barriers: tuple[SeenBarrier, ...]
    agents: tuple[SeenAgent, ...] = ()

    def barrier(self, name: str) -> SeenBarrier:
        """The barrier of that name. SnapshotError if there is none."""
        for barrier in self.barriers:
            if barrier.name == name:
                return barrier
        raise SnapshotError(tr("there is no barrier {name!r}", name=name[:_LONGEST]))


def load_snapshot(path: Path) -> Snapshot:
    """The snapshot in a file. SnapshotError, which names it."""
    try:
        content = read_regular(path, MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise SnapshotError(tr("it is too large for a snapshot"))
        return decode_snapshot(read_toml(content.decode()))
    except SnapshotError as error:
        raise SnapshotError(f"{path}: {error}; docs/snapshot.md") from None
    except OSError as error:
        raise SnapshotError(
            tr("{path}: it cannot be read: {strerror}", path=path, strerror=error.strerror or error)
        ) from None
    except (ValueError, RecursionError) as error:
        raise SnapshotError(tr("{path}: it is no TOML ({error})", path=path, error=error)) from None


def decode_snapshot(document: Mapping[str, Any]) -> Snapshot:
    """The snapshot that TOML holds. SnapshotError says what is wrong."""
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise SnapshotError(
            tr('it must say format = "{format}" and version = {version}', format=FORMAT, version=VERSION)
        )
    barriers = tuple(_barrier(row, place) for place, row in _rows(document, "barriers"))
    agents = tuple(_agent(row, place) for place, row in _rows(document, "agents"))
    if not barriers:
        raise SnapshotError(tr("it has no [[barriers]]"))
    snapshot = Snapshot(barriers, agents)
    check(snapshot)
    return snapshot


def check(snapshot: Snapshot) -> None:
    """SnapshotError for names that are not there, or there twice."""
    names: set[str] = set()
    for name in [*(barrier.name for barrier in snapshot.barriers), *(agent.name for agent in snapshot.agents)]:
        if name in names:
            raise SnapshotError(tr("two barriers or agents are called {name!r}", name=name))
        names.add(name)
    known = {barrier.name for barrier in snapshot.barriers}
    for agent in snapshot.agents:
        if agent.waits and agent.waits not in known:
            snapshot.barrier(agent.waits)


def encode_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """What `decode_snapshot` reads."""
    barriers = []
    for barrier in snapshot.barriers:
        row: dict[str, Any] = {"name": barrier.name, "word": f"{barrier.word.value:#018x}"}
        if barrier.count is not None:
            row["count"] = barrier.count
        if barrier.arrivers:
            row["arrivers"] = list(barrier.arrivers)
        barriers.append(row)
    agents = []
    for agent in snapshot.agents:
        row = {"name": agent.name}
        row |= {"at": agent.at} if agent.at else {}
        row |= {"waits": agent.waits, "parity": agent.parity} if agent.waits else {}
        agents.append(row)
    return {"format": FORMAT, "version": VERSION, "barriers": barriers, "agents": agents}


def word_from(value: Any) -> Word:
    """The word of a number, or of a text such as 0x80000000_00000000. SnapshotError if it is none."""
    number = value
    if isinstance(value, str) and len(value) <= 40:
        try:
            number = int(value, 0)
        except ValueError:
            number = None
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 64:
        raise SnapshotError(tr("{value} is no word of 64 bits, such as 0x7ffff80000000000", value=quoted(value)))
    return word_of(number)


def _rows(document: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
    rows = document.get(key, [])
    if not isinstance(rows, list) or len(rows) > MOST_ROWS or not all(isinstance(row, dict) for row in rows):
        raise SnapshotError(tr("{key} must be up to {most} tables, [[{key}]]", key=key, most=MOST_ROWS))
    return [(f"{key}[{number}]", row) for number, row in enumerate(rows)]


def _barrier(row: Mapping[str, Any], place: str) -> SeenBarrier:
    if "word" not in row:
        raise SnapshotError(tr("{place} has no word", place=place))
    count = row.get("count")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_COUNT):
        raise SnapshotError(tr("{place}.count is {value}; it must be 1 to {most}", place=place, value=quoted(count),
                               most=MOST_COUNT))  # fmt: skip
    arrivers = row.get("arrivers", [])
    if not isinstance(arrivers, list) or not all(isinstance(name, str) for name in arrivers):
        raise SnapshotError(tr("{place}.arrivers must be a list of names", place=place))
    name = row.get("name")
    address = row.get("address")
    if name is None and isinstance(address, int) and not isinstance(address, bool):
        name = f"{address:#x}"
    return SeenBarrier(_text(name, f"{place}.name"), word_from(row["word"]), count, tuple(arrivers))


def _agent(row: Mapping[str, Any], place: str) -> SeenAgent:
    waits, parity = row.get("waits", ""), row.get("parity", -1)
    if isinstance(waits, int) and not isinstance(waits, bool):
        waits = f"{waits:#x}"
    at = row.get("at", "")
    at = at if at == "" else _text(at, f"{place}.at")
    waits = waits if waits == "" else _text(waits, f"{place}.waits")
    if waits and (not isinstance(parity, int) or isinstance(parity, bool) or parity not in (0, 1)):
        raise SnapshotError(tr("{place} waits, so its parity must be 0 or 1", place=place))
    return SeenAgent(_text(row.get("name"), f"{place}.name"), at, waits, parity if waits else -1)


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        raise SnapshotError(
            tr("{place} is {value}; it must be a text of 1 to {most} characters", place=place, value=quoted(value),
               most=_LONGEST)
        )  # fmt: skip
    return value
