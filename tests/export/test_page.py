"""Pages to step through: the document against the History, and the page itself in a headless Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import BROWSER, Page, chromium

from visualizer.diagnosis.arrived import cursor_text, landed_at
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.wording import state_word
from visualizer.export import page_model
from visualizer.export.errors import ExportError
from visualizer.export.formats import export
from visualizer.export.page import render_page
from visualizer.export.page_model import WORDS, page_document
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.language import speaking
from visualizer.programs.builder import Builder
from visualizer.replay.history import AgentActivity, History, StageState
from visualizer.sources.simulator.simulate import simulate


def added_up(document: dict[str, Any]) -> Iterator[dict[str, dict[int, Any]]]:
    """The state after each step, as the page makes it from what the steps changed."""
    state: dict[str, dict[int, Any]] = {"barrier": {}, "stage": {}, "agent": {}}
    for step in document["steps"]:
        for kind, changed in step["changed"].items():
            state[kind] |= changed
        yield state


@pytest.mark.parametrize("range_", ["", "70:120"])
def test_the_steps_add_up_to_the_historys_states(recorded: History, range_: str) -> None:
    document = page_document(select(recorded, range_))
    for step, state in zip(document["steps"], added_up(document), strict=True):
        now = recorded.state_at(step["step"])
        for row, barrier in state["barrier"].items():
            shown = (
                None if barrier is None else (barrier["phase"], barrier["pending"], barrier["expected"], barrier["tx"])
            )
            known = (now.barrier_phase[row], now.barrier_pending[row], now.barrier_expected[row], now.barrier_tx[row])
            assert shown == (known if now.barrier_valid[row] else None)
        assert [stage["state"] for stage in state["stage"].values()] == [
            StageState(value).name.lower() for value in now.stage_state
        ]
        producer = state["agent"][0]
        assert producer["state"] == AgentActivity(now.agent_activity[0]).name.lower()
        assert producer["cursors"] == [[now.cursor_index[0], now.cursor_phase[0], now.cursor_count[0]]]


def test_each_step_is_explained(recorded: History) -> None:
    steps = page_document(select(recorded))["steps"]
    assert [step["text"] for step in steps] == [explain(recorded, step) for step in range(recorded.steps)]
    assert steps[60]["site"].endswith("consumer_wait")


def test_only_the_chosen_lanes_are_in_the_document(four_ctas: History) -> None:
    document = page_document(select(four_ctas, "100:400", ["CTA1.*"]))
    keys = {lane["key"] for lane in document["timeline"]["lanes"]}
    assert keys == {lane.key for lane in select(four_ctas, "", ["CTA1.*"]).lanes}
    assert {agent["name"] for agent in document["agents"]} <= keys
    assert all({arrow[1], arrow[3]} <= keys for step in document["steps"] for arrow in step["arrows"])


def test_what_a_page_holds_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everybody waits for everybody, each wait has an arrow from each arrival."""
    b = Builder("crowd")
    (everybody,) = b.barriers("all", 1, count=40)
    for number in range(40):
        warp = b.agent(f"w{number}", role="consumer")
        if not number:
            warp.init_all()
        warp.sync()
        warp.arrive(everybody)
        warp.wait(everybody, 0)
    crowd = History(simulate(b.build()))
    monkeypatch.setattr(page_model, "MOST_HELD", 4000)
    with pytest.raises(ExportError, match=r"a page holds up to 4,000 .*choose fewer steps .*--range.*--lanes"):
        export(select(crowd), tmp_path / "x.html", Look())
    assert not list(tmp_path.iterdir())
    assert export(select(crowd, "0:60"), tmp_path / "x.html", Look())


def test_boxes_lie_within_the_range(recorded: History) -> None:
    timeline = page_document(select(recorded, "2us:4us"))["timeline"]
    assert (timeline["begin"], timeline["end"]) == (2_000_000, 4_000_000)
    boxes = [box for lane in timeline["lanes"] for box in lane["boxes"]]
    assert boxes
    assert all(2_000_000 <= box[0] <= box[1] <= 4_000_000 for box in boxes)


