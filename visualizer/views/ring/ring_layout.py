"""Where each part of the ring lies for a given size, stage count and text size: pure geometry, no Qt.

The ring is as large as the barrier cards around it allow; where those of all stages would leave it no room, there are
two, for the stages that matter. Each card slides along the border of the pane, within its
stage's wedge, to where it leaves the ring the most room, so one rule serves 1 to 8 stages and any aspect ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SLIDE_STEPS = 24
INNER_RATIO = 0.53
"""Inner radius of the segments over the outer one: leaves the consumers' cursors a disc to stand in."""
MIN_RADIUS = 24.0
_LEVEL = 1e-9
"""A part of a unit vector that counts as none."""


class Box(NamedTuple):
    """An upright rectangle in pixels, y down."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        right, bottom = self.x + self.width, self.y + self.height
        return (self.x, self.y), (right, self.y), (self.x, bottom), (right, bottom)

    def overlaps(self, other: Box) -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def gap_to(self, x: float, y: float) -> float:
        """Distance from a point to the nearest point of the box; 0 inside."""
        dx = max(self.x - x, 0.0, x - (self.x + self.width))
        dy = max(self.y - y, 0.0, y - (self.y + self.height))
        return math.hypot(dx, dy)


@dataclass(frozen=True, slots=True)
class RingLayout:
    """Pixels of everything whose place does not depend on the state. Angles in degrees, clockwise from 12 o'clock."""

    centre: tuple[float, float]
    outer: float
    inner: float
    angles: tuple[float, ...]  # middle of each stage's segment
    span: float  # of each segment
    cards: tuple[Box, ...]  # one a stage, or two for them all: its two barriers and the slot for the producer's cursor
    slot_at_top: tuple[bool, ...]  # whether the producer's slot is the card's first row (else the last)
    margin: float
    apart: bool  # nothing overlaps, and nothing leaves the pane

    @property
    def few(self) -> bool:
        """Whether there are fewer cards than stages."""
        return len(self.cards) < len(self.angles)

    def faces(self, card: int, stage: int) -> bool:
        """Whether a line from a card to a stage's segment keeps off the others."""
        x, y = self.cards[card].centre
        dx, dy = direction(self.angles[stage])
        return not self.few or (x - self.centre[0]) * dx + (y - self.centre[1]) * dy > 0

    def point(self, angle: float, radius: float) -> tuple[float, float]:
        """The point at an angle and a radius from the ring's centre."""
        dx, dy = direction(angle)
        return self.centre[0] + radius * dx, self.centre[1] + radius * dy

    def in_segment(self, stage: int, box: Box) -> bool:
        """Whether a box lies within a stage's segment."""
        if box.gap_to(*self.centre) < self.inner:
            return False
        for x, y in box.corners:
            dx, dy = x - self.centre[0], y - self.centre[1]
            turn = math.degrees(math.atan2(dx, -dy)) - self.angles[stage]
            if math.hypot(dx, dy) > self.outer or abs((turn + 180.0) % 360.0 - 180.0) > self.span / 2:
                return False
        return True


def direction(angle: float) -> tuple[float, float]:
    """Unit vector of a clockwise angle from 12 o'clock, y down."""
    return math.sin(math.radians(angle)), -math.cos(math.radians(angle))


def stage_angles(stages: int) -> tuple[float, ...]:
    """Middle of each segment. Even counts from 4 on are turned by half a segment, which puts cards into corners."""
    step = 360.0 / stages
    first = step / 2 if stages >= 4 and stages % 2 == 0 else 0.0
    return tuple(first + stage * step for stage in range(stages))


def lay_out(bounds: Box, stages: int, card: tuple[float, float], pointer: float, margin: float) -> RingLayout:
    """Lay out `stages` segments and their cards of size `card` in `bounds`, keeping `pointer` pixels between them.

    A ring smaller than MIN_RADIUS is not made: in a pane too small for its text, cards and ring overlap instead.
    """
    angles = stage_angles(stages)
    centre = bounds.centre
    cards = _place_cards(bounds, angles, card, margin)
    room = min(box.gap_to(*centre) for box in cards)
    limit = min(bounds.width, bounds.height) / 2 - margin
    outer = max(MIN_RADIUS, min(room - pointer, limit - pointer))
    inside = card[0] <= bounds.width and card[1] <= bounds.height
    return RingLayout(
        centre=centre,
        outer=outer,
        inner=outer * INNER_RATIO,
        angles=angles,
        span=360.0 / stages,
        cards=tuple(cards),
        slot_at_top=tuple(box.centre[1] > centre[1] for box in cards),
        margin=margin,
        apart=inside and outer <= room - pointer and not any(a.overlaps(b) for a, b in combinations(cards, 2)),
    )


