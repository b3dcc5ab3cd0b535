"""What a source may bring along for CTAs whose events it can lay out by itself, faster than the general way does.

The result must be what the general way (examine, derive, reconcile, lay out) gives, event for event; a CTA for which a
source cannot promise that is left to the general way. `sources/lesson/complete_ctas` is such a shortcut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.cta_spans import Span
from visualizer.reconstruction.event_rows import LaidOut
from visualizer.reconstruction.merge import Source
from visualizer.reconstruction.pace import Pace


class CompleteCta(Protocol):
    """One CTA whose source knows all its events."""

    @property
    def logged_events(self) -> int:
        """As Evidence.logged_events."""

    @property
    def latest(self) -> int:
        """As Evidence.latest."""

    @property
    def landing_times(self) -> Ints:
        """As Evidence.landing_times."""


Cta = TypeVar("Cta", bound=CompleteCta)
CtaToLayOut = TypeVar("CtaToLayOut", bound=CompleteCta, contravariant=True)


class Columns(Source, Protocol[CtaToLayOut]):
    """Events of complete CTAs in a form of the source's own, until they are merged."""

    def lay_out(self, cta: CtaToLayOut, pace: Pace, place: int) -> LaidOut | None:
        """Take in all events of `cta` as those of the part at `place`; None: it turned out not to be complete, and the
        general way has to be gone."""


@dataclass(frozen=True, slots=True)
class Shortcut(Generic[Cta]):
    """The complete CTAs of a recording, by the number of their part, and where their events are gathered."""

    ctas: dict[int, Cta]  # used up as they are laid out: together they are half as large as the recording
    columns: Callable[[Sequence[Span]], Columns[Cta]]  # of the spans of the parts that go this way


def _none(spans: Sequence[Span]) -> Columns[Any]:
    raise AssertionError("no CTA goes this way")


NO_SHORTCUT: Shortcut[Any] = Shortcut({}, _none)
