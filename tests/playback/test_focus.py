"""The focus history goes back and forward like a browser's."""

from __future__ import annotations

from visualizer.playback.focus import Focus, FocusHistory


def visited(*steps: int) -> FocusHistory:
    history = FocusHistory()
    for step in steps:
        history.visit(Focus(step))
    return history


def test_an_empty_history_goes_nowhere() -> None:
    history = FocusHistory()
    assert history.current is None
    assert not history.can_go_back
    assert not history.can_go_forward
    assert history.back() is None
    assert history.forward() is None


def test_back_and_forward_retrace_the_visits() -> None:
    history = visited(1, 2, 3)
    assert [history.back(), history.back(), history.back()] == [Focus(2), Focus(1), None]
    assert history.current == Focus(1)
    assert [history.forward(), history.forward(), history.forward()] == [Focus(2), Focus(3), None]


def test_a_visit_forgets_what_lay_ahead() -> None:
    history = visited(1, 2, 3)
    history.back()
    history.visit(Focus(9, "full[0]"))
    assert not history.can_go_forward
    assert history.back() == Focus(2)
    assert history.forward() == Focus(9, "full[0]")


def test_the_same_focus_again_is_no_visit_but_another_lane_is() -> None:
    history = visited(1, 1)
    assert not history.can_go_back
    history.visit(Focus(1, "tma"))
    assert history.back() == Focus(1)


def test_only_the_latest_visits_are_kept() -> None:
    history = visited(*range(1500))
    back = 0
    while history.back() is not None:
        back += 1
    assert back == 999
    assert history.current == Focus(500)


def test_clear_forgets_everything() -> None:
    history = visited(1, 2)
    history.clear()
    assert history.current is None
    assert not history.can_go_back