def lay_out_few(bounds: Box, stages: int, card: tuple[float, float], pointer: float, margin: float) -> RingLayout:
    """The same with two cards alone, which two stages at a time may have: above and below the ring, or beside it,
    whichever leaves it more room."""
    (x, y), (width, height) = bounds.centre, card
    right, bottom = bounds.x + bounds.width, bounds.y + bounds.height
    above = min(bounds.height / 2 - height, bounds.width / 2) >= min(bounds.width / 2 - width, bounds.height / 2)
    places = ((x - width / 2, bounds.y), (x - width / 2, bottom - height))
    if not above:
        places = ((bounds.x, y - height / 2), (right - width, y - height / 2))
    cards = tuple(Box(*place, *card) for place in places)
    room = min(box.gap_to(x, y) for box in cards)
    limit = min(bounds.width, bounds.height) / 2 - margin
    outer = max(MIN_RADIUS, min(room, limit) - pointer)
    return RingLayout(
        centre=(x, y),
        outer=outer,
        inner=outer * INNER_RATIO,
        angles=stage_angles(stages),
        span=360.0 / stages,
        cards=cards,
        slot_at_top=(False, above),
        margin=margin,
        apart=width <= bounds.width and outer <= room - pointer and not cards[0].overlaps(cards[1]),
    )


def _place_cards(bounds: Box, angles: Sequence[float], card: tuple[float, float], margin: float) -> list[Box]:
    """One card an angle. Neighbours may slide into each other's way: slide less, until they are apart."""
    slide = min(0.45 * 360.0 / len(angles), 50.0)
    for share in (1.0, 0.8, 0.6, 0.4, 0.2):
        x, y = _best_cards(bounds, angles, slide * share, card)
        near = (np.abs(x[:, None] - x) < card[0] + margin) & (np.abs(y[:, None] - y) < card[1] + margin)
        if not np.triu(near, 1).any():
            break
    else:
        x, y = _best_cards(bounds, angles, 0.0, card)
    return [Box(*place, *card) for place in zip(x.tolist(), y.tolist(), strict=True)]


def _best_cards(bounds: Box, angles: Sequence[float], slide: float, size: tuple[float, float]) -> tuple[Floats, Floats]:
    """Left and top of a card an angle, each at the place on the border near its angle that is farthest from the centre;
    of equals, the one nearest to the angle."""
    offsets = np.array(sorted(range(-SLIDE_STEPS, SLIDE_STEPS + 1), key=abs)) * (slide / SLIDE_STEPS)
    turn = np.radians(np.array(angles)[:, None] + offsets)
    dx, dy = np.sin(turn), -np.cos(turn)
    half = np.array(size) / 2
    reach_x, reach_y = bounds.width / 2 - half[0], bounds.height / 2 - half[1]
    # Upright and level directions meet one side of the border alone.
    reach = np.minimum(reach_x / np.maximum(np.abs(dx), _LEVEL), reach_y / np.maximum(np.abs(dy), _LEVEL))
    reach = np.maximum(reach, 0.0)
    across, down = reach * dx, reach * dy  # from the centre to the card's
    gap = np.hypot(np.maximum(np.abs(across) - half[0], 0.0), np.maximum(np.abs(down) - half[1], 0.0))
    best = np.argmax(np.round(gap, 1), axis=1)[:, None]
    x = bounds.centre[0] + np.take_along_axis(across, best, 1)[:, 0] - half[0]
    y = bounds.centre[1] + np.take_along_axis(down, best, 1)[:, 0] - half[1]
    return x, y


def boxes_fit(boxes: Sequence[Box], centre: tuple[float, float], radius: float) -> bool:
    """Whether the boxes lie inside the circle and apart from each other."""
    for index, box in enumerate(boxes):
        if any(math.hypot(x - centre[0], y - centre[1]) > radius for x, y in box.corners):
            return False
        if any(box.overlaps(other) for other in boxes[:index]):
            return False
    return True
