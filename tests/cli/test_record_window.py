"""The options of `record` for a part of a run: what they record, what they refuse, and what is said of the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from visualizer.recording.file import load


def test_a_window_is_recorded_told_and_clean(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "w.pscope"
    outcome = phasescope("record", "--tiles", 30, "--ctas", 4, "--every-cta", 2, "--window", "10:12", "-o", path)
    assert outcome.status == 0, outcome.err
    assert outcome.out.splitlines()[1:] == [
        "Tiles 10 to 12 of 30 were recorded.",
        "2 of 4 CTAs were not recorded.",
    ]
    trace = load(path)
    assert set(trace.events["tile"][trace.events["tile"] >= 0].tolist()) == set(range(7, 13))
    shown = dict(line.split("  ", 1) for line in phasescope("show", path).out.splitlines())
    assert shown["left out"].strip() == "Tiles 10 to 12 of 30 were recorded. 2 of 4 CTAs were not recorded."
    assert shown["trust"].strip().startswith("Exact, simulated")
    document = json.loads(phasescope("show", path, "--json").out)
    assert (document["window"]["tiles_before"], document["window"]["tiles_after"]) == (10, 17)
    assert phasescope("diagnose", path).status == 0


@pytest.mark.parametrize(("words", "tiles"), [(("--window", "27:"), 27), (("--keep-last", "3"), 27)])
def test_the_end_of_a_run(phasescope: Callable, tmp_path: Path, words: tuple[str, ...], tiles: int) -> None:
    path = tmp_path / "w.pscope"
    assert phasescope("record", "--tiles", 30, *words, "-o", path).status == 0
    assert load(path).meta.window["first"] == tiles
    assert phasescope("diagnose", path).status == 0


def test_one_role(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "w.pscope"
    outcome = phasescope("record", "--roles", "consumer", "-o", path)
    assert outcome.out.splitlines()[1:] == ["The producers were not recorded."]
    assert phasescope("diagnose", path).status == 3
    assert phasescope("diagnose", path, "--partial").status == 0


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--window", "3:9"), "--window 3:9 must lie within 0:7"),
        (("--window", "8:"), "--window 8: must lie within 0:7"),
        (("--window", "9:3"), "'9:3' is not N:M"),
        (("--window", "9"), "'9' is not N:M"),
        (("--keep-last", "0"), "'0' is not a whole number of at least 1"),
        (("--window", "1:2", "--keep-last", "2"), "exclude each other"),
        (("--every-cta", "2"), "--every-cta is 2; it must be 1..1"),
        (("--roles", "tma"), "'tma' is no role"),
        (("--fault", "F06", "--window", "1:2"), "with --fault F06"),
        (("--consumer-arrivals", "95", "--keep-last", "2"), "with --consumer-arrivals"),
        (("--program", "tma-store", "--window", "1:2"), "--program tma-store"),
        (("--ab", "20"), "--ab applies to --source gpu only"),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    phasescope: Callable, tmp_path: Path, words: tuple[str, ...], names: str
) -> None:
    path = tmp_path / "w.pscope"
    outcome = phasescope("record", *words, "-o", path)
    assert outcome.status == 2
    assert names in outcome.err
    assert "Traceback" not in outcome.err
    assert not path.exists()


def test_a_fault_can_be_recorded_from_the_run_s_start(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "w.pscope"
    assert phasescope("record", "--fault", "F08", "--window", "0:3", "-o", path).status in (0, 1)
    assert load(path).meta.window["tiles_after"] == 4
