"""A story as a page to take home: its document against the story, and the page in a headless Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import BROWSER, Page, chromium

from visualizer.diagnosis.explanations.explain import explain
from visualizer.export.story_page import STORY_WORDS, render_story, story_document
from visualizer.language import LANGUAGES
from visualizer.playback.stories.load import load_story, story_path
from visualizer.playback.stories.presentation import beats_of
from visualizer.playback.stories.telling import Telling


@pytest.fixture(scope="module")
def telling() -> Telling:
    return Telling(load_story(story_path("lesson")))


@pytest.fixture(scope="module")
def document(telling: Telling) -> dict[str, Any]:
    return story_document(telling, range(len(telling.story.chapters)))


def test_every_step_is_told_in_every_language(telling: Telling, document: dict[str, Any]) -> None:
    for number, chapter in enumerate(document["chapters"]):
        for step, shown in enumerate(chapter["steps"]):
            told = telling.told(number, step)
            for language in LANGUAGES:
                assert shown["text"][language] == told.caption(language)
                assert chapter["title"][language] == told.title(language)
            recording = document["recordings"][shown["recording"]]
            assert recording["steps"][shown["at"]]["step"] == told.focus.step
            assert recording["steps"][shown["at"]]["text"]["en"] == explain(told.history, told.focus.step)
            assert recording["steps"][shown["before"]]["step"] == max(told.focus.step - 1, 0)
            assert (shown["question"] is None) is (told.step.question is None)


def test_recordings_that_chapters_share_are_there_once(document: dict[str, Any]) -> None:
    used = [step["recording"] for chapter in document["chapters"] for step in chapter["steps"]]
    assert set(used) == set(range(len(document["recordings"])))
    assert len(document["recordings"]) < len(document["chapters"])


def test_chosen_chapters_only(telling: Telling) -> None:
    some = story_document(telling, [7])
    assert [chapter["id"] for chapter in some["chapters"]] == ["one-tile"]
    assert len(some["recordings"]) == 1


def test_the_page_is_small_and_names_nothing_outside(document: dict[str, Any]) -> None:
    text = render_story(document, "light")
    assert len(text.encode()) < 5_000_000
    assert not re.search(r"""(src|href)\s*=|@import|url\(['"]?(http|//)""", text)
    assert "{{" not in text
    assert set(re.findall(r'word\("(\w+)"', text)) <= STORY_WORDS.keys()
    inside = re.search(r'id="document">(.*?)</script>', text, re.DOTALL)
    assert inside is not None
    assert json.loads(inside[1])["title"] == document["title"]


@pytest.fixture(scope="module")
def page(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The lesson's story in a browser."""
    if BROWSER is None:
        pytest.skip("no Chromium on this computer; .ci/setup installs it")
    folder = tmp_path_factory.mktemp("story")
    (folder / "story.html").write_text(render_story(document, "dark"), encoding="utf-8")
    with chromium(folder / "profile") as opened:
        opened.open((folder / "story.html").as_uri())
        yield opened
        assert not opened.problems


def seen(page: Page) -> tuple[str, ...]:
    """Words, question and all tables, as a reader sees them."""
    ids = ("position", "question", "caption", "what", "text", "barriers", "stages", "agents")
    cursor = page.value("document.querySelector('#cursor rect').getAttribute('x')")
    return (*(page.text(element) for element in ids), cursor)


def test_twenty_steps_forward_and_back_to_the_same_states(page: Page, telling: Telling) -> None:
    page.press("Home")
    forward = [seen(page)]
    for _ in range(20):
        page.press("ArrowRight")
        forward.append(seen(page))
    assert len(set(forward)) == 21
    for state in forward[-2::-1]:
        page.press("ArrowLeft")
        assert seen(page) == state
    page.press("End")
    last = beats_of(telling.story)[-1]
    assert f"chapter {last.chapter + 1} of" in page.text("position")


@pytest.mark.parametrize("how", ["click", "next"])
def test_a_question_hides_its_answer_and_the_state_until_asked(page: Page, document: dict[str, Any], how: str) -> None:
    page.value("location.hash = '#one-tile/2'")
    step = document["chapters"][7]["steps"][1]
    steps = document["recordings"][step["recording"]]["steps"]
    assert step["question"]["en"] in page.text("question")
    assert page.text("caption") == ""
    assert page.value("document.querySelectorAll('.veil').length") == 1
    assert page.text("text") == steps[step["before"]]["text"]["en"]
    if how == "click":
        page.click("answer")
    else:
        page.press("ArrowRight")
    assert page.text("caption") == f"{step['answer']['en']} {step['text']['en']}"
    assert page.value("document.querySelectorAll('.veil').length") == 0
    assert page.text("text") == steps[step["at"]]["text"]["en"]
    page.press("ArrowLeft")
    assert page.text("caption") == ""


def test_the_language_switches_where_one_is(page: Page, document: dict[str, Any]) -> None:
    page.value("location.hash = '#one-tile/1'")
    shown = document["chapters"][7]["steps"][0]["text"]
    assert page.text("caption") == shown["en"]
    page.click("language")
    assert page.text("caption") == shown["zh"]
    assert page.value("document.documentElement.lang") == "zh"
    page.press("l")
    assert page.text("caption") == shown["en"]


def test_chapters_can_be_chosen(page: Page) -> None:
    page.value("document.getElementById('chapters').value = 16")
    page.value("document.getElementById('chapters').dispatchEvent(new Event('change'))")
    assert page.text("position").startswith("chapter 17 of 17, step 1")


def test_a_passage_plays_to_its_end(page: Page, document: dict[str, Any]) -> None:
    place = next(
        (chapter["id"], number, step)
        for chapter in document["chapters"]
        for number, step in enumerate(chapter["steps"], start=1)
        if step["until"] is not None
    )
    end = document["recordings"][place[2]["recording"]]["steps"][place[2]["until"]]["text"]["en"]
    page.value(f"location.hash = '#{place[0]}/{place[1]}'")
    arrived = (
        f"new Promise((done) => {{ const t = setInterval(() => {{"
        f" if (document.getElementById('text').textContent === {json.dumps(end)}) {{ clearInterval(t); done(true); }}"
        f" }}, 20); }})"
    )
    assert page.wait_for(arrived)
