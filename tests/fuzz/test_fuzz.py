"""Some hundred damaged inputs of every kind a run: each is answered, or refused in words. `python -m tests.fuzz` throws
more, with limits on time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from random import SystemRandom
from time import process_time

import pytest

from tests.fuzz import batch, kinds, seeds, worker
from tests.fuzz.campaign import Campaign
from tests.fuzz.outcome import Outcome
from visualizer.children import child_environment

FIXED = 60
FRESH = 30
"""Seeds that are new in every run, told where a case fails: PHASESCOPE_FUZZ_SEED repeats them."""
START = int(os.environ.get("PHASESCOPE_FUZZ_SEED", SystemRandom().randrange(10**6, 10**9)))


FOUND = (
    ("recording", 1443135848),  # a stage freed too early by phases to whose tile no arrival belongs
    ("recording", 1443136722),
    ("recording", 1172093440),  # a turn that is due in a CTA whose ring is shorter
    ("recording", 2026120120003418),  # phases that completed without any arrival
)
"""Cases of seeds that found something once."""
SLOW = (
    ("recording", 1889941571),  # a CTA with a number of a million
    ("recording", 1889943177),
    ("recording", 1889950480),  # 2 000 agents and 200 barriers, as waveforms
    ("recording", 1172101530),  # a page of 5 000 steps, of a grid of a million CTAs
    ("recording", 1172104480),  # 2 000 barriers, and a stage for each: 10 000 lanes, of which most are empty
    ("recording", 1172100120),
    ("recording", 1172112220),  # 2 000 agents, 6 000 stages
    ("program", 1889937102),  # an arrive of half a million
)
"""Those that took longer than they may."""


@pytest.mark.parametrize("kind", sorted(kinds.KINDS.keys() - kinds.ALONE))
def test_no_input_is_met_unprepared(kind: str) -> None:
    reached: set[str] = set()
    share = 3 if kind == "program" else 1  # each starts a process
    found = (seed for of, seed in FOUND if of == kind)
    for seed in (*range(FIXED // share), *found, *range(START, START + FRESH // share)):
        outcome = Outcome()
        try:
            kinds.run(kind, seed, outcome)
        except BaseException as error:
            again = f"python -m tests.fuzz --kind {kind} --again {seed}"
            raise AssertionError(f"{kind} {seed} was met with {error!r} after {outcome}: {again}") from error
        reached.update(outcome.reached)
    assert reached, f"none of the cases from seed {START} got anywhere"


@pytest.mark.parametrize(("kind", "seed"), SLOW)
def test_what_was_slow_once_is_not(kind: str, seed: int) -> None:
    seeds.recordings()
    began = process_time()
    kinds.run(kind, seed, Outcome())
    assert process_time() - began < worker.LONGEST_S


@pytest.mark.parametrize(("kind", "gets"), [("window", "closed"), ("settings", "opened")])
def test_no_window_is_met_unprepared(kind: str, gets: str) -> None:
    campaign = Campaign({kind: 6}, START)
    campaign.run(jobs=1)
    tally = campaign.tallies[kind]
    assert not tally.faults, f"{tally.text()}\n{tally.tracebacks}"
    assert tally.cases == 6
    assert tally.reached[gets], f"none of the cases from seed {START} got anywhere"


def test_what_needs_no_window_needs_no_qt() -> None:
    program = """
import sys
sys.modules["PySide6"] = None
from tests.fuzz import kinds
from tests.fuzz.outcome import Outcome
for kind in kinds.KINDS.keys() - kinds.ALONE:
    for seed in range(0, 3 * kinds.ONE_IN, kinds.ONE_IN):
        kinds.run(kind, seed, Outcome())
sys.argv[1:] = ["--kind", "window"]
from tests.fuzz.__main__ import main
assert main() == 0
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=child_environment(), cwd=batch.ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "not tried, for there is no PySide6: window" in done.stdout


def test_no_case_pays_for_what_is_imported_once() -> None:
    program = """
import sys
from tests.fuzz import kinds, seeds
from tests.fuzz.outcome import Outcome
kinds.warm_up()
before = set(sys.modules)
for seed in range(0, 4 * kinds.ONE_IN, kinds.ONE_IN):
    kinds.run("recording", seed, Outcome())
print(sorted(name for name in set(sys.modules) - before if name.startswith(("visualizer", "PySide6"))))
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=child_environment(QT_QPA_PLATFORM="offscreen"), cwd=batch.ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.endswith("[]\n"), done.stdout[-900:] + done.stderr


def test_a_recording_is_asked_everything() -> None:
    """Damage that always ends at the door would find nothing."""
    outcome = Outcome()
    for seed in range(0, 20 * kinds.ONE_IN, kinds.ONE_IN):
        kinds.run("recording", seed, outcome)
    assert {"load", "diagnosis", "statistics", "prediction", "timeline", "exports", "commands"} <= set(outcome.reached)


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ("raise ZeroDivisionError", "ZeroDivisionError"),
        ("while True: pass", "took too long"),
        ("bytearray(200 << 20)", "took 0.2 GiB"),
        ("exec(open('x.py').read())", "a file ran code that lay beside it"),
        ("__import__('subprocess').run([__import__('sys').executable, '-c', 'import base64'])", "ran code"),
        ("__import__('os').kill(__import__('os').getpid(), 11)", "SIGSEGV"),
    ],
)
@pytest.mark.parametrize("alone", [False, True])
def test_the_harness_finds_each_kind_of_fault(case: str, fault: str, alone: bool) -> None:
    program = f"""
import sys
from tests.fuzz import kinds, seeds, worker
seeds.recordings = dict
worker.LONGEST_S = worker.LONGEST_ALONE_S = 0.3
worker._OF_WINDOWS = ()  # none is opened
worker.MOST_BYTES = 100 << 20
kinds.KINDS["planted"] = lambda seed, folder, outcome: exec({case!r})
kinds.ALONE = frozenset(["planted"] if {alone} else [])
sys.argv[1:] = ["planted", "7", "1", "99"]
worker.main()
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=child_environment(), cwd=batch.ROOT, capture_output=True, text=True
    )
    said = batch.last_words(done.returncode, done.stderr) if done.returncode else done.stdout
    assert fault in said
