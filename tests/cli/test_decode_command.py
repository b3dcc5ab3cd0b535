"""`phasescope decode`, and `diagnose` of what it writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from visualizer.semantics.mbarrier import Token
from visualizer.semantics.word import encode

WORD = f"{encode(Token(0, 2, 0)):#x}"
OTHER = f"{encode(Token(1, 1, 0)):#x}"


def test_one_word(phasescope: Callable) -> None:
    outcome = phasescope("decode", WORD, "--count", 4)
    assert outcome.status == 0
    assert "2 of 4 arrivals have come." in outcome.out
    assert "STUCK" not in outcome.out


def test_words_with_addresses_and_waits_become_a_snapshot(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.toml"
    words = ("decode", f"0x0400={WORD}", f"0x408={OTHER}", "--wait", "warp4:0x400:0", "--wait", "warp0:0x408:0")
    outcome = phasescope(*words, "-o", path)
    assert outcome.status == 0
    assert "warp4 waits on 0x400 with parity 0: does not pass" in outcome.out
    assert phasescope("decode", path).out == outcome.out
    found = phasescope("diagnose", path)
    assert found.status == 1
    assert found.out.startswith("1. WAITING: warp4 waits until 0x400")
    document = json.loads(phasescope("diagnose", path, "--json").out)
    assert [finding["verdict"] for finding in document["findings"]] == ["WAITING", "WOULD PASS"]
    assert document == json.loads(phasescope(*words, "--json").out)


def test_nothing_found_is_not_everything_judged(phasescope: Callable, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.toml"
    assert phasescope("decode", f"full[0]={WORD}", "-o", path).status == 0
    assert phasescope("diagnose", path).status == 3
    assert phasescope("diagnose", path, "--partial").status == 0
    assert "give it alone" in phasescope("diagnose", path, "--seed", 1).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("zebra",), "'zebra' is no word of 64 bits"),
        (("0x1ffffffffffffffff",), "is no word of 64 bits"),
        ((WORD, "--count", "0"), "--count is 0"),
        ((WORD, "--wait", "warp4"), "--wait warp4 is not AGENT:BARRIER:PARITY"),
        ((f"0x400={WORD}", "--wait", "warp4:0x408:0"), "there is no barrier '0x408'"),
        ((f"a={WORD}", f"a={WORD}"), "two barriers or agents are called 'a'"),
        (("gone.toml",), "gone.toml: it cannot be read"),
        (("gone.toml", "--count", "3"), "gone.toml has counts and waits itself"),
    ],
)
def test_wrong_words(phasescope: Callable, words: tuple[str, ...], said: str) -> None:
    outcome = phasescope("decode", *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err
