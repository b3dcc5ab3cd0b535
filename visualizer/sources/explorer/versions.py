"""Which version of a place a copy or a write makes, and which a read means: by the tile, where both number alike."""

from __future__ import annotations

from collections import defaultdict

from visualizer.sources.explorer.steps import Compiled


class Laps:
    """How often an agent has come back to the same tile of the same place."""

    def __init__(self) -> None:
        self.waits = 0
        self._last: dict[int, tuple[int, int]] = {}  # place -> tile there last, waits at the time
        self._count: dict[tuple[int, int], int] = {}

    def of(self, place: int, tile: int) -> int:
        last = self._last.get(place)
        key = (place, tile)
        if last is None or last[0] != tile or (tile < 0 and last[1] != self.waits):
            self._count[key] = self._count.get(key, -1) + 1
        self._last[place] = (tile, self.waits)
        return self._count[key]


Use = tuple[int, int]
"""Of a place by an agent: the tile, and how often it has come back to that."""


class Versions:
    """Numbers versions as they are written; then, when all are, tells what is read.

    A reader of whose tiles the fills know half or less numbers them in its own way: then its n-th use of a place is of
    the n-th fill, if it uses as many as there are.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._versions: dict[tuple[int, int, int], int] = {}
        self._laps: dict[tuple[int, int], int] = {}  # (place, tile) -> versions of it
        self._fills: defaultdict[int, list[int]] = defaultdict(list)  # place -> its versions, as they are written
        self._fillers: defaultdict[int, set[int]] = defaultdict(set)
        self._uses: defaultdict[tuple[int, int], dict[Use, int]] = defaultdict(dict)  # (thread, place) -> their order
        self._by_order: set[int] = set()  # threads that number tiles in their own way

    def written(self, thread: int, place: int, tile: int, lap: Laps, *, pieces: int = 1) -> int:
        """The version that a copy or a write into the place is a piece of, or changes; counts the piece."""
        key = (place, tile, lap.of(place, tile))
        self._laps[key[:2]] = max(self._laps.get(key[:2], 0), key[2] + 1)
        version = self._versions.setdefault(key, len(self._versions))
        if version == len(self._compiled.pieces):
            self._compiled.pieces.append(0)
            self._compiled.readers.append([])
            self._fills[place].append(version)
        self._fillers[place].add(thread)
        self._compiled.pieces[version] += pieces
        return version

    def will_read(self, thread: int, place: int, tile: int, lap: Laps) -> None:
        """Told of every read in the agent's order, before any is asked for."""
        uses = self._uses[thread, place]
        uses.setdefault((tile, lap.of(place, tile)), len(uses))

    def settle(self) -> None:
        """All is written, and all reads are told of: find who numbers tiles in its own way."""
        known: defaultdict[int, list[bool]] = defaultdict(list)
        for (thread, place), uses in self._uses.items():
            if self._fills[place]:
                known[thread] += [(place, tile) in self._laps for tile, _ in uses if tile >= 0]
        self._by_order = {thread for thread, told in known.items() if not all(told) and 2 * sum(told) <= len(told)}

    def read(self, thread: int, place: int, tile: int, lap: Laps) -> int:
        """What a read means to see; -1 if nothing in the program puts that tile there."""
        use = (tile, lap.of(place, tile))
        if place in self._compiled.unjudged:
            return -1
        if thread in self._by_order:
            uses, fills = self._uses[thread, place], self._fills[place]
            return fills[uses[use]] if len(uses) == len(fills) and len(self._fillers[place]) == 1 else -1
        laps = self._laps.get((place, tile), 0)
        return self._versions[place, tile, min(use[1], laps - 1)] if laps else -1
