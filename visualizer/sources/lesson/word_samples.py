"""From the word probe's runs to a recording's samples: what it saw of live barriers, on the recording's time scale.

They are no events: nobody acted, and nobody wants to step through them. Equal samples in a row are one run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.reconstruction.clock_fit import ClockFit
from visualizer.recording.facts import Probe
from visualizer.recording.schema import SAMPLE_DTYPE
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import TraceError
from visualizer.sources.lesson.word_probe import ProbeMode, RawProbe


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


def probe_figures(mode: ProbeMode, raw: RawProbe) -> Probe:
    """What goes into Trace.meta.source["probe"]."""
    return {
        "mode": mode,
        "experimental": mode == "words",
        "barriers": int((raw.counts["samples"] > 0).sum()),
        "samples": int(raw.counts["samples"].sum(dtype=np.int64)),
        "runs_lost": raw.lost,
    }


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
