"""Zoom, pan, fit and their undo; ruler ticks and how times are written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.views.timeline.time.navigation import EDGE, Navigation
from visualizer.views.timeline.time.scale import MIN_PS_PER_PX, View, fit, fit_range, format_time, tick_step, ticks

US = 1_000_000
MANY = settings(max_examples=100, deadline=None)


def test_fit_shows_everything_with_a_margin():
    view = fit(10 * US, 1000)
    assert view.start < 0
    assert view.end > 10 * US
    assert view.pixel(0) == pytest.approx(30, abs=1)
    assert view.pixel(10 * US) == pytest.approx(970, abs=1)


@MANY
@given(st.floats(1.01, 50), st.floats(0, 1000), st.integers(10 * US, 10**12))
def test_zooming_in_keeps_the_time_under_the_pointer(factor, x, duration):
    view = fit(duration, 1000).zoomed(4, 500, duration)
    zoomed = view.zoomed(factor, x, duration)
    assert zoomed.ps_per_px >= MIN_PS_PER_PX
    assert abs(zoomed.pixel(view.time(x)) - x) <= 1


def test_zoom_about_a_pixel_in_the_middle_of_a_recording():
    view = fit(100 * US, 1000).zoomed(10, 600, 100 * US)
    before = view.time(250)
    after = view.zoomed(1.5, 250, 100 * US)
    assert after.pixel(before) == pytest.approx(250, abs=0.01)
    assert after.ps_per_px == pytest.approx(view.ps_per_px / 1.5)


def test_zooming_out_ends_at_everything():
    duration = 7 * US
    view = fit(duration, 800).zoomed(100, 400, duration)
    for _ in range(40):
        view = view.zoomed(1 / 1.5, 100, duration)
    assert view == fit(duration, 800)


def test_zooming_in_ends_below_a_clock_cycle():
    view = fit(US, 800)
    for _ in range(100):
        view = view.zoomed(2, 400, US)
    assert view.ps_per_px == MIN_PS_PER_PX


@MANY
@given(st.floats(-1e7, 1e7))
def test_panning_never_loses_the_recording(pixels):
    duration = 50 * US
    view = fit(duration, 1000).zoomed(8, 500, duration).panned(pixels, duration)
    assert view.start < duration
    assert view.end > 0


def test_times_beyond_what_a_float_holds_stay_apart():
    base = 2**60
    view = View(base, 10.0, 100)
    np.testing.assert_array_equal(view.pixels(np.array([base, base + 10, base + 995])), [0, 1, 99.5])
    np.testing.assert_array_equal(view.column_edges(0, 2), [base, base + 10, base + 20, base + 30])


def test_resizing_keeps_everything_in_view_or_the_scale():
    whole = fit(9 * US, 500)
    assert whole.resized(900, 9 * US) == fit(9 * US, 900)
    part = whole.zoomed(5, 250, 9 * US)
    assert part.resized(900, 9 * US).ps_per_px == part.ps_per_px


def test_fit_range_leaves_something_to_spare():
    view = fit_range(4 * US, 5 * US, 1000, 10 * US)
    assert view.contains(4 * US, 50)
    assert view.contains(5 * US, 50)
    assert view.span == pytest.approx(1.2 * US)


@pytest.mark.parametrize(
    ("time", "step", "text"),
    [
        (0, 0, "0 ps"),
        (505, 0, "505 ps"),
        (1500, 0, "1.5 ns"),
        (2_973_700, 0, "2.974 µs"),
        (12 * 10**12, 0, "12 s"),
        (-1500, 0, "-1.5 ns"),
        (0, 500_000, "0 ns"),
        (2_500_000, 500_000, "2.5 µs"),
        (2_500_000, 10_000, "2.50 µs"),
        (500_000, 500_000, "500 ns"),
    ],
)
def test_format_time(time, step, text):
    assert format_time(time, step) == text


@pytest.mark.parametrize(
    ("time", "step", "text"), [(0, 10_000, "0 µs"), (480_000, 1_000, "0.480 µs"), (505, 0, "0.001 µs")]
)
def test_times_beside_one_another_have_one_unit(time, step, text):
    assert format_time(time, step, among=2_500_000) == text


@pytest.mark.parametrize(("ps_per_px", "step"), [(1000, 100_000), (1001, 200_000), (2500, 500_000), (0.01, 1)])
def test_tick_steps_are_round(ps_per_px, step):
    assert tick_step(ps_per_px, 100) == step


def test_ticks_in_view_start_at_zero():
    times, step = ticks(fit(10 * US, 1000), 100)
    assert step == 2 * US
    np.testing.assert_array_equal(times, [0, 2 * US, 4 * US, 6 * US, 8 * US, 10 * US])


def test_one_turn_of_the_wheel_is_one_undo():
    navigation = Navigation(100 * US, 1000)
    whole = navigation.view
    for now in (0.0, 0.1, 0.2):
        navigation.zoom(1.5, 500, now)
    turned = navigation.view
    navigation.zoom(1.5, 500, 5.0)
    navigation.undo()
    assert navigation.view == turned
    navigation.undo()
    assert navigation.view == whole
    navigation.undo()
    assert navigation.view == whole


def test_fit_and_show_can_be_undone():
    navigation = Navigation(100 * US, 1000)
    navigation.show(10 * US, 20 * US)
    shown = navigation.view
    navigation.fit()
    navigation.undo()
    assert navigation.view == shown


def test_reveal_moves_only_when_it_must():
    navigation = Navigation(100 * US, 1000)
    navigation.show(10 * US, 20 * US)
    before = navigation.view
    navigation.reveal(15 * US)
    assert navigation.view == before
    navigation.reveal(60 * US)
    assert navigation.view.contains(60 * US, EDGE)
    assert navigation.view.ps_per_px == before.ps_per_px
