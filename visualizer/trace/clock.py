"""From SM cycles to picoseconds on one scale: a rate and an offset for each SM.

Every SM counts its own cycles (clock64); the global timer is common to all but ticks every 32 ns only [H200]. Anchors
pair the two right after a tick. SMs run at rates that differ by some parts in 100 000 [measured on H200], so each gets
its own, taken over all spans between its anchors: a rate over a few microseconds alone would be off by parts in a
thousand, which is why a calibration kernel takes anchors around a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.trace import TraceError


@dataclass(frozen=True, eq=False)
class ClockFit:
    """global ns = origin_ns + (offset_ps[sm] + (cycles - origin_cycles[sm]) * ps_per_cycle[sm]) / 1000."""

    origin_ns: int
    sms: NDArray[np.uint32]  # SM ids, ascending
    ps_per_cycle: NDArray[np.float64]  # (sms,)
    origin_cycles: NDArray[np.uint64]  # (sms,)
    offset_ps: NDArray[np.int64]  # (sms,)
    residual_ns: float  # median distance of an anchor from the fit
    residual_max_ns: float

    def to_ps(self, cycles: NDArray[np.uint64], smid: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Picoseconds after `origin_ns` of each clock value; both arguments and the result have one shape.

        Differences from the SM's origin stay far below 2^53 cycles, so float arithmetic is exact to well under 1 ps
        of rounding per hour.
        """
        row = np.searchsorted(self.sms, smid)
        elapsed = (cycles - self.origin_cycles[row]).astype(np.int64)
        after_origin: NDArray[np.int64] = np.rint(elapsed * self.ps_per_cycle[row]).astype(np.int64)
        return self.offset_ps[row] + after_origin

    def as_dict(self) -> dict[str, Any]:
        """What goes into Trace.meta.clock."""
        return {
            "ps_per_cycle": float(np.median(self.ps_per_cycle)),
            "residual_ns": self.residual_ns,
            "residual_max_ns": self.residual_max_ns,
            "method": "a rate and an offset per SM",
            "sms": len(self.sms),
        }


def fit_clock(anchors: NDArray[np.void], calibration: NDArray[np.void]) -> ClockFit:
    """Fit the clocks from a run's anchors, (ctas, 2), and a calibration kernel's, (n, 2); n may be 0.

    A CTA that never left has no second anchor (all zeros); its first still gives the SM's offset.
    Raises TraceError if no CTA has an anchor.
    """
    taken = anchors[anchors["globaltimer"] > 0]
    if not len(taken):
        raise TraceError("the log holds no clock anchor: the kernel did not start")
    sms, row = np.unique(taken["smid"], return_inverse=True)
    rates = _rates(np.concatenate([anchors.reshape(-1, 2), calibration.reshape(-1, 2)]), sms)
    first = np.zeros(len(sms), dtype=np.intp)
    first[row[::-1]] = np.arange(len(taken))[::-1]  # the first anchor of each SM is its origin
    origin_cycles = taken["clock"][first]
    origin_ns = int(taken["globaltimer"].min())
    global_ps = (taken["globaltimer"] - np.uint64(origin_ns)).astype(np.int64) * 1000
    elapsed = (taken["clock"] - origin_cycles[row]).astype(np.int64)
    error = global_ps - np.rint(elapsed * rates[row]).astype(np.int64)
    # Medians, so that one anchor interrupted between its two reads does not move an SM.
    offsets = np.array([int(np.median(error[row == sm])) for sm in range(len(sms))], dtype=np.int64)
    residual = np.abs(error - offsets[row]) / 1000
    return ClockFit(
        origin_ns=origin_ns,
        sms=sms,
        ps_per_cycle=rates,
        origin_cycles=origin_cycles,
        offset_ps=offsets,
        residual_ns=float(np.median(residual)),
        residual_max_ns=float(residual.max()),
    )


def _rates(pairs: NDArray[np.void], sms: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Picoseconds per cycle of each SM: global time over cycles of all its pairs, so that long spans weigh most.

    An SM without a complete pair runs at the rate of all of them together.
    """
    pairs = pairs[(pairs["globaltimer"] > 0).all(axis=1)]
    cycles = (pairs["clock"][:, 1] - pairs["clock"][:, 0]).astype(np.float64)
    picoseconds = (pairs["globaltimer"][:, 1] - pairs["globaltimer"][:, 0]).astype(np.float64) * 1000
    if not cycles.sum() > 0:
        raise TraceError("the log's clock anchors span no time: no CTA ran to its end and nothing was calibrated")
    smid = pairs["smid"][:, 0]
    highest = int(max(smid.max(), sms.max())) + 1
    own_cycles = np.bincount(smid, cycles, highest)[sms]
    own_picoseconds = np.bincount(smid, picoseconds, highest)[sms]
    common = picoseconds.sum() / cycles.sum()
    rates = np.full(len(sms), common)
    np.divide(own_picoseconds, own_cycles, out=rates, where=own_cycles > 0)
    return rates
