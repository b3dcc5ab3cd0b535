"""`phasescope compare`: what it prints, and exit status 0 same order, 1 differs, 2 bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from two_ring_traces import two_rings

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import save
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., Path]:
    def make(name: str, seed: int = 0, **config: int) -> Path:
        path = tmp_path / f"{name}.pscope"
        save(simulate(lesson(LessonConfig(**config)), seed=seed), path)
        return path

    return make


def test_the_same_order_is_status_0(phasescope: Callable, lesson_file: Path, recording: Callable) -> None:
    outcome = phasescope("compare", lesson_file, recording("other", seed=4))
    assert (outcome.status, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].startswith(f"a: {lesson_file}, lesson, 262 events in ")
    assert lines[2] == "order: the same in all 5 agents"
    assert lines[3].startswith("tiles: 8 in both; at the median a tile takes ")
    assert lines[4].startswith("  CTA 0 tile 0: ")


def test_another_order_is_status_1(phasescope: Callable, lesson_file: Path, recording: Callable) -> None:
    outcome = phasescope("compare", lesson_file, recording("longer", tiles=9))
    assert outcome.status == 1
    assert "order: differs in 5 of 5 agents\n" in outcome.out
    assert "  producer differs at its event " in outcome.out


def test_json(phasescope: Callable, lesson_file: Path, recording: Callable) -> None:
    outcome = phasescope("compare", lesson_file, recording("other", seed=4), "--json", "--tile", "3")
    document = json.loads(outcome.out)
    assert (outcome.status, document["same_order"]) == (0, True)
    assert document["a"]["ended"] == document["b"]["ended"] == "completed"
    assert len(document["tiles"]) == 8
    assert document["states"]["tile"] == 3


def test_states_at_a_tile(phasescope: Callable, lesson_file: Path, recording: Callable) -> None:
    outcome = phasescope("compare", lesson_file, recording("slow", consumer_delay=2000), "--tile", "3")
    assert "states when tile 3 is in, step " in outcome.out
    same = phasescope("compare", lesson_file, lesson_file, "--tile", "3")
    assert same.out.endswith("  the same everywhere\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tile", "99"], "has no tile 99 in CTA 0"),
        (["--tile", "1", "--cta", "5"], "has no tile 1 in CTA 5"),
        (["--cta", "0"], "--cta applies to --tile and --use only"),
        (["--use", "1"], "--use applies to --overlay only"),
        (["--overlay", "x.svg", "--use", "1", "--tile", "1"], "--tile and --use: an overlay is aligned at one of them"),
        (["--overlay", "x.pdf"], "--overlay x.pdf: the picture is an SVG or a PNG; give it that ending"),
        (["--overlay", "x.svg", "--use", "99"], "--overlay: use 99 of CTA 0 is not in a: choose one that both have"),
        (["--overlay", "/nowhere/x.svg"], "/nowhere/x.svg cannot be written"),
    ],
)
def test_what_is_not_there_is_status_2(phasescope: Callable, lesson_file: Path, words: list[str], says: str) -> None:
    outcome = phasescope("compare", lesson_file, lesson_file, *words)
    assert outcome.status == 2
    assert says in outcome.err
    assert outcome.out == ""


def test_recordings_without_a_common_agent_cannot_be_compared(
    phasescope: Callable, lesson_file: Path, recording: Callable
) -> None:
    outcome = phasescope("compare", lesson_file, recording("two", ctas=2))
    assert outcome.status == 2
    assert "no agent in common" in outcome.err


def test_a_damaged_file_is_status_2(phasescope: Callable, lesson_file: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.pscope").write_bytes(b"bad")
    assert phasescope("compare", lesson_file, tmp_path / "bad.pscope").status == 2


def test_of_several_rings_one_can_be_asked_for(phasescope: Callable, tmp_path: Path, lesson_file: Path) -> None:
    path = tmp_path / "rings.pscope"
    save(two_rings(), path)
    outcome = phasescope("compare", path, path, "--tile", "1", "--ring", "V", "--json")
    document = json.loads(outcome.out)
    assert [ring["name"] for ring in document["rings"]] == ["K", "V"]
    step = document["states"]["step_a"]
    assert json.loads(phasescope("show", path, "--step", str(step), "--json").out)["event"]["barrier"] == "V.full[1]"
    assert "ring K: 3 stages in both; 8 tiles in both;" in phasescope("compare", path, path).out
    refused = phasescope("compare", path, path, "--tile", "1", "--ring", "Q")
    assert (refused.status, "it has K, V" in refused.err) == (2, True)
    alone = phasescope("compare", lesson_file, lesson_file, "--tile", "1", "--ring", "Q")
    assert (alone.status, "one ring, without a name; leave it out" in alone.err) == (2, True)
    assert "--ring applies to --tile and --use only" in phasescope("compare", path, path, "--ring", "K").err


def test_an_overlay_is_a_picture_with_its_words(
    phasescope: Callable, lesson_file: Path, recording: Callable, tmp_path: Path
) -> None:
    other = recording("slow", consumer_delay=2000)
    drawing, image = tmp_path / "both.svg", tmp_path / "both.png"
    outcome = phasescope("compare", lesson_file, other, "--overlay", drawing, "--tile", "3")
    assert outcome.status in (0, 1)
    assert f"overlay: {drawing}, aligned at tile 3 of CTA 0, which is in at " in outcome.out
    assert "\n  producer: not in the same state in " in outcome.out
    text = drawing.read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    for word in ("consumer.w1", "tile 3", "not in the same state", "slow.pscope"):
        assert word in text
    document = json.loads(
        phasescope("compare", lesson_file, other, "--overlay", image, "--use", "2", "--theme", "dark", "--json").out
    )
    assert image.read_bytes().startswith(b"\x89PNG")
    told = document["overlay"]
    assert (told["file"], told["by"], told["number"]) == (str(image), "use", 2)
    assert any(agent["differs_ps"] for agent in told["agents"])
