"""Where the ring's parts lie: nothing overlaps and nothing leaves the pane, for every stage count and aspect ratio."""

from __future__ import annotations

import itertools
import math
from time import process_time

import pytest

from visualizer.views.ring.ring_layout import Box, boxes_fit, lay_out, stage_angles

CARD = (100.0, 56.0)


@pytest.mark.parametrize("stages", range(1, 9))
@pytest.mark.parametrize("size", [(420.0, 420.0), (700.0, 700.0), (640.0, 460.0)])
def test_cards_keep_clear_of_each_other_the_ring_and_the_border(stages: int, size: tuple[float, float]) -> None:
    bounds = Box(10.0, 20.0, *size)
    layout = lay_out(bounds, stages, CARD, pointer=12.0, margin=4.0)
    assert len(layout.cards) == len(layout.angles) == stages
    for one, other in itertools.combinations(layout.cards, 2):
        assert not one.overlaps(other)
    for card in layout.cards:
        assert card.gap_to(*layout.centre) >= layout.outer + 12.0 - 1e-6
        assert card.x >= 10.0 - 1e-6
        assert card.y >= 20.0 - 1e-6
        assert card.x + card.width <= 10.0 + size[0] + 1e-6
        assert card.y + card.height <= 20.0 + size[1] + 1e-6
    assert layout.outer >= 0.2 * min(size)


@pytest.mark.parametrize("stages", range(1, 9))
def test_segments_go_round_clockwise_and_each_holds_its_own_middle(stages: int) -> None:
    layout = lay_out(Box(0, 0, 600, 600), stages, CARD, pointer=10.0, margin=4.0)
    assert math.isclose(stages * layout.span, 360.0)
    middle = (layout.inner + layout.outer) / 2
    for stage, angle in enumerate(layout.angles):
        x, y = layout.point(angle, middle)
        box = Box(x - 2, y - 2, 4, 4)
        assert [other for other in range(stages) if layout.in_segment(other, box)] == [stage]


def test_angles_start_at_the_top_or_just_right_of_it() -> None:
    assert stage_angles(3) == (0.0, 120.0, 240.0)
    assert stage_angles(4) == (45.0, 135.0, 225.0, 315.0)


def test_a_pane_too_small_still_has_a_ring() -> None:
    layout = lay_out(Box(0, 0, 60, 60), 8, CARD, pointer=10.0, margin=4.0)
    assert layout.outer > layout.inner > 0


def test_boxes_fit_in_a_circle_only_apart_and_inside() -> None:
    one, other = Box(-20, -5, 15, 10), Box(5, -5, 15, 10)
    assert boxes_fit([one, other], (0.0, 0.0), 25.0)
    assert not boxes_fit([one, other], (0.0, 0.0), 15.0)
    assert not boxes_fit([one, Box(-10, -5, 15, 10)], (0.0, 0.0), 25.0)


@pytest.mark.parametrize("stages", [64, 1000])
def test_rings_of_many_stages_are_laid_out_in_a_moment(stages: int) -> None:
    began = process_time()
    layout = lay_out(Box(0, 0, 600, 600), stages, CARD, pointer=10.0, margin=4.0)
    assert len(layout.cards) == stages
    assert process_time() - began < 1
