"""One moment in words: what bits mean, who is stuck, and nothing that another moment could undo."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visualizer.diagnosis.snapshot.judge import judge
from visualizer.diagnosis.snapshot.model import (
    SeenAgent,
    SeenBarrier,
    Snapshot,
    SnapshotError,
    decode_snapshot,
    encode_snapshot,
    load_snapshot,
)
from visualizer.diagnosis.snapshot.text import judged_text, snapshot_json, snapshot_text
from visualizer.diagnosis.snapshot.words import word_of, word_sentences
from visualizer.semantics.mbarrier import Token
from visualizer.semantics.word import encode

DOCS = Path(__file__).parents[3] / "docs" / "snapshot.md"


def barrier(name: str, parity: int, pending: int, tx: int = 0, **facts: Any) -> SeenBarrier:
    return SeenBarrier(name, word_of(encode(Token(parity, pending, tx))), **facts)


def verdicts(*rows: SeenBarrier | SeenAgent) -> list[tuple[str, str | None]]:
    return [(found.verdict, found.agent) for found in judge(snapshot(*rows))]


def snapshot(*rows: SeenBarrier | SeenAgent) -> Snapshot:
    barriers = tuple(row for row in rows if isinstance(row, SeenBarrier))
    return Snapshot(barriers, tuple(row for row in rows if isinstance(row, SeenAgent)))


@given(st.integers(0, 1), st.integers(0, 1 << 19), st.integers(-(1 << 19), 1 << 19))
def test_a_word_says_what_was_put_in(parity: int, pending: int, tx: int) -> None:
    word = word_of(encode(Token(parity, pending, tx)))
    assert (word.parity, word.pending) == (parity, pending)
    assert word.tx - 2048 < tx <= word.tx
    said = word_sentences(word, None)
    assert said[0].startswith(f"The open phase has parity {parity}")
    numbers = [int(number) for number in re.findall(r"\d+", said[2])]
    if word.tx > 0:
        assert numbers[0] <= tx <= numbers[1]
    elif word.tx < 0:
        assert numbers[0] <= -tx <= numbers[1]
    else:
        assert said[2] == "No bytes are outstanding."
        assert tx <= 0


def test_counts_that_are_told() -> None:
    word = word_of(encode(Token(0, 3, 0)))
    assert word_sentences(word, 4)[1] == "1 of 4 arrivals have come."
    assert "the count is another" in word_sentences(word, 2)[1]
    assert "how many a phase takes" in word_sentences(word, None)[1]
    assert "Bit 42" in word_sentences(word_of(1 << 42), None)[-1]


def test_a_circle_of_waits_is_stuck_only_if_nobody_else_can_arrive() -> None:
    circle = (
        barrier("full[0]", 0, 1, 4096, arrivers=("producer",)),
        barrier("empty[0]", 1, 1, arrivers=("warp4",)),
        SeenAgent("producer", waits="empty[0]", parity=1),
    )
    warp4 = SeenAgent("warp4", waits="full[0]", parity=0)
    assert verdicts(*circle, warp4) == [("STUCK", "producer"), ("STUCK", "warp4")]
    # One who runs, or another arriver, or a wait that passes: nothing is certain.
    assert verdicts(*circle, SeenAgent("warp4", at="x.cu:3")) == [("WAITING", "producer")]
    other = barrier("empty[0]", 1, 1, arrivers=("warp4", "warp5"))
    assert ("WAITING", "producer") in verdicts(circle[0], other, circle[2], warp4)
    passing = SeenAgent("warp4", waits="full[0]", parity=1)
    assert verdicts(*circle, passing) == [("WAITING", "producer"), ("WOULD PASS", "warp4")]
    # Where only bytes are missing, a copy may bring them.
    full = barrier("full[0]", 0, 0, 4096, arrivers=("producer",))
    assert verdicts(full, *circle[1:], warp4) == [("WAITING", "producer"), ("WAITING", "warp4")]


def test_what_is_missing_and_where_it_should_come_from() -> None:
    found = judge(
        snapshot(
            barrier("full[0]", 0, 2, 4096, count=2, arrivers=("producer", "nobody")),
            SeenAgent("producer", at="gemm.cu:70"),
            SeenAgent("warp4", waits="full[0]", parity=0),
        )
    )[0]
    assert "2 arrivals are missing, and up to 4096 bytes." in found.cause
    assert [(owed.agent, owed.state) for owed in found.owed] == [("producer", "gemm.cu:70"), ("nobody", "unknown")]
    lapped = judge(snapshot(barrier("b", 0, 2, count=2), SeenAgent("w", waits="b", parity=0)))[0]
    assert "was lapped" in lapped.cause
    nothing = judge(snapshot(barrier("b", 0, 0), SeenAgent("w", waits="b", parity=0)))[0]
    assert "of another moment" in nothing.cause


def test_parities_apart() -> None:
    rows = (barrier("b", 0, 1), SeenAgent("w", waits="b", parity=0), SeenAgent("v", waits="b", parity=1))
    assert verdicts(*rows) == [("WAITING", "w"), ("PARITIES APART", "v")]


def test_a_word_that_cannot_be_one() -> None:
    assert verdicts(barrier("b", 0, 9, count=2)) == [("NO LIVE WORD", None)]
    assert verdicts(SeenBarrier("b", word_of(1 << 42))) == [("NO LIVE WORD", None)]
    assert verdicts(barrier("b", 0, 1, count=2)) == []


def test_the_docs_example(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    path = tmp_path / "snapshot.toml"
    path.write_text(text[1], encoding="utf-8")
    seen = load_snapshot(path)
    assert decode_snapshot(encode_snapshot(seen)) == seen
    assert [found.verdict for found in judge(seen)] == ["STUCK", "STUCK"]
    assert "producer waits at gemm.cu:70 on empty[0] with parity 1: does not pass" in snapshot_text(seen)
    assert "Not known: Which agents have arrived" in judged_text(seen)
    document = snapshot_json(seen)
    assert [(one["parity"], one["pending"], one["tx"]) for one in document["barriers"]] == [(0, 1, 0), (1, 1, 0)]
    assert {finding["verdict"] for finding in document["findings"]} == {"STUCK"}
    for verdict in ("STUCK", "WAITING", "PARITIES APART", "WOULD PASS", "NO LIVE WORD"):
        assert f"`{verdict}`" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "x"}, "it must say format"),
        ({"version": 2}, "it must say format"),
        ({"barriers": []}, "it has no [[barriers]]"),
        ({"barriers": 3}, "barriers must be up to"),
        ({"barriers": [{"name": "b"}]}, "barriers[0] has no word"),
        ({"barriers": [{"name": "b", "word": "0xg"}]}, "'0xg' is no word"),
        ({"barriers": [{"name": "b", "word": 1 << 64}]}, "is no word"),
        ({"barriers": [{"name": "b", "word": True}]}, "True is no word"),
        ({"barriers": [{"word": "0x0"}]}, "barriers[0].name is None"),
        ({"barriers": [{"name": "b", "word": 0, "count": 0}]}, "barriers[0].count is 0"),
        ({"barriers": [{"name": "b", "word": 0, "arrivers": "w"}]}, "barriers[0].arrivers must be a list"),
        ({"barriers": [{"name": "b", "word": 0}] * 2}, "two barriers or agents are called 'b'"),
        ({"agents": [{"name": "w", "waits": "c", "parity": 0}]}, "there is no barrier 'c'"),
        ({"agents": [{"name": "w", "waits": "b"}]}, "agents[0] waits, so its parity must be 0 or 1"),
        ({"agents": [{"name": "w", "waits": "b", "parity": 1.0}]}, "agents[0] waits, so its parity must be 0 or 1"),
        ({"agents": [{"name": "w", "waits": []}]}, "agents[0].waits is []"),
        ({"agents": [{"name": "w", "waits": True, "parity": 1}]}, "agents[0].waits is True"),
        ({"agents": [{"name": "w", "at": 0}]}, "agents[0].at is 0"),
        ({"barriers": [{"address": True, "word": 0}]}, "barriers[0].name is None"),
        ({"agents": [{}]}, "agents[0].name is None"),
    ],
)
def test_what_is_wrong_with_a_file(change: dict[str, Any], said: str) -> None:
    sound = {"format": "phasescope-snapshot", "version": 1, "barriers": [{"name": "b", "word": 0}], "agents": []}
    decode_snapshot(sound)
    with pytest.raises(SnapshotError) as caught:
        decode_snapshot({**sound, **change})
    assert said in str(caught.value)


def test_the_script_for_cuda_gdb_writes_a_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a stand-in for gdb's module that answers as the manual says; the second warp has left."""
    script = re.search(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert script is not None
    words = {1024: encode(Token(1, 2, 0)), 1032: encode(Token(0, 1, 4096))}
    made: list[Any] = []

    class Error(Exception):
        pass

    class Command:
        def __init__(self, name: str, kind: int) -> None:
            made.append(self)

    def evaluate(text: str) -> int:
        return 96 if text == "blockDim.x" else words[int(text.rpartition(")")[2])]

    def execute(text: str, to_string: bool) -> str:
        if "(32," in text:
            raise Error("invalid coordinates")
        return ""

    frame = SimpleNamespace(
        pc=lambda: 0x7F00, find_sal=lambda: SimpleNamespace(symtab=SimpleNamespace(filename="a.cu"), line=7)
    )
    gdb = ModuleType("gdb")
    for name, value in {
        "Command": Command, "COMMAND_DATA": 1, "error": Error, "string_to_argv": str.split,
        "parse_and_eval": evaluate, "execute": execute, "selected_frame": lambda: frame,
    }.items():  # fmt: skip
        setattr(gdb, name, value)
    monkeypatch.setitem(sys.modules, "gdb", gdb)
    exec(script[1], {})
    path = tmp_path / "snapshot.toml"
    made[0].invoke(f"{path} 0x400 2", True)
    seen = load_snapshot(path)
    assert [(one.name, one.word.parity, one.word.pending, one.word.tx) for one in seen.barriers] == [
        ("0x400", 1, 2, 0),
        ("0x408", 0, 1, 4096),
    ]
    assert [(one.name, one.at) for one in seen.agents] == [("warp0", "a.cu:7 (0x7f00)"), ("warp2", "a.cu:7 (0x7f00)")]
    assert tomllib.loads(path.read_text())