def test_the_lessons_page_is_small_and_names_nothing_outside(recorded: History, write) -> None:
    page = write(recorded, ".html")
    assert page.stat().st_size < 5_000_000
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)\s*=|@import|url\(['"]?(http|//)""", text)
    assert "{{" not in text
    assert set(re.findall(r'word\("(\w+)"', text)) <= WORDS.keys()


def test_no_text_of_a_recording_can_end_the_script(recorded: History) -> None:
    document = {**page_document(select(recorded, "0:5")), "title": "</script><b>{{x}}"}
    page = render_page(document, "light")
    assert page.count("</script>") == 2
    inside = re.search(r'id="document">(.*?)</script>', page, re.DOTALL)
    assert inside is not None
    assert json.loads(inside[1])["title"] == document["title"]


@pytest.fixture(scope="module")
def page(recorded: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The lesson's page in a browser, at its first step."""
    if BROWSER is None:
        pytest.skip("no Chromium on this computer; .ci/setup installs it")
    folder: Path = tmp_path_factory.mktemp("page")
    export(select(recorded), folder / "lesson.html", Look("dark"))
    with chromium(folder / "profile") as opened:
        opened.open((folder / "lesson.html").as_uri())
        yield opened
        assert not opened.problems


def shown_step(page: Page) -> int:
    return int(re.match(r"step (\d+) of 235", page.text("position"))[1])


def test_keys_step(page: Page) -> None:
    page.press("Home")
    assert shown_step(page) == 0
    for _ in range(3):
        page.press("ArrowRight")
    page.press("ArrowLeft")
    assert shown_step(page) == 2
    page.press("End")
    page.press("ArrowRight")
    assert shown_step(page) == 235


def test_buttons_step_and_the_state_follows(page: Page, recorded: History) -> None:
    page.press("Home")
    for _ in range(60):
        page.click("next")
    assert shown_step(page) == 60
    assert page.text("text") == explain(recorded, 60)
    page.click("previous")
    assert shown_step(page) == 59
    rows = page.value(
        "[...document.querySelectorAll('#barriers tr')].slice(1).map((r) => [...r.cells].map((c) => c.textContent))"
    )
    state = recorded.state_at(59)
    assert rows == [
        [
            barrier.name,
            str(phase),
            str(phase & 1),
            f"{expected - pending}/{expected}",
            landed_at(recorded, row, 59).text or "–",
        ]
        for row, (barrier, phase, pending, expected) in enumerate(
            zip(
                recorded.trace.barriers,
                state.barrier_phase,
                state.barrier_pending,
                state.barrier_expected,
                strict=True,
            )
        )
    ]
    hints = page.value("[...document.querySelectorAll('#barriers tr')].slice(1).map((r) => r.title)")
    assert hints[0] == f"pending {state.barrier_pending[0]}, tx {state.barrier_tx[0]} bytes"
    page.click("first")
    assert shown_step(page) == 0
    page.click("last")
    assert shown_step(page) == 235


def test_a_click_on_the_timeline_goes_there(page: Page) -> None:
    page.click("timeline", 0.25)
    early = shown_step(page)
    page.click("timeline", 0.75)
    assert 0 < early < shown_step(page) < 235


def test_what_a_step_changed_is_marked(page: Page, recorded: History) -> None:
    flip = int(recorded.completion_steps[0])
    page.value(f"location.hash = '#step={flip}'")
    assert shown_step(page) == flip
    marked = page.value("[...document.querySelectorAll('#barriers td.changed')].map((cell) => cell.textContent)")
    assert marked[:2] == ["1", "1"]  # phase and parity of the barrier that flipped


def test_playing_goes_on_and_pauses(page: Page) -> None:
    page.press("Home")
    page.press(" ")
    assert page.value("document.getElementById('play').getAttribute('aria-pressed')") == "true"
    advanced = (
        "new Promise((done) => {"
        " const t = setInterval(() => { if (shown > 0) { clearInterval(t); done(shown); } }, 20); })"
    )
    assert page.wait_for(advanced) == 1
    page.press(" ")
    assert page.value("document.getElementById('play').getAttribute('aria-pressed')") == "false"


def test_the_theme_can_be_switched(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.value(colour)
    page.click("theme")
    assert page.value(colour) != dark
    page.click("theme")
    assert page.value(colour) == dark


def test_every_lane_is_drawn_with_its_boxes(page: Page, recorded: History) -> None:
    names = page.value("[...document.querySelectorAll('#timeline text')].map((text) => text.textContent)")
    assert {"producer", "tma", "stage[2]", "full[0]", "empty[2]"} <= set(names)
    assert page.value("document.querySelectorAll('#timeline rect').length") > 100


def cells(page: Page, table: str) -> list[list[str]]:
    return page.value(
        f"[...document.querySelectorAll('#{table} tr')].slice(1).map((r) => [...r.cells].map((c) => c.textContent))"
    )


def test_states_and_cursors_are_told_in_words(page: Page, recorded: History) -> None:
    page.value("location.hash = '#step=60'")
    assert shown_step(page) == 60
    state, told = recorded.state_at(60), cells(page, "agents")
    cursors = recorded.cursors_at(60, recorded.trace.rings[0]).tolist()
    assert len(told) == 4  # the copy engine has no row
    assert [row[-1] for row in told] == [cursor_text(*at) for at in cursors if at[0] >= 0]
    assert [row[1] for row in told] == [
        state_word(AgentActivity(activity).name.lower()) for activity in state.agent_activity[:4].tolist()
    ]


def test_the_rulers_times_have_one_unit(page: Page) -> None:
    times = page.value(
        "[...document.querySelectorAll('#timeline text')].map((t) => t.textContent)"
        ".filter((text) => /^[\\d.]+ [num\u00b5p]?s$/.test(text))"
    )
    assert len(times) > 4
    assert {text.split()[-1] for text in times} == {"µs"}


def test_a_chinese_page_tells_states_in_chinese(recorded: History) -> None:
    with speaking("zh"):
        document = page_document(select(recorded, "0:5"))
    assert document["words"]["states"]["waiting"] == "等待中"
    assert document["words"]["at"].startswith("stage {index}")
