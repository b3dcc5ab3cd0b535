"""The clock fit finds the rate and the offsets that made the anchors, and says how far off it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.reconstruction.clock_fit import fit_clock
from visualizer.recording.trace import TraceError
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE

EPOCH_NS = 1_795_971_751_569_539_744  # a global timer's value: far beyond 2^53
NONE = np.zeros((0, 2), dtype=ANCHOR_DTYPE)


def anchors(rate_ps: float, boots: dict[int, int], spans_ns: list[tuple[int, int, int]]) -> np.ndarray:
    """Exact anchors of CTAs (smid, start ns, end ns) on SMs whose counters were zero at `boots` ns before EPOCH_NS."""
    made = np.zeros((len(spans_ns), 2), dtype=ANCHOR_DTYPE)
    for cta, (smid, *times) in enumerate(spans_ns):
        for end, ns in enumerate(times):
            made[cta, end] = (round((ns + boots[smid]) * 1000 / rate_ps), EPOCH_NS + ns, smid, 4)
    return made


@settings(max_examples=50)
@given(
    rate=st.floats(400, 1000),
    boots=st.lists(st.integers(0, 10**12), min_size=1, max_size=5),
    starts=st.lists(st.integers(0, 10**6), min_size=1, max_size=12),
)
def test_events_land_where_they_happened(rate: float, boots: list[int], starts: list[int]) -> None:
    spans = [(cta % len(boots), start, start + 5_000_000) for cta, start in enumerate(starts)]
    made = anchors(rate, dict(enumerate(boots)), spans)
    fit = fit_clock(made, NONE)
    assert fit.ps_per_cycle == pytest.approx(np.full(len(fit.sms), rate), rel=1e-6)
    assert fit.residual_max_ns < 10
    smid = np.array([sm for sm, _, _ in spans], dtype=np.uint32)
    middle = np.array([round((start + 2_500_000 + boots[sm]) * 1000 / rate) for sm, start, _ in spans], dtype=np.uint64)
    found = fit.to_ps(middle, smid)
    first = min(start for _, start, _ in spans)
    wanted = np.array([(start + 2_500_000 - first) * 1000 for _, start, _ in spans])
    assert np.abs(found - wanted).max() < 10_000


def test_a_short_run_takes_its_rate_from_the_calibration() -> None:
    run = anchors(505.0, {3: 10**9}, [(3, 0, 8_000)])
    run["globaltimer"][0, 1] += 32  # a tick misread: 0.4 % of the run, next to nothing of the calibration
    calibration = anchors(505.0, {3: 10**9}, [(3, -3_000_000, -1_000_000)])
    fit = fit_clock(run, calibration)
    assert fit.ps_per_cycle[0] == pytest.approx(505.0, rel=2e-5)
    assert fit.residual_max_ns == pytest.approx(17, abs=1)


def test_each_sm_has_its_own_rate() -> None:
    run = np.concatenate(
        [anchors(505.0, {3: 10**9}, [(3, 0, 200_000_000)]), anchors(505.1, {4: 10**9}, [(4, 0, 200_000_000)])]
    )
    fit = fit_clock(run, NONE)
    assert fit.ps_per_cycle == pytest.approx([505.0, 505.1], rel=1e-7)
    assert fit.residual_max_ns < 2


@settings(max_examples=30)
@given(slow=st.floats(0.0, 0.01), busy=st.integers(20_000, 400_000), sms=st.integers(1, 4))
def test_a_run_at_another_rate_than_before_it_is_fitted_by_itself(slow: float, busy: int, sms: int) -> None:
    """An SM that begins to work runs up to 1 % slow [H200]: its rate before and after says nothing about the run."""
    rate, during = 505.0, 505.0 * (1 + slow)

    def cycles(ns: int) -> int:
        return round(
            (10**9 + min(ns, 0)) * 1000 / rate + min(max(ns, 0), busy) * 1000 / during + max(ns - busy, 0) * 1000 / rate
        )

    run, calibration = np.zeros((sms, 2), ANCHOR_DTYPE), np.zeros((2 * sms, 2), ANCHOR_DTYPE)
    for sm in range(sms):
        for made, at, times in (
            (run, sm, (0, busy)),
            (calibration, sm, (-3_000_000, -100_000)),
            (calibration, sms + sm, (busy + 100_000, busy + 3_000_000)),
        ):
            made[at] = [(cycles(ns), EPOCH_NS + ns, sm, 42) for ns in times]
    fit = fit_clock(run, calibration)
    at = np.linspace(0, busy, 33).astype(np.int64)
    clocks = np.array([cycles(int(ns)) for ns in at], np.uint64)
    for sm in range(sms):
        found = fit.to_ps(clocks, np.full(len(at), sm, np.uint32))
        assert np.abs(found - at * 1000).max() < 2000
    # What the fit cannot know is whether the rate changed within the run: that much it admits.
    # And a tick came anywhere between two reads, 42 cycles apart.
    assert fit.residual_max_ns == pytest.approx(min(busy, 100_000) * slow / 2 + 10.6, rel=0.02, abs=2)


def test_anchors_in_the_middle_of_a_run_bend_the_line() -> None:
    """Two CTAs one after the other on an SM that sped up between them: clocks follow each at its own rate."""
    run = np.zeros((2, 2), ANCHOR_DTYPE)
    run[0] = [(10**9, EPOCH_NS, 5, 42), (10**9 + 100_000, EPOCH_NS + 51_000, 5, 42)]
    run[1] = [(10**9 + 110_000, EPOCH_NS + 56_050, 5, 42), (10**9 + 210_000, EPOCH_NS + 106_550, 5, 42)]
    fit = fit_clock(run, NONE)
    clocks = np.array([10**9 - 1000, 10**9 + 50_000, 10**9 + 160_000, 10**9 + 211_000], np.uint64)
    found = fit.to_ps(clocks, np.full(4, 5, np.uint32))
    assert found.tolist() == pytest.approx([-510_000, 25_500_000, 81_300_000, 107_057_500], abs=2)


def test_an_anchor_that_was_interrupted_counts_for_nothing() -> None:
    run = anchors(505.0, {3: 10**9, 4: 10**9}, [(3, 0, 50_000), (4, 0, 50_000)])
    calibration = anchors(505.0, {3: 10**9, 4: 10**9}, [(3, -3_000_000, -1_000_000), (4, -3_000_000, -1_000_000)])
    run["globaltimer"][0, 1] += 5000
    run["uncertainty"][0, 1] = 9000
    assert fit_clock(run, calibration).residual_max_ns < 3


def test_where_all_of_an_sm_were_interrupted_they_count() -> None:
    run = anchors(505.0, {3: 10**9, 4: 10**9}, [(3, 0, 4_000_000), (3, 0, 4_000_000), (4, 100, 4_000_000)])
    run["uncertainty"][2] = 900
    before = anchors(505.0, {3: 10**9, 4: 10**9}, [(4, -5_000_000, -4_000_000)])
    fit = fit_clock(run, before)
    assert fit.of_sm(run["clock"][2, :1], 4)[0] == pytest.approx(100_000, abs=2000)


def test_an_sm_without_a_span_runs_at_the_common_rate() -> None:
    run = anchors(505.0, {3: 10**9, 4: 10**9}, [(3, 0, 4_000_000), (4, 0, 4_000_000)])
    run[1, 1] = 0
    assert fit_clock(run, NONE).ps_per_cycle == pytest.approx([505.0, 505.0], rel=1e-6)


def test_a_cta_that_never_left_still_gives_its_sms_offset() -> None:
    run = anchors(505.0, {3: 10**9, 4: 5 * 10**8}, [(3, 0, 4_000_000), (4, 100, 4_000_000)])
    run[1, 1] = 0
    fit = fit_clock(run, NONE)
    assert fit.sms.tolist() == [3, 4]
    cycles = run["clock"][1, :1] + np.uint64(1000)
    assert fit.to_ps(cycles, np.array([4], dtype=np.uint32))[0] == pytest.approx(100_000 + 505_000, abs=2000)


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [
        ("smid", 0, 0xFFFFFFFF),  # room for so many SMs would take all memory
        ("clock", 0, 1 << 63),
        ("clock", 1, 0),
        ("globaltimer", 0, 1 << 62),
        ("globaltimer", 1, 1),
        ("globaltimer", 1, 1 << 63),
        ("globaltimer", 1, EPOCH_NS + 2**63 + 2**62),
    ],
)
def test_anchors_that_cannot_be_are_refused(field: str, place: int, value: int) -> None:
    taken = anchors(540, {0: 10_000, 1: 70_000}, [(0, 0, 10_000), (1, 0, 10_000), (1, 5_000, 20_000)])
    taken[field][2, place] = value
    with pytest.raises(TraceError, match="the log is damaged: what it says of the clock of SM"):
        fit_clock(taken, NONE)


def test_a_calibration_of_long_ago_tells_rates_alone() -> None:
    run = anchors(540, {0: 10**9}, [(0, 0, 10_000), (0, 2_000_000, 2_010_000)])
    long_ago = anchors(505, {0: 10**9}, [(0, 0, 4_000_000)])
    long_ago["globaltimer"] -= np.uint64(10**18)
    clock = fit_clock(run, long_ago)
    assert len(clock.keys) == len(fit_clock(run, NONE).keys)
    assert clock.of_sm(run["clock"][0, :1] + np.uint64(1 << 30), 0)[0] == pytest.approx(505 * 2**30, rel=1e-2)


def test_clocks_that_no_anchor_is_near_are_refused() -> None:
    clock = fit_clock(anchors(540, {0: 10_000, 1: 70_000}, [(0, 0, 10_000), (1, 0, 10_000)]), NONE)
    far = np.array([20_000, 1 << 60], np.uint64)
    for sm, cycles in ((0, far), (1, far), (2, far[:1])):
        with pytest.raises(TraceError, match=f"the clock of SM {sm} cannot be"):
            clock.of_sm(cycles, sm)
    with pytest.raises(TraceError, match="the clock of SM 7 cannot be"):
        clock.to_ps(far[:1], np.array([7], np.uint32))


def test_no_anchor_is_no_recording() -> None:
    with pytest.raises(TraceError, match="did not start"):
        fit_clock(np.zeros((2, 2), dtype=ANCHOR_DTYPE), NONE)


def test_anchors_without_a_span_are_refused() -> None:
    run = anchors(505.0, {3: 10**9}, [(3, 0, 1000)])
    run[0, 1] = 0
    with pytest.raises(TraceError, match="span no time"):
        fit_clock(run, NONE)
