"""Story files: what is read, every problem found at once, and what is written reads back as the same story."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.load import built_in_stories, load_story, parse_story, story_path
from visualizer.playback.stories.model import (
    PANES,
    ZOOMS,
    Autoplay,
    Chapter,
    FocusRule,
    Question,
    Source,
    Step,
    Story,
    Text,
)
from visualizer.playback.stories.write import save_story, story_toml

DOCS = Path(__file__).resolve().parents[3] / "docs" / "stories.md"
TITLE = 'title = { en = "t", zh = "t" }\n'
GOOD = """
title = { en = "t", zh = "t" }
[[chapter]]
id = "a"
title = { en = "a", zh = "a" }
recording = "lesson"
[[chapter.step]]
focus = 3
text = { en = "x", zh = "x" }
"""


def test_the_example_of_the_docs_is_a_story() -> None:
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    story = parse_story(example[1])
    steps = story.chapters[0].steps
    assert steps[0].panes == ("timeline", "ring", "barriers")
    assert steps[0].highlight == ("full[0]", "producer")
    assert steps[1].question is not None
    assert steps[1].question.answer.zh.startswith("等字节")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('title = { en = "t", zh = "t" }\n[[ch', "titel = 1\n[[ch", "the story: titel: is no key here"),
        ("focus = 3", 'focus = { find = "x", step = 1 }', "chapter 'a': step 1: focus: give either step or find"),
        ("focus = 3", "focus = { find = 'x', nth = 0 }", "focus.nth: counts from 1"),
        ("focus = 3", "focus = true", "focus: must be a step number or a table with find"),
        ("focus = 3", "", "focus: is missing"),
        ('text = { en = "x", zh = "x" }', 'text = { en = "x" }', "text.zh: is missing"),
        ('text = { en = "x", zh = "x" }', 'text = "x"', "text: must have en and zh"),
        ('recording = "lesson"', "", "recording: give either recording or program"),
        (
            'recording = "lesson"',
            'recording = "lesson"\nfault = "F06"',
            "fault: fault and parameters belong to a program",
        ),
        ("focus = 3", 'focus = 3\npanes = ["rings"]', "panes: there is no pane 'rings'"),
        ("focus = 3", 'focus = 3\nzoom = "closer"', "zoom: is 'closer'"),
        ("focus = 3", 'focus = 3\nquestion = { en = "q", zh = "q" }', "answer: is missing"),
        ("focus = 3", "focus = 3\nautoplay = { until = 9, loop = 1 }", "autoplay.loop: must be true or false"),
        ("focus = 3", "focus = 3\nhighlight = [1]", "highlight: must be a list of names"),
        *(
            (
                'recording = "lesson"',
                f'program = "lesson"\nparameters = {{ stages = {value} }}',
                "chapter 'a': parameters.stages: must be a number, true or false, or a text",
            )
            for value in ("[]", "{ a = 1 }", "1979-05-27", "nan", "-inf", "[[{}]]")
        ),
        (
            "focus = 3",
            "focus = 3\n[chapter.others]\ntwo = { program = 'lesson', parameters = { tiles = [2] } }",
            "recording 'two': parameters.tiles: must be a number",
        ),
        ("focus = 3", "focus = 3\nx = 1", "x: is no key here; there are answer, autoplay, focus"),
    ],
)
def test_a_problem_is_named_with_its_place(old: str, new: str, problem: str) -> None:
    assert old in GOOD
    with pytest.raises(StoryError) as caught:
        parse_story(GOOD.replace(old, new))
    assert problem in str(caught.value)


def test_all_problems_are_found_at_once() -> None:
    with pytest.raises(StoryError) as caught:
        parse_story(GOOD.replace("focus = 3", "fokus = 3").replace('id = "a"', 'id = ""'))
    assert len(caught.value.problems) == 3  # fokus, focus is missing, id is missing


def test_a_story_tells_others_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "all.toml").write_text(f"{TITLE}stories = ['mine.toml', 'gemm']\n", encoding="utf-8")
    mine, gemm = parse_story(GOOD), load_story(story_path("gemm"))
    told = load_story(tmp_path / "all.toml")
    assert told.path == tmp_path / "all.toml"
    chapters = (*mine.chapters, *gemm.chapters)
    assert [chapter.steps for chapter in told.chapters] == [chapter.steps for chapter in chapters]
    assert [chapter.source for chapter in told.chapters] == [chapter.source for chapter in chapters]
    assert told.chapters[0].id == "1-a"
    assert told.chapters[1].id == f"2-{gemm.chapters[0].id}"
    assert told.chapters[1].title.zh == f"{gemm.title.zh} - {gemm.chapters[0].title.zh}"
    assert told.chapters[2].title == gemm.chapters[1].title


@pytest.mark.parametrize(
    ("stories", "problem"),
    [
        ("['gemm', 'gemm']", "stories: gemm is told twice"),
        ("['../gemm.toml']", "stories: ../gemm.toml is neither a built-in story nor a file beside this one"),
        ("['none.toml']", "none.toml: cannot be read"),
        ("['course']", "course.toml: stories: is no key here; there are chapter, title"),
        ("['self.toml']", "self.toml: stories: is no key here"),
        ("['bad.toml']", "bad.toml: chapter 'a': step 1: focus: is missing"),
        ("['gemm']\n[[chapter]]", "stories: a story tells other stories, or chapters of its own"),
        ("[]", "stories: a story tells other stories, or chapters of its own"),
        ("3", "stories: must be a list of names"),
    ],
)
def test_what_it_cannot_tell_is_said(tmp_path: Path, stories: str, problem: str) -> None:
    (tmp_path / "bad.toml").write_text(GOOD.replace("focus = 3", ""), encoding="utf-8")
    (tmp_path / "self.toml").write_text(f"{TITLE}stories = {stories}\n", encoding="utf-8")
    with pytest.raises(StoryError) as caught:
        load_story(tmp_path / "self.toml")
    assert problem in str(caught.value)


def test_two_chapters_of_one_id_are_refused() -> None:
    chapter = GOOD[GOOD.index("[[chapter]]") :]
    with pytest.raises(StoryError, match="two chapters have the id 'a'"):
        parse_story(GOOD + chapter)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"title =", "is not TOML"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"#" * (5 << 20), "larger than 1 MB"),
        (b"x = " + b"[" * 9000, "nested too deeply"),
        (b"x = " + b"9" * 5000, "is not TOML"),
    ],
)
def test_files_that_are_no_story(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(StoryError, match=problem) as caught:
        load_story(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoryError, match=r"none\.toml: cannot be read"):
        load_story(tmp_path / "none.toml")


def test_built_in_names_are_found_and_paths_left_alone() -> None:
    for name in built_in_stories():
        assert story_path(name).name == f"{name}.toml"
    assert story_path("my/lecture.toml") == Path("my/lecture.toml")


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=30).map(
    lambda text: "." + text.strip()
)
_TEXTS = st.builds(Text, _WORDS, _WORDS)
_FOCI = st.one_of(
    st.builds(FocusRule, step=st.integers(0, 99), offset=st.integers(-3, 3)),
    st.builds(FocusRule, find=_WORDS, nth=st.sampled_from([-2, -1, 1, 2]), offset=st.integers(-3, 3)),
)
_STEPS = st.builds(
    Step,
    focus=_FOCI,
    text=_TEXTS,
    lane=st.sampled_from(["", "full[0]"]),
    panes=st.lists(st.sampled_from(PANES), min_size=1, max_size=3, unique=True).map(tuple),
    highlight=st.lists(st.sampled_from(["full[0]", "tma"]), unique=True).map(tuple),
    zoom=st.sampled_from(ZOOMS),
    notes=st.one_of(st.just(Text("", "")), _TEXTS),
    question=st.one_of(st.none(), st.builds(Question, _TEXTS, _TEXTS)),
    autoplay=st.one_of(st.none(), st.builds(Autoplay, _FOCI, st.booleans())),
)
_SOURCES = st.one_of(
    st.builds(Source, recording=st.just("lesson")),
    st.builds(Source, program=st.just("lesson"), fault=st.sampled_from(["", "F06"]), parameters=st.just({"stages": 2})),
)


@settings(max_examples=60)
@given(st.lists(st.tuples(_SOURCES, st.lists(_STEPS, min_size=1, max_size=3)), min_size=1, max_size=3), _TEXTS)
def test_what_is_written_reads_back_the_same(chapters: list[tuple[Source, list[Step]]], title: Text) -> None:
    story = Story(
        title,
        tuple(
            Chapter(f"c{number}", title, source, tuple(steps), {"two": source})
            for number, (source, steps) in enumerate(chapters)
        ),
    )
    assert parse_story(story_toml(story)) == story


def test_saving_replaces_the_whole_file_or_nothing(tmp_path: Path) -> None:
    story = parse_story(GOOD)
    path = tmp_path / "story.toml"
    save_story(story, path)
    assert dataclasses.replace(load_story(path), path=None) == story
    assert [file.name for file in tmp_path.iterdir()] == ["story.toml"]
    with pytest.raises(StoryError, match="cannot be saved"):
        save_story(story, tmp_path / "no folder" / "story.toml")


def test_sources_that_look_alike_have_one_key() -> None:
    """1, 1.0 and true are one key of a dict, and a program refuses two of them: none may pass as another."""
    sources = [Source(program="lesson", parameters={"tiles": value}) for value in (1, 1.0, True, "1")]
    assert len({source.key for source in sources}) == len(sources)
    both = [
        Source(program="lesson", parameters=dict(order)) for order in ([("a", 1), ("b", "x")], [("b", "x"), ("a", 1)])
    ]
    assert both[0].key == both[1].key
