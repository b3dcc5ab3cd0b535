"""From SM cycles to picoseconds on one scale, piece by piece between the anchors of each SM.

Every SM counts its own cycles (clock64); the global timer is common to all but ticks every 32 ns only [H200]. Anchors
pair the two right after a tick. SMs run at rates that differ by some parts in 100 000, and one that begins to work
runs up to 1 % slow for some 40 us [H200], so no single rate holds for a run. Each SM's time goes through all its
anchors - of its CTAs' starts and ends, and of a calibration kernel before and after - and is straight between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.recording.facts import Clock
from visualizer.recording.trace import TraceError

_TOGETHER = 2_000
"""Cycles within which anchors of one SM are one knot: so close, their ticks say nothing about the rate."""
_CARELESS = 4
"""An anchor whose clock reads lie this many times as far apart as usual was interrupted, and counts for nothing."""
_LANE = 1 << 44
"""More cycles than any run takes (2.5 hours): keeps the SMs apart in one sorted column."""
_MOST_NS = (1 << 53) // 1000
"""As long as that: more picoseconds than a recording's times may have."""
MOST_SMS = 1 << 16
MOST_CLOCK = 1 << 62
"""Of clocks and global times: of higher ones the difference could overflow."""


@dataclass(frozen=True, eq=False)
class ClockFit:
    """Per SM, knots of cycles and global time in ascending order; straight lines between them, and on beyond the ends.

    Each SM's knots are followed by as many pieces as it has knots: piece k begins at knot k.
    """

    origin_ns: int
    sms: NDArray[np.uint32]  # SM ids, ascending
    ps_per_cycle: NDArray[np.float64]  # (sms,): over all the time its anchors span
    origin_cycles: NDArray[np.uint64]  # (sms,): of its first anchor in the run
    usual: NDArray[np.int64]  # (sms,): the piece that begins with its first anchor in the run
    keys: NDArray[np.int64]  # (knots,): SM's row * _LANE + cycles after its origin; ascending
    knot_clock: NDArray[np.uint64]  # (knots,): the clock's value
    length: NDArray[np.int64]  # (knots,): cycles to the SM's next knot; without one, more than any run takes
    knot_ps: NDArray[np.float64]  # (knots,): after origin_ns
    slopes: NDArray[np.float64]  # (knots,): ps per cycle of the piece that begins there
    residual_ns: float  # median over the run's anchors: how far off the fit may be at and after one, see _bends
    residual_max_ns: float

    def to_ps(self, cycles: NDArray[np.uint64], smid: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Picoseconds after `origin_ns` of each clock value; both arguments and the result have one shape. TraceError
        if one lies hours away, or its SM has no anchor.

        Differences from a knot stay far below 2^53 cycles, so float arithmetic rounds by far less than 1 ps.
        """
        row = self._row(smid) if len(self.sms) > 1 else np.zeros(len(cycles), np.int64)
        piece = self.usual[row]
        since = (cycles - self.knot_clock[piece]).view(np.int64)
        # Nearly all clocks lie between the first two anchors of their SM's run: the others alone are searched for.
        elsewhere = np.flatnonzero((since < 0) | (since >= self.length[piece]))
        if len(elsewhere):
            row = row[elsewhere]
            elapsed = (cycles[elsewhere] - self.origin_cycles[row]).view(np.int64)
            _check(self.sms[row], (elapsed <= -_LANE // 2) | (elapsed >= _LANE))
            found = np.searchsorted(self.keys, row * _LANE + elapsed, side="right") - 1
            piece[elsewhere] = np.maximum(found, np.searchsorted(self.keys, row * _LANE - _LANE // 2))
            since[elsewhere] = beyond = (cycles[elsewhere] - self.knot_clock[piece[elsewhere]]).view(np.int64)
            _check(self.sms[row], np.abs(beyond * self.slopes[piece[elsewhere]]) >= _MOST_NS * 1000.0)
        after = since * self.slopes[piece]
        after += self.knot_ps[piece]
        result: NDArray[np.int64] = np.rint(after, out=after).astype(np.int64)
        return result

    def of_sm(self, cycles: NDArray[np.uint64], sm: int) -> NDArray[np.int64]:
        """The same for clock values of one SM, any shape: the usual case, that of a CTA, without a search."""
        piece = self.usual[self._row(np.array([sm]))[0]]
        since = (cycles - self.knot_clock[piece]).view(np.int64)
        if since.size and (since.min() < 0 or since.max() >= self.length[piece]):
            return self.to_ps(cycles.ravel(), np.full(cycles.size, sm, np.uint32)).reshape(cycles.shape)
        after = since * self.slopes[piece]
        after += self.knot_ps[piece]
        result: NDArray[np.int64] = np.rint(after, out=after).astype(np.int64)
        return result

    def _row(self, smid: NDArray[np.integer]) -> NDArray[np.int64]:
        """The row of each SM. TraceError if one has no anchor."""
        row = np.minimum(np.searchsorted(self.sms, smid), len(self.sms) - 1)
        _check(smid, self.sms[row] != smid)
        return row

    def as_dict(self) -> Clock:
        """What goes into Trace.meta.clock."""
        return {
            "ps_per_cycle": float(np.median(self.ps_per_cycle)),
            "residual_ns": self.residual_ns,
            "residual_max_ns": self.residual_max_ns,
            "method": "straight between the anchors of each SM",
            "sms": len(self.sms),
        }


def fit_clock(anchors: NDArray[np.void], calibration: NDArray[np.void]) -> ClockFit:
    """Fit the clocks from a run's anchors, (ctas, 2), and a calibration kernel's, (n, 2); n may be 0.

    A CTA that never left has no second anchor (all zeros); its first still counts.
    Raises TraceError if no CTA has an anchor, if all of them together span no time, or if one cannot be.
    """
    taken = anchors[anchors["globaltimer"] > 0]
    if not len(taken):
        raise TraceError(tr("the log holds no clock anchor: the kernel did not start"))
    high = np.maximum(taken["clock"], taken["globaltimer"]) >= MOST_CLOCK
    _check(taken["smid"], (taken["smid"] >= MOST_SMS) | high)
    sms, row = np.unique(taken["smid"], return_inverse=True)
    rates = _rates(np.concatenate([anchors.reshape(-1, 2), calibration.reshape(-1, 2)]), sms)
    first = np.zeros(len(sms), dtype=np.intp)
    first[row[::-1]] = np.arange(len(taken))[::-1]
    origin_cycles = taken["clock"][first]
    origin_ns = int(taken["globaltimer"].min())

    others = calibration.reshape(-1)
    others = others[(others["globaltimer"] > 0) & np.isin(others["smid"], sms)]
    pairs = np.concatenate([taken, others])
    row = np.searchsorted(sms, pairs["smid"])
    cycles = (pairs["clock"] - origin_cycles[row]).astype(np.int64)
    # Signed: calibration comes before the run's first anchor too.
    nanoseconds = (pairs["globaltimer"] - np.uint64(origin_ns)).astype(np.int64)
    far = (cycles <= -_LANE // 2) | (cycles >= _LANE) | (nanoseconds <= -_MOST_NS) | (nanoseconds >= _MOST_NS)
    _check(taken["smid"], far[: len(taken)])
    # A calibration of hours ago tells rates, and no more.
    pairs, row, cycles, nanoseconds = pairs[~far], row[~far], cycles[~far], nanoseconds[~far]
    picoseconds = nanoseconds * 1000.0
    in_run = np.arange(len(pairs)) < len(taken)
    careful = pairs["uncertainty"] <= _CARELESS * max(float(np.median(pairs["uncertainty"])), 1.0)
    careful |= np.bincount(row[careful & in_run], minlength=len(sms))[row] == 0
    order = np.lexsort((cycles, row))
    order = order[careful[order]]
    row, cycles, picoseconds, in_run = row[order], cycles[order], picoseconds[order], in_run[order]

    starts = (np.diff(row, prepend=-1) != 0) | (np.diff(cycles, prepend=cycles[:1]) > _TOGETHER)
    begin = np.flatnonzero(starts)
    size = np.diff(begin, append=len(row)).astype(np.float64)
    knot_row = row[begin]
    knot_cycles = np.rint(np.add.reduceat(cycles, begin) / size).astype(np.int64)
    # The ticks of a knot's anchors, each carried to the knot's cycles at the SM's rate, and averaged.
    knot = np.cumsum(starts) - 1
    carried = picoseconds + (knot_cycles[knot] - cycles) * rates[row]
    knot_ps = np.add.reduceat(carried, begin) / size
    same = np.append(knot_row[1:] == knot_row[:-1], False)
    slopes = rates[knot_row].copy()
    steps = np.flatnonzero(same)
    length = np.full(len(begin), _LANE)
    length[steps] = knot_cycles[steps + 1] - knot_cycles[steps]
    slopes[steps] = (knot_ps[steps + 1] - knot_ps[steps]) / length[steps]
    knot_in_run = np.logical_or.reduceat(in_run, begin)
    reading = pairs["uncertainty"][order] * rates[row] / 2  # the tick came anywhere between two reads of the clock
    residual = _bends(knot_row, knot_cycles, slopes, knot_in_run)[knot] + np.abs(carried - knot_ps[knot]) + reading
    residual = residual[in_run]
    run_knots = np.full(len(sms), len(begin), np.int64)
    np.minimum.at(run_knots, row[in_run], knot[in_run])
    return ClockFit(
        origin_ns=origin_ns,
        sms=sms,
        ps_per_cycle=rates,
        origin_cycles=origin_cycles,
        usual=run_knots,
        keys=knot_row * _LANE + knot_cycles,
        knot_clock=origin_cycles[knot_row] + knot_cycles.astype(np.uint64),
        length=length,
        knot_ps=knot_ps,
        slopes=slopes,
        residual_ns=float(np.median(residual)) / 1000,
        residual_max_ns=float(residual.max()) / 1000,
    )


def _check(smid: NDArray[np.integer], cannot_be: NDArray[np.bool_]) -> None:
    """TraceError, which names an SM, if anything cannot be: a kernel that goes astray may write over its log."""
    if cannot_be.any():
        raise TraceError(
            tr(
                "the log is damaged: what it says of the clock of SM {sm} cannot be, as if something had been written"
                " over it",
                sm=int(smid[np.argmax(cannot_be)]),
            )
        )


def _bends(
    row: NDArray[np.int64], cycles: NDArray[np.int64], slopes: NDArray[np.float64], in_run: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """How far (ps) a clock within the piece that begins at each knot may be off, because a rate does not change at
    anchors alone: as far as if half of the piece, or as much of it as the neighbouring piece is long, had run at that
    one's rate. 0 for pieces outside the run."""
    inside = np.append((row[1:] == row[:-1]) & in_run[1:] & in_run[:-1], False)
    piece = np.flatnonzero(inside)
    length = np.append(np.diff(cycles), 0)
    bends = np.zeros(len(row))
    for neighbour in (piece - 1, piece + 1):
        exists = (neighbour >= 0) & (neighbour + 1 < len(row))
        at = np.where(exists, neighbour, piece)
        exists &= (row[at] == row[piece]) & (row[np.minimum(at + 1, len(row) - 1)] == row[piece])
        off = np.where(exists, np.abs(slopes[piece] - slopes[at]) * np.minimum(length[piece], length[at]) / 2, 0.0)
        bends[piece] = np.maximum(bends[piece], off)
    return bends


def _rates(pairs: NDArray[np.void], sms: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Picoseconds per cycle of each SM: global time over cycles of all its pairs, so that long spans weigh most.

    An SM without a complete pair runs at the rate of all of them together.
    """
    pairs = pairs[(pairs["globaltimer"] > 0).all(axis=1)]
    smid = pairs["smid"][:, 0]
    goes_back = [pairs[name][:, 1] < pairs[name][:, 0] for name in ("clock", "globaltimer")]
    _check(smid, (smid >= MOST_SMS) | goes_back[0] | goes_back[1])
    cycles = (pairs["clock"][:, 1] - pairs["clock"][:, 0]).astype(np.float64)
    picoseconds = (pairs["globaltimer"][:, 1] - pairs["globaltimer"][:, 0]).astype(np.float64) * 1000
    if not cycles.sum() > 0:
        raise TraceError(tr("the log's clock anchors span no time: no CTA ran to its end and nothing was calibrated"))
    highest = int(max(smid.max(), sms.max())) + 1
    own_cycles = np.bincount(smid, cycles, highest)[sms]
    own_picoseconds = np.bincount(smid, picoseconds, highest)[sms]
    common = picoseconds.sum() / cycles.sum()
    rates = np.full(len(sms), common)
    np.divide(own_picoseconds, own_cycles, out=rates, where=own_cycles > 0)
    return rates
