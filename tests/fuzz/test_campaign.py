"""Long runs of the harness: what was asked for is run once, whatever interrupts it, and what is missing is said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.fuzz import batch
from tests.fuzz.__main__ import counts
from tests.fuzz.batch import ROOT, Batch
from tests.fuzz.campaign import Campaign
from tests.fuzz.tally import Tally
from visualizer.children import child_environment


def test_what_was_interrupted_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep, wanted = tmp_path / "out.json", {"address": 9, "query": 7}
    add = Tally.add

    def until_the_fifth(tally: Tally, seed: int, answer: dict[str, Any]) -> None:
        add(tally, seed, answer)
        if seed == 104:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Tally, "add", until_the_fifth)
        with pytest.raises(KeyboardInterrupt):
            Campaign(wanted, 100, keep=keep).run(jobs=1)
    some = Campaign(wanted, 0, keep=keep)
    assert some.first == 100
    assert sum(tally.cases for tally in some.tallies.values()) in range(5, 13)
    some.run(jobs=2)
    assert {kind: (tally.cases, tally.seeds) for kind, tally in some.tallies.items()} == {
        "address": (9, [[100, 109]]),
        "query": (7, [[100, 107]]),
    }
    assert Campaign(wanted, 0, keep=keep).tallies == some.tallies


def test_results_of_other_files_are_not_gone_on_with(tmp_path: Path) -> None:
    keep = tmp_path / "out.json"
    Campaign({"address": 1}, 0, keep=keep).run(jobs=1)
    keep.write_text(json.dumps(json.loads(keep.read_text()) | {"of": "others"}))
    with pytest.raises(ValueError, match="holds results of other files"):
        Campaign({"address": 1}, 0, keep=keep)


def test_time_is_shared_by_the_kinds() -> None:
    campaign = Campaign(dict.fromkeys(("address", "sentence")), 0, seconds=6)
    campaign.run(jobs=2)
    assert all(tally.cases for tally in campaign.tallies.values())


def test_seeds_are_kept_as_stretches() -> None:
    seeds = list(range(5, 40))
    for order in range(20):
        mixed, tally = seeds.copy(), Tally("planted")
        Random(order).shuffle(mixed)
        for number, seed in enumerate(mixed, 1):
            tally.add(seed, {})
            known = [seed for begun, end in tally.seeds for seed in range(begun, end)]
            assert known == sorted(mixed[:number])
            left = [seed for begun, end in tally.left_of(0, 50) for seed in range(begun, end)]
            assert left == sorted({*range(50)} - {*known})
        assert tally.seeds == [[5, 40]]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("7", {"query": 7, "notes": 7, "window": 7}),
        ("7,window=2", {"query": 7, "notes": 7, "window": 2}),
        ("window=2,query=3", {"query": 3, "window": 2}),
    ],
)
def test_counts_of_cases(words: str, wanted: dict[str, int]) -> None:
    assert counts(words, ["query", "notes", "window"]) == wanted


@pytest.mark.parametrize("words", ["x", "query=", "query=-1", "queries=3", "1,2", "query=1,query=2", ""])
def test_counts_that_are_none(words: str) -> None:
    with pytest.raises(ValueError, match="--cases"):
        counts(words, ["query"])


_WAITS = """
import threading
from tests.fuzz import kinds, seeds, worker

def wait_here(seed, folder, outcome):
    threading.Event().wait()

seeds.recordings = dict
kinds.KINDS["address"] = wait_here
kinds.ALONE = frozenset(["address"] if {alone} else [])
worker.main()
"""


@pytest.mark.parametrize("alone", [False, True])
def test_what_waits_for_ever_is_ended_and_says_where(
    alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted_worker.py").write_text(_WAITS.format(alone=alone))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(batch, "_WORKER", "planted_worker")
    monkeypatch.setattr(batch, "_SILENT_S", 1.0)
    answers: dict[int, dict[str, Any]] = {}
    Batch("address", 7, 3).run(answers.__setitem__)
    assert [*answers] == [7]
    assert answers[7]["fault"] == "waited for ever"
    assert "wait_here" in answers[7]["traceback"]


def test_what_is_missing_is_said_at_once() -> None:
    program = """
import sys
sys.modules["perfetto"] = sys.modules["vcd"] = None
from tests.fuzz.__main__ import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=child_environment(), cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("tests.fuzz needs perfetto, vcd: install")
    assert done.stderr.count("\n") == 1


def test_a_process_that_cannot_start_is_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_WORKER", "no_such_worker")
    with pytest.raises(RuntimeError, match=r"no case ran: .*no_such_worker"):
        Batch("address", 0, 1).run(lambda seed, answer: None)
