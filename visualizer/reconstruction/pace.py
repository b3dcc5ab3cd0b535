"""What one CTA's part of a recording cannot tell: it is learnt from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.cta_spans import NEVER

DEFAULT_LANDING_PS = 400_000
"""From a copy's issue to its landing, where the recording shows none: the first 16 KiB of a run on an H200."""


class Shown(Protocol):
    """What a part shows of the pace."""

    @property
    def landing_times(self) -> Ints:
        """From issue to landing (ps) of every copy that was observed to land."""

    @property
    def latest(self) -> int:
        """The time (ps) of the last event."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long copies take, and where the recording ends."""

    landing_ps: int  # from a copy's issue to its landing, usually
    horizon_ps: int  # the last event: what would land later was in flight when the recording ended; NEVER if it hung


def pace_of(evidence: Sequence[Shown], *, hung: bool = False) -> Pace:
    """The pace of a recording from all its parts. `hung`: nothing more happened for long after its last event."""
    gaps = np.concatenate([part.landing_times for part in evidence])
    horizon = NEVER if hung else max((part.latest for part in evidence), default=0)
    return Pace(int(np.median(gaps)) if len(gaps) else DEFAULT_LANDING_PS, horizon)
