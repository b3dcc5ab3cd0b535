"""Two recordings laid over each other: at a tile or a use of a ring, and where they differ, found plainly as well."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from pipelines import run
from recording_files import shipped_history

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import (
    NO_STATE,
    Anchor,
    Overlay,
    OverlayError,
    differing,
    first_anchor,
    lay_over,
)
from visualizer.diagnosis.comparison.overlay_text import overlay_json, overlay_text
from visualizer.diagnosis.wording import duration
from visualizer.replay.history import History
from visualizer.replay.spans import Spans


def shipped(a: str, b: str) -> Comparison:
    return Comparison(*(shipped_history(name) for name in (a, b)))


def spans(states: list[int], bounds: list[int]) -> Spans:
    start, end = np.array(bounds[:-1], np.int64), np.array(bounds[1:], np.int64)
    none = np.full(len(states), -1, np.int32)
    return Spans(start, end, np.array(states, np.uint8), none, none, start, end)


def state_at(lane: Spans, time: int) -> int:
    found = [
        int(state) for begin, end, state in zip(lane.start, lane.end, lane.state, strict=True) if begin <= time < end
    ]
    return found[-1] if found else NO_STATE


def check_lanes(overlay: Overlay) -> None:
    """Around every bound: within a stretch that differs the states do, and outside none does."""
    for lane in overlay.lanes:
        bounds = np.unique(np.concatenate([lane.a.start, lane.a.end, lane.b.start, lane.b.end]))[:-1]
        for time in bounds[:: max(len(bounds) // 40, 1)].tolist():
            told = any(begin <= time < end for begin, end in lane.differs.tolist())
            assert told == (state_at(lane.a, time) != state_at(lane.b, time)), (lane.name, time)


@pytest.mark.parametrize("tile", [0, 3, 7])
def test_a_tile_is_in_at_one_moment(tile: int) -> None:
    comparison = shipped("lesson", "slow-consumer")
    overlay = lay_over(comparison, Anchor(tile))
    a, b = (
        int(history.trace.events["time"][comparison.tile_step(history, 0, tile)])
        for history in (comparison.a, comparison.b)
    )
    assert overlay.at == a == b + overlay.shift
    assert [lane.name for lane in overlay.lanes] == ["producer", "consumer.w1", "consumer.w2", "consumer.w3"]
    for lane in overlay.lanes:
        own = comparison.b.agent_spans(comparison.b.trace.agent_index[lane.name])
        np.testing.assert_array_equal(lane.b.start - overlay.shift, own.start)
        np.testing.assert_array_equal(lane.b.end - lane.b.start, own.end - own.start)
    assert overlay.begin <= 0 <= overlay.end
    assert any(len(lane.differs) for lane in overlay.lanes)
    check_lanes(overlay)


def test_a_recording_does_not_differ_from_itself() -> None:
    overlay = lay_over(shipped("attention", "attention"), Anchor(5, by_use=True, ring="load_k", cta=3))
    assert overlay.shift == 0
    assert not any(len(lane.differs) for lane in overlay.lanes)


def test_strangers_are_laid_over_at_a_use_of_a_ring() -> None:
    comparison = shipped("multicast", "multicast-pair")
    overlay = lay_over(comparison, Anchor(10, by_use=True, cta=1))
    for history, shift in ((comparison.a, 0), (comparison.b, overlay.shift)):
        ring = history.structure.rings[history.structure.row(1, "load")]
        events = history.trace.events
        flips = [step for step in history.completion_steps if events["barrier"][step] == ring.full[1][0]]
        assert int(events["time"][flips[3]]) + shift == overlay.at  # the fourth round over stage 1
    check_lanes(overlay)
    with pytest.raises(OverlayError, match="a names no tiles: align at a use of a ring"):
        lay_over(comparison, Anchor(10, cta=1))
    with pytest.raises(OverlayError, match="use 12 of CTA 1 is not in a"):
        lay_over(comparison, Anchor(12, by_use=True, cta=1))


def test_uses_are_counted_alike_with_other_stages() -> None:
    comparison = Comparison(History(run(stages=2, tiles=12)), History(run(stages=3, tiles=9)))
    for number in (0, 5, 8):
        by_tile, by_use = (lay_over(comparison, Anchor(number, by_use=by_use)) for by_use in (False, True))
        assert (by_tile.at, by_tile.shift) == (by_use.at, by_use.shift)
    for anchor in (Anchor(9), Anchor(9, by_use=True), Anchor(-1), Anchor(-1, by_use=True)):
        with pytest.raises(OverlayError, match="of CTA 0 is not in"):
            lay_over(comparison, anchor)


def test_of_several_rings_one_may_be_named() -> None:
    comparison = shipped("attention", "attention")
    k, v = (lay_over(comparison, Anchor(2, by_use=True, ring=ring)) for ring in ("load_k", "load_v"))
    assert k.at < v.at
    with pytest.raises(OverlayError, match=r"a has no ring none; its rings: .*load_k, load_v"):
        lay_over(comparison, Anchor(2, by_use=True, ring="none"))
    with pytest.raises(OverlayError, match=r"a has several rings; choose one of .*load_k, load_v"):
        lay_over(comparison, Anchor(2, by_use=True))
    with pytest.raises(OverlayError, match="use 2 of CTA 99 is not in a"):
        lay_over(comparison, Anchor(2, by_use=True, cta=99, ring="load_k"))


def test_lanes_are_those_of_the_anchors_cta() -> None:
    comparison = shipped("multicast", "multicast-pair")
    names = [lane.name for lane in lay_over(comparison, Anchor(0, by_use=True, cta=1)).lanes]
    assert names
    assert all(name.startswith("CTA1.") for name in names)


@pytest.mark.parametrize(
    ("a", "b", "anchor"),
    [
        ("lesson", "slow-consumer", Anchor(0)),
        ("multicast", "multicast-pair", Anchor(0, by_use=True, ring="load")),
    ],
)
def test_the_first_anchor_is_one_that_both_have(a: str, b: str, anchor: Anchor) -> None:
    comparison = shipped(a, b)
    assert first_anchor(comparison) == anchor
    lay_over(comparison, anchor)


def test_the_words_are_those_of_the_overlay() -> None:
    overlay = lay_over(shipped("lesson", "slow-consumer"), Anchor(3))
    head, *agents = overlay_text(overlay)
    assert head.startswith("aligned at tile 3 of CTA 0, which is in at ")
    assert f"b is drawn {duration(-overlay.shift)} earlier" in head
    for lane, text in zip(overlay.lanes, agents, strict=True):
        total = duration(sum(end - begin for begin, end in lane.differs.tolist()))
        assert text == f"{lane.name}: not in the same state in {len(lane.differs)} stretches, {total} together"
    same = overlay_text(lay_over(shipped("lesson", "lesson"), Anchor(3)))
    assert same[0].endswith("of both")
    assert same[1:] == [f"{lane.name}: in the same state throughout" for lane in overlay.lanes]
    later = lay_over(shipped("slow-consumer", "lesson"), Anchor(3))
    assert f"b is drawn {duration(later.shift)} later" in overlay_text(later)[0]
    told = overlay_json(overlay)
    assert (told["by"], told["number"], told["at_ps"], told["shift_ps"]) == ("tile", 3, overlay.at, overlay.shift)
    assert told["agents"][0] == {"agent": "producer", "differs_ps": overlay.lanes[0].differs.tolist()}


@pytest.mark.parametrize("seed", range(20))
def test_stretches_that_differ_are_those_found_moment_by_moment(seed: int) -> None:
    random = np.random.default_rng(seed)

    def lane() -> Spans:
        count = int(random.integers(0, 8))
        bounds = np.sort(random.integers(0, 30, count + 1)).tolist()  # some spans are of no length
        return spans(random.integers(0, 3, count).tolist(), bounds)

    a, b = lane(), lane()
    found = differing(a, b).tolist()
    plain = [time for time in range(31) if state_at(a, time) != state_at(b, time)]
    assert [time for begin, end in found for time in range(begin, end)] == plain
    assert all(begin < end for begin, end in found)
    assert all(before[1] < after[0] for before, after in pairwise(found))


@pytest.mark.parametrize(
    ("a", "b", "anchor", "says"),
    [
        ("gemm", "attention", Anchor(0, True, ring="load"), "b has no ring load; its rings: load_k, load_v, ring2"),
        ("pingpong", "gemm", Anchor(2), "a names no tiles: align at a use of a ring"),
        ("lesson", "one-stage", Anchor(3, cta=1), "tile 3 of CTA 1 is not in a: choose one that both have"),
    ],
)
def test_recordings_that_lack_it_say_so_in_one_sentence(a: str, b: str, anchor: Anchor, says: str) -> None:
    with pytest.raises(OverlayError) as refused:
        lay_over(shipped(a, b), anchor)
    assert str(refused.value) == says
