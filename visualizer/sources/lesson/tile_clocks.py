"""The clocks a warp kept of its tiles, as 64-bit SM cycles; those its level leaves out are estimated.

kernels/clock_log.cuh says what each level keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.sources.lesson.raw_log import RawLog

Ints = NDArray[np.int64]

LAP = 1 << 32
_BACK = 1 << 16  # a step of nearly a lap is a small step back: the lowest bit of a clock can be a flag
_QUICK = 40
"""Cycles a wait takes that passes at once, where only its end is known [H200: 30 to 60]."""


@dataclass(frozen=True, eq=False)
class TileClocks:
    """When a warp did what with each tile it has a record of. All arrays (n,), SM cycles."""

    begun: Ints  # its wait began
    passed: Ints  # and passed
    copying: Ints  # a producer issues its first copy
    ended: Ints  # a producer has issued the last; a consumer has released the stage
    blocked: NDArray[np.bool_]  # the wait did not pass at once
    estimated: frozenset[str]  # names of the arrays that are estimates
    last: int  # when the wait after the last record began
    missed_laps: int  # laps of the 32-bit clock that lie in some gap between two clocks, which is too short by them


def producer_clocks(raw: RawLog, cta: int, tiles: int, delay: int) -> TileClocks:
    """Of a producer with this many tiles; records beyond are its last waits. It works `delay` cycles before each."""
    slice_ = cta * raw.warps
    words = raw.clocks(0)[cta, : raw.stored[slice_]].copy()
    if raw.level == "full":
        words[tiles:, 2] = words[tiles:, 1]  # no copy
    clocks, blocked, last, missed = _unwrapped(raw, slice_, words)
    if raw.level == "full":
        begun, passed, copying, ended = clocks.T
        return TileClocks(begun, passed, copying, ended, blocked, frozenset(), last, missed)
    passed = clocks[:, 0]
    begin = int(raw.spans["begin"][slice_])
    if raw.level == "standard":
        ended = clocks[:, 1]
        begun = np.minimum(np.concatenate([[begin], ended[:-1]])[: len(ended)] + delay, passed)
        guessed = {"copying", "begun"} if delay else {"copying"}
        return TileClocks(begun, passed, (passed + ended) // 2, ended, blocked, frozenset(guessed), last, missed)
    ended = _guessed_ends(passed, blocked, last)
    begun = _begins(begin, ended)
    return TileClocks(
        begun, passed, (passed + ended) // 2, ended, blocked, frozenset({"begun", "copying", "ended"}), last, missed
    )


def consumer_clocks(raw: RawLog, cta: int, warp: int, reused: Ints) -> TileClocks:
    """Of a consumer warp. `reused`: when the producer found each tile's stage free again, as far as that is known.

    A warp without records of its own (level `phases`) is taken to have done as the first consumer did.
    """
    speaker = min(warp, raw.logging_warps - 1)
    slice_, speaks = cta * raw.warps + warp, cta * raw.warps + speaker
    words = raw.clocks(speaker)[cta, : min(raw.stored[slice_], raw.stored[speaks])]
    clocks, blocked, last, missed = _unwrapped(raw, speaks, words)
    begin = int(raw.spans["begin"][speaks])
    if raw.level == "full":
        begun, passed = clocks.T
        ended = np.append(begun[1:], last)[: len(begun)]
        return TileClocks(begun, passed, passed, ended, blocked, frozenset(), last, missed)
    passed = clocks[:, 0]
    ended = _guessed_ends(passed, blocked, last)
    known = min(len(reused), len(ended))
    ended[:known] = np.maximum(np.minimum(ended[:known], reused[:known] - 1), passed[:known])
    begun = _begins(begin, ended)
    if speaker != warp and raw.spans["end"][slice_]:
        left = int(raw.spans["end"][slice_])
        begun, passed, ended = (np.minimum(clock, left) for clock in (begun, passed, ended))
    if speaker == warp:
        return TileClocks(begun, passed, passed, ended, blocked, frozenset({"begun", "ended"}), last, missed)
    return TileClocks(begun, passed, passed, ended, blocked, frozenset({"begun", "passed", "ended"}), last, 0)


def unwrap(begin: Ints, *words: NDArray[np.uint32]) -> Ints:
    """The words of several warps, (warps, ...) one behind the other, as the 64-bit clocks that follow `begin`."""
    chain = np.concatenate([begin.astype(np.uint32)[:, None], *words], axis=1)
    steps = np.diff(chain).astype(np.int64)
    np.subtract(steps, LAP, out=steps, where=steps > LAP - _BACK)
    clocks = np.cumsum(steps, axis=1, out=steps)
    clocks += begin[:, None]
    return np.maximum.accumulate(clocks, axis=1, out=clocks)


def _unwrapped(raw: RawLog, slice_: int, words: NDArray[np.uint32]) -> tuple[Ints, NDArray[np.bool_], int, int]:
    """The records as 64-bit clocks, whether each wait blocked, when what followed began, and laps missed."""
    span = raw.spans[slice_]
    begin = int(span["begin"])
    blocked = (words[:, 1 if raw.level == "full" else 0] & 1).astype(bool)
    has_rest = bool(span["begun"]) and raw.lost[slice_] == 0
    rest = np.array([[span["begun"]] if has_rest else []], np.uint32)
    clocks = unwrap(np.array([begin]), words.reshape(1, -1), rest)[0]
    last = int(clocks[-1]) if len(clocks) else begin
    # Its end is known in full; what lies between its last clock and that is short, unless a wait gave up.
    missed = 0
    if has_rest and span["end"] and not span["timeout"]:
        missed = max((int(span["end"]) - last) // LAP, 0)
    return clocks[: words.size].reshape(words.shape), blocked, last, missed


def _begins(begin: int, ended: Ints) -> Ints:
    """A wait begins as the tile before it ends."""
    return np.concatenate([[begin], ended[:-1]]).astype(np.int64)[: len(ended)]


def _guessed_ends(passed: Ints, blocked: NDArray[np.bool_], last: int) -> Ints:
    """When each tile ended, of waits' ends alone.

    Right before the next wait passed, if that passed at once; otherwise after as long as tiles usually took.
    """
    following = np.append(passed[1:], max(last, int(passed[-1]))) if len(passed) else passed
    waits = np.append(blocked[1:], False) if len(blocked) else blocked
    room = np.maximum(following - _QUICK - passed, 0)
    at_once = room[~waits[: len(room)]][:-1]
    usual = int(np.median(at_once)) if len(at_once) else int(room.min(initial=_QUICK)) // 2
    ended: Ints = passed + np.where(waits, np.minimum(room, usual), room)
    return ended
