"""Samples: what a probe saw of live barriers, on the recording's time scale. A table beside the events.

They are no events: nobody acted, and nobody wants to step through them. Equal samples in a row are one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.trace.clock import ClockFit
from visualizer.trace.ordering import Ints, running_total
from visualizer.trace.probe import ProbeMode, RawProbe
from visualizer.trace.schema import SAMPLE_DTYPE
from visualizer.trace.tables import Barrier
from visualizer.trace.trace import TraceError

_PHASE_BIT = np.uint64(63)


@dataclass(frozen=True, eq=False)
class Flips:
    """Phases that the probe saw end, sorted by barrier and phase. Times in ps. All shapes (n,)."""

    barrier: Ints
    phase: Ints
    still: Ints  # then the phase was seen for the last time
    seen: Ints  # by then the next one had been seen

    def of(self, barrier: Ints, phase: Ints) -> tuple[Ints, Ints]:
        """`still` and `seen` of each phase asked for; -1 where the probe did not see it end."""
        span = int(max(self.phase.max(initial=0), phase.max(initial=0))) + 1
        keys, wanted = self.barrier * span + self.phase, barrier * span + phase
        row = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        if not len(keys):
            return np.full(len(wanted), -1), np.full(len(wanted), -1)
        known = keys[row] == wanted
        return np.where(known, self.still[row], -1), np.where(known, self.seen[row], -1)

    def of_part(self, barriers: slice) -> Flips:
        """Those of these rows of the barriers table, counted from the first of them."""
        rows = slice(*np.searchsorted(self.barrier, [barriers.start, barriers.stop]).tolist())
        return Flips(self.barrier[rows] - barriers.start, self.phase[rows], self.still[rows], self.seen[rows])


NO_FLIPS = Flips(*(np.zeros(0, np.int64) for _ in range(4)))


def decode_samples(
    raw: RawProbe, clock: ClockFit, smid: NDArray[np.uint32], barriers: Sequence[Barrier], origin: int
) -> NDArray[np.void]:
    """SAMPLE_DTYPE, by barrier and time. `smid` is each CTA's SM; times count from `origin` on the clock's ps scale.

    TraceError if the samples are not those of the program's barriers.
    """
    ctas, per_cta = raw.counts.shape
    rows = _barrier_rows(ctas, per_cta, barriers)
    slices = np.repeat(np.arange(ctas * per_cta), raw.stored.reshape(-1))
    if len(slices) != len(raw.runs):
        raise TraceError(
            tr("the probe's log has {runs} runs; its counts say {slices}", runs=len(raw.runs), slices=len(slices))
        )
    sm = smid[slices // per_cta]
    samples = np.zeros(len(raw.runs), SAMPLE_DTYPE)
    seen = raw.runs["seen"]
    samples["begin"] = clock.to_ps(seen, sm) - origin
    samples["end"] = clock.to_ps(seen + raw.runs["span"].astype(np.int64).view(np.uint64), sm) - origin
    samples["word"] = raw.runs["state"].astype(np.uint64) << np.uint64(32)
    samples["barrier"] = rows[slices]
    ordered: NDArray[np.void] = samples[np.argsort(samples["barrier"], kind="stable")]
    return ordered


def probe_figures(mode: ProbeMode, raw: RawProbe) -> dict[str, Any]:
    """What goes into Trace.meta.source["probe"]."""
    return {
        "mode": mode,
        "experimental": mode == "words",
        "barriers": int((raw.counts["samples"] > 0).sum()),
        "samples": int(raw.counts["samples"].sum(dtype=np.int64)),
        "runs_lost": raw.lost,
    }


def find_flips(samples: NDArray[np.void]) -> Flips:
    """Where consecutive runs of a barrier differ in their phase bit. Two flips between two samples go unseen, so who
    uses a number must compare times."""
    parity = (samples["word"] >> _PHASE_BIT).astype(np.int64)
    barrier = samples["barrier"].astype(np.int64)
    at = np.flatnonzero((barrier[1:] == barrier[:-1]) & (parity[1:] != parity[:-1]))
    place = barrier[at]
    # The first flip a barrier shows is from the parity of its first run.
    phase = running_total(place, np.ones(len(at), np.int64))
    first = parity[at]
    first[1:] = np.where(place[1:] == place[:-1], 0, first[1:])
    phase += running_total(place, first) + first
    return Flips(place, phase, samples["end"][at].astype(np.int64), samples["begin"][at + 1].astype(np.int64))


def _barrier_rows(ctas: int, per_cta: int, barriers: Sequence[Barrier]) -> NDArray[np.int32]:
    """The barriers row of each slice: a CTA's full barriers by stage, then its empty ones."""
    by_place: dict[tuple[int, str, int], int] = {(b.cta, b.kind, b.stage): row for row, b in enumerate(barriers)}
    stages = per_cta // 2
    wanted = [(cta, kind, stage) for cta in range(ctas) for kind in ("full", "empty") for stage in range(stages)]
    if set(wanted) != set(by_place):
        raise TraceError(
            tr(
                "the probe looked at {wanted} barriers, the program has {by_place}: not the same program",
                wanted=len(wanted),
                by_place=len(by_place),
            )
        )
    return np.array([by_place[key] for key in wanted], np.int32)
