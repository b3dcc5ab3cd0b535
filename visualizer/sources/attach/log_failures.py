"""Failed tries of waiting loops: which wait of theirs passed, and which is still waited for.

A lane waits for itself: while one that was elected to copy waits for a stage, the others of its warp may go on and
arrive elsewhere. So what comes next is asked of the lane, whose stream it is, and only then of the warp: lanes that
waited apart may pass as one, which the lowest of them records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.sources.attach.log_rows import Rows
from visualizer.sources.attach.ptx.sequence import PASSED


@dataclass(eq=False)
class Failures:
    """Rows of failed tries of loops that wait. All ascending but `passes`."""

    passed: Ints  # whose wait passed
    passes: Ints  # the row in which each of those did
    open: Ints  # what a warp still waits for at the end, one at most of each; with nothing of the warp behind it


def failures(rows: Rows, spun: Ints) -> tuple[Rows, Ints | slice, Failures]:
    """The rows with what is still waited for behind all else of its warp, their order, and what became of `spun`, the
    failed tries of loops that wait."""
    passed, passes, waits = _fates(rows, spun)
    order: Ints | slice = slice(None)  # as they were
    if len(waits):
        behind = np.minimum(waits + 1, len(rows) - 1)
        goes_on = (behind > waits) & (rows.warp[behind] == rows.warp[waits])
        if goes_on.any():
            last = np.zeros(len(rows), np.int64)
            last[waits] = 1
            order = moved = np.argsort(2 * rows.warp + last, kind="stable")
            place = np.empty(len(rows), np.int64)
            place[moved] = np.arange(len(rows))
            rows, passed, passes, waits = rows.take(moved), place[passed], place[passes], place[waits]
    return rows, order, Failures(passed, passes, waits)


def _fates(rows: Rows, spun: Ints) -> tuple[Ints, Ints, Ints]:
    """Of `spun` those that passed, in which row, and the last one of each warp that did not."""
    following = _next_of_stream(rows, spun)
    by_lane = following >= 0
    by_lane[by_lane] = _passes(rows, spun[by_lane], following[by_lane])
    next_row = np.minimum(spun + 1, len(rows) - 1)
    by_warp = (rows.warp[next_row] == rows.warp[spun]) & _passes(rows, spun, next_row)
    has_passed = by_lane | by_warp
    waits = spun[(following < 0) & ~has_passed]
    waits = waits[~_passed_later(rows, waits)]
    waits = waits[np.diff(rows.warp[waits], append=-1) != 0]
    return spun[has_passed], np.where(by_lane, following, next_row)[has_passed], waits


def _passes(rows: Rows, failed: Ints, row: Ints) -> NDArray[np.bool_]:
    """Whether a row says that what was asked in another has passed."""
    passes: NDArray[np.bool_] = rows.part[row] == PASSED
    passes &= (rows.site[row] == rows.site[failed]) & (rows.address[row] == rows.address[failed])
    return passes


def _next_of_stream(rows: Rows, of: Ints) -> Ints:
    """The next row of the same stream; -1: there is none."""
    if (rows.stream[1:] >= rows.stream[:-1]).all():
        following = np.minimum(of + 1, len(rows) - 1)
        return np.where((following > of) & (rows.stream[following] == rows.stream[of]), following, -1)
    order = np.argsort(rows.stream, kind="stable")
    behind = np.full(len(rows), -1)
    same = np.flatnonzero(rows.stream[order[1:]] == rows.stream[order[:-1]])
    behind[order[same]] = order[same + 1]
    return behind[of]


def _passed_later(rows: Rows, waits: Ints) -> NDArray[np.bool_]:
    """Whether another lane of the warp passed later what these still ask: then the phase is complete for all."""
    if not len(waits):
        return np.zeros(0, bool)
    asking = np.zeros(int(rows.warp.max()) + 1, bool)
    asking[rows.warp[waits]] = True
    later = np.flatnonzero(asking[rows.warp] & (rows.part == PASSED))
    both = np.concatenate([waits, later])
    asked = np.stack([rows.warp[both], rows.site[both], rows.address[both].astype(np.int64)])
    _, question = np.unique(asked, axis=1, return_inverse=True)
    question = question.reshape(-1)
    latest = np.full(len(both), -1)
    np.maximum.at(latest, question[len(waits) :], later)
    return latest[question[: len(waits)]] > waits
