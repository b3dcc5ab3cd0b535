"""Where each part of the ring lies for a given size, stage count and text size: pure geometry, no Qt.

The ring is as large as the barrier cards around it allow. Each card slides along the border of the pane, within its
stage's wedge, to where it leaves the ring the most room, so one rule serves 1 to 8 stages and any aspect ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

SLIDE_STEPS = 24
INNER_RATIO = 0.53
"""Inner radius of the segments over the outer one: leaves the consumers' cursors a disc to stand in."""
MIN_RADIUS = 24.0


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
    cards: tuple[Box, ...]  # one a stage: its two barriers and the slot for the producer's cursor
    slot_at_top: tuple[bool, ...]  # whether the producer's slot is the card's first row (else the last)
    margin: float

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
    return RingLayout(
        centre=centre,
        outer=outer,
        inner=outer * INNER_RATIO,
        angles=angles,
        span=360.0 / stages,
        cards=tuple(cards),
        slot_at_top=tuple(box.centre[1] > centre[1] for box in cards),
        margin=margin,
    )


def _place_cards(bounds: Box, angles: Sequence[float], card: tuple[float, float], margin: float) -> list[Box]:
    """One card an angle. Neighbours may slide into each other's way: slide less, until they are apart."""
    slide = min(0.45 * 360.0 / len(angles), 50.0)
    for share in (1.0, 0.8, 0.6, 0.4, 0.2):
        cards = [_best_card(bounds, bounds.centre, angle, slide * share, card) for angle in angles]
        padded = [Box(box.x, box.y, box.width + margin, box.height + margin) for box in cards]
        if not any(box.overlaps(other) for index, box in enumerate(padded) for other in padded[:index]):
            return cards
    return [_best_card(bounds, bounds.centre, angle, 0.0, card) for angle in angles]


def _best_card(bounds: Box, centre: tuple[float, float], angle: float, slide: float, size: tuple[float, float]) -> Box:
    """The place on the border near `angle` that is farthest from the centre; of equals, the one nearest to `angle`."""
    offsets = sorted((slide * k / SLIDE_STEPS for k in range(-SLIDE_STEPS, SLIDE_STEPS + 1)), key=abs)
    candidates = [_card_on_border(bounds, centre, angle + offset, size) for offset in offsets]
    return max(candidates, key=lambda box: round(box.gap_to(*centre), 1))


def _card_on_border(bounds: Box, centre: tuple[float, float], angle: float, size: tuple[float, float]) -> Box:
    dx, dy = direction(angle)
    reach_x, reach_y = (bounds.width - size[0]) / 2, (bounds.height - size[1]) / 2
    reach = min(
        reach_x / abs(dx) if abs(dx) > 1e-9 else math.inf,
        reach_y / abs(dy) if abs(dy) > 1e-9 else math.inf,
    )
    reach = max(reach, 0.0)
    return Box(centre[0] + reach * dx - size[0] / 2, centre[1] + reach * dy - size[1] / 2, *size)


def boxes_fit(boxes: Sequence[Box], centre: tuple[float, float], radius: float) -> bool:
    """Whether the boxes lie inside the circle and apart from each other."""
    for index, box in enumerate(boxes):
        if any(math.hypot(x - centre[0], y - centre[1]) > radius for x, y in box.corners):
            return False
        if any(box.overlaps(other) for other in boxes[:index]):
            return False
    return True
