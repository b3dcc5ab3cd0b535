"""Walking through a story: the same states forward and back, questions asked before they are revealed."""

from __future__ import annotations

from visualizer.playback.stories.load import parse_story
from visualizer.playback.stories.presentation import Beat, Presentation

STORY = parse_story(
    """
title = { en = "t", zh = "t" }
[[chapter]]
id = "a"
title = { en = "a", zh = "a" }
recording = "lesson"
[[chapter.step]]
focus = 0
text = { en = "one", zh = "one" }
[[chapter.step]]
focus = 5
text = { en = "two", zh = "two" }
question = { en = "q", zh = "q" }
answer = { en = "a", zh = "a" }
[[chapter]]
id = "b"
title = { en = "b", zh = "b" }
program = "lesson"
[[chapter.step]]
focus = 1
text = { en = "three", zh = "three" }
"""
)
ALL = [Beat(0, 0), Beat(0, 1, revealed=False), Beat(0, 1), Beat(1, 0)]


def test_forward_and_back_pass_through_the_same_beats() -> None:
    presentation = Presentation(STORY)
    forward = [presentation.beat]
    while presentation.upcoming:
        presentation.next()
        forward.append(presentation.beat)
    back = [presentation.beat]
    while presentation.beat != ALL[0]:
        presentation.previous()
        back.append(presentation.beat)
    assert forward == ALL
    assert back == ALL[::-1]


def test_the_ends_are_ends() -> None:
    seen: list[Beat] = []
    presentation = Presentation(STORY, lambda: seen.append(presentation.beat))
    presentation.previous()
    presentation.last()
    presentation.next()
    assert seen == [ALL[-1]]
    presentation.first()
    assert presentation.beat == ALL[0]


def test_jumping_to_a_chapter_and_to_none() -> None:
    presentation = Presentation(STORY)
    presentation.go_to_chapter(1)
    assert presentation.beat == Beat(1, 0)
    presentation.go_to_chapter(7)
    assert presentation.beat == Beat(1, 0)
    assert presentation.progress == (1, 1)


def test_a_move_lifts_the_black_screen() -> None:
    presentation = Presentation(STORY)
    presentation.toggle_black()
    assert presentation.black
    presentation.next()
    assert not presentation.black
    presentation.toggle_black()
    presentation.toggle_black()
    assert not presentation.black
