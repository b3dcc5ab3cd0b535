"""Whether the headers of a log can be what a twin wrote: a kernel that goes astray may have written over them."""

from __future__ import annotations

import numpy as np

from visualizer.language import tr
from visualizer.reconstruction.clock_fit import MOST_CLOCK, MOST_SMS
from visualizer.sources.attach.log_format import Log
from visualizer.sources.errors import SourceError

_MOST_OF_CLUSTER = 32
"""CTAs: twice what Hopper allows [CUDA programming guide], and as many as the mask of a multicast has bits for."""


def check_headers(log: Log) -> None:
    """SourceError, which names a CTA, if a warp that has begun says what cannot be of where and when. Each pair of
    clocks, and the rest, is one store, which is there or is not."""
    headers, layout = log.headers, log.layout
    begun = headers["cta"] > 0
    recorded = np.arange(layout.slots) if layout.recorded is None else np.array(layout.recorded)
    packed = headers["cluster"].astype(np.int64)
    size = np.maximum(packed >> 8 & 0xFF, 1) * np.maximum(packed >> 16 & 0xFF, 1) * np.maximum(packed >> 24, 1)
    one = np.argmax(begun, axis=1)[:, None]  # of each CTA, which its other warps agree with
    fits = headers["cta"] == recorded[:, None] + 1
    fits &= (packed & 0xFF < size) & (size <= _MOST_OF_CLUSTER)
    fits &= (headers["smid"] < MOST_SMS) & (headers["smid"] == np.take_along_axis(headers["smid"], one, axis=1))
    fits &= packed == np.take_along_axis(packed, one, axis=1)
    fits &= packed >> 8 == packed[begun][0] >> 8
    fits &= (headers["exit_clock"] == 0) | (headers["exit_clock"] >= headers["start_clock"])
    fits |= ~begun
    fits &= (headers["start_clock"] < MOST_CLOCK) & (headers["exit_clock"] < MOST_CLOCK)
    if not fits.all():
        slot = int(np.argmax((~fits).any(axis=1)))
        raise SourceError(
            tr(
                "the log is damaged: what CTA {cta} says of its beginning or end cannot be, as if something had been"
                " written over it",
                cta=int(recorded[slot]),
            )
        )
