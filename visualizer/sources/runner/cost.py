"""What recording costs a kernel: from runs with logging off and on in turn, so that whatever drifts hits both alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from visualizer.recording.facts import Cost

LEAST_PAIRS = 6
"""With fewer, not even the range of all pairs holds the true median with 95 % certainty."""
MOST_PAIRS = 1000
_CONFIDENCE = 0.95


def slowdown(off_ns: Sequence[float], on_ns: Sequence[float]) -> Cost:
    """The keys of Trace.meta.cost about pairs of runs: times (ns) with logging off and on, pair by pair.

    `slowdown_percent` is the median of on/off; `spread_percent` half the width of its 95 % confidence interval by order
    statistics, which asks for no particular distribution.
    """
    ratios = np.sort(np.asarray(on_ns, float) / np.asarray(off_ns, float))
    low = _rank(len(ratios))
    return {
        "slowdown_percent": float(np.median(ratios) - 1) * 100,
        "spread_percent": float(ratios[-1 - low] - ratios[low]) * 50,
        "pairs": len(ratios),
        "off_ns": float(np.median(off_ns)),
        "on_ns": float(np.median(on_ns)),
    }


def _rank(count: int) -> int:
    """The highest k, from 0, so that the median lies between the k-th lowest and k-th highest value with confidence."""
    outside, rank = 0.0, 0
    for k in range(count // 2):
        outside += 2 * comb(count, k) / 2**count
        if outside > 1 - _CONFIDENCE:
            break
        rank = k
    return rank
