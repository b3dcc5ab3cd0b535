"""Every fault of the table gets the verdict, agent, barrier and numbers that its scenario has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding, Report
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.faults import FAULTS
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

SEEDS = range(6)


@dataclass(frozen=True)
class Said:
    """One finding that must be there: its verdict and the fields named here, and words of its cause."""

    verdict: str
    agent: str | None
    barrier: str | None
    fields: dict[str, object]
    words: str


def said(verdict: str, agent: str | None, barrier: str | None, words: str, **fields: object) -> Said:
    return Said(verdict, agent, barrier, fields, words)


MUST_SAY = {
    "F01": said(
        "STARVED", "P", "empty[0]", "initialised for 3 arrivals per phase, but only 2 come (C0 and C1)",
        tile=2, phase_wanted=0, phase_now=0, pending=1, expected=3,
    ),
    "F02": said("COUNT MISMATCH", None, "empty[0]", "completes more than once for one use", tile=0, expected=1),
    "F03": said(
        "STARVED", "C0", "full[0]", "the init counts threads, and one elected lane arrives",
        tile=0, phase_wanted=0, phase_now=0, pending=31, expected=32, tx=0,
    ),
    "F06": said(
        "STARVED", "P", "empty[0]", "The producer must start inverted", tile=0, parity=0, pending=1, expected=1
    ),
    "F07": said(
        "EARLY PASS", "C0", "full[0]", "It passed on the fresh barrier", tile=0, phase_wanted=0, phase_now=0, parity=1
    ),
    "F08": said(
        "LAPPED", "C0", "full[0]", "use 2 of full[0] means phase #1 but waits with parity 0",
        tile=2, phase_wanted=1, phase_now=2, parity=0,
    ),
    "F12": said("WRITE AFTER READ", "P", "full[0]", "C1 never releases this stage", stage=0),
    "F14": said("STARVED", "C0", "full[0]", "4096 bytes will never come", tile=0, pending=0, expected=1, tx=4096),
    "F15": said(
        "STARVED", "C0", "full[0]", "bring 4096 bytes to phase #0 of full[0], which expects only 2048",
        tile=0, pending=0, tx=-2048,
    ),
    "F17": said(
        "STARVED", "C0", "full[0]", "expect_tx does not arrive", tile=0, pending=1, expected=1, tx=0
    ),
    "F18": said("STARVED", "C0", "full[0]", "the copy of tile 2 was never issued", tile=2, pending=0, tx=4096),
    "F20": said(
        "STARVED", "P", "empty[1]", "C0 read tile 1 from stage 1 and never arrived on empty[1]",
        tile=3, phase_now=0, pending=1, expected=1,
    ),
    "F21": said("STARVED", "P", "empty[0]", "C1 has no arrival on empty[*]", tile=2, pending=1, expected=2),
    "F23": said("WRITE AFTER READ", "P", "full[0]", "but its asynchronous reader", stage=0),
    "F24": said("STARVED", "P", "empty[0]", "all that there are, and needs one more", phase_now=0),
    "F27": said("STARVED", "C0", "full[0]", "P exited having issued nothing", tile=0, pending=1, expected=1),
    "F28": said("LAPPED", "C0", "full[0]", "producer_acquire is missing", phase_wanted=1, phase_now=3),
    "F31": said(
        "STARVED", "CTA0.P", "CTA0.empty[0]", "the arrivals of the other CTAs are missing", pending=1, expected=2
    ),
    "F40": said("OVER-ARRIVAL", "P", "full[0]", "arrives more often than the init counts", pending=0, expected=1),
    "F41": said("COUNT MISMATCH", None, "empty[0]", "3 arrivals come for tile 4 (C0 2, C1 1)", expected=2),
    "F42": said("STARVED", "C0", "full[0]", "nobody ever expected", pending=0),
    "F43": said("STARVED", "C0", "full[1]", "but they complete on full[0]", tx=2048),
    "F44": said("STARVED", "C0", "full[0]", "Use .noinc", pending=1, expected=2),
    "F45": said("LAPPED", "C0", "full[1]", "must flip once per lap of the ring", phase_wanted=0, phase_now=1),
    "F46": said("WRONG TILE", "C0", "full[0]", "C0 used that stage for tile 2 right before", tile=3),
    "F47": said("STARVED", "P", "empty[1]", "C1 exited", pending=1, expected=2),
    "F48": said("STARVED", "C0", "turn[0]", "C0 and C1 take turns and nobody has the first", pending=1),
    "F49": said("BYTES NEVER EXPECTED", "CTA1.P", "CTA1.full[0]", "expects 64 bytes of tile 0", tile=0),
    "F50": said("UNDEFINED", "CTA0.C", "CTA1.empty[1]", "producer_tail"),
    "F51": said("READ BEFORE DATA", "C0", None, "before anything was copied into it", stage=0),
    "F52": said("WRITE AFTER READ", "P", "full[0]", "Release after the reads have retired", stage=0),
    "F53": said("UNDEFINED", "P", "full[0]", "init on a live barrier"),
    "F54": said("UNDEFINED", "C0", "full[0]", "publish the initialised barriers"),
}  # fmt: skip


@cache
def reports(fault: str) -> tuple[Report, ...]:
    program = find_program(FAULTS[fault].base, fault=fault)
    return tuple(diagnose(History(simulate(program, seed=seed))) for seed in SEEDS)


def test_no_fault_is_without_an_expectation() -> None:
    assert set(MUST_SAY) == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_diagnosis_says_what_the_scenario_is(fault: str) -> None:
    must = MUST_SAY[fault]
    fitting: list[Finding] = []
    for report in reports(fault):
        fitting += [
            finding
            for finding in report.every
            if (finding.verdict, finding.agent, finding.barrier) == (must.verdict, must.agent, must.barrier)
            and must.words in finding.cause
            and all(getattr(finding, name) == value for name, value in must.fields.items())
        ]
    firsts = [report.findings[0] for report in reports(fault)]
    assert any(fit is first for fit in fitting for first in firsts), "it comes first"
    assert fitting, [(f.verdict, f.agent, f.barrier, f.cause) for f in reports(fault)[0].findings]
    assert all(finding.severity != "note" for finding in fitting)


@pytest.mark.parametrize("fault", FAULTS)
def test_no_schedule_of_a_faulty_program_is_called_clean(fault: str) -> None:
    assert all(not report.clean for report in reports(fault))


@pytest.mark.parametrize("fault", FAULTS)
def test_every_blocked_agent_has_the_full_template(fault: str) -> None:
    for report in reports(fault):
        if report.ended != "deadlock":
            continue
        blocked = [f for f in report.every if f.verdict in ("STARVED", "LAPPED", "NOT YET", "EARLY PASS PENDING")]
        assert blocked
        assert any(finding.severity == "error" for finding in blocked), "somebody is at the root"
        for finding in blocked:
            assert finding.agent is not None
            assert finding.barrier is not None
            assert None not in (finding.phase_wanted, finding.phase_now, finding.parity, finding.step, finding.site)
            assert None not in (finding.pending, finding.expected, finding.tx)
            assert (finding.verdict == "NOT YET") == (finding.severity == "note")
            if finding.verdict == "NOT YET":
                assert finding.released_by


@pytest.mark.parametrize("fault", FAULTS)
def test_without_its_mistake_nothing_is_found(fault: str) -> None:
    told = FAULTS[fault]
    program = baseline(BaselineConfig(**told.setting)) if told.base == "baseline" else find_program(told.base)
    for seed in SEEDS[:2]:
        history = History(simulate(program, seed=seed))
        assert diagnose(history, program).findings == ()
        assert diagnose(history).findings == ()


def test_a_starved_wait_names_who_arrived_and_who_owes() -> None:
    (root,) = [finding for finding in reports("F21")[0].every if finding.verdict == "STARVED"]
    assert [(arrived.agent, arrived.arrivals) for arrived in root.arrived] == [("C0", 1)]
    assert [(owed.agent, owed.state, owed.next) for owed in root.owed] == [("C1", "blocked on full[0]", "none")]
    assert root.released_by == ()
    (gone,) = reports("F27")[0].findings
    assert [(owed.agent, owed.state, owed.next) for owed in gone.owed] == [("P", "exited", "none")]


def test_the_chain_ends_at_the_root() -> None:
    victim = next(finding for finding in reports("F14")[0].every if finding.severity == "note")
    assert victim.cause == "P waits for C0; C0 is STARVED on full[0], which is the root."


def test_the_same_is_said_without_the_program() -> None:
    """What agents would have done next is then taken from the recording; the cause is the same."""
    for fault in ("F01", "F03", "F06", "F14", "F15", "F17", "F18", "F20", "F21", "F27"):
        program = find_program("baseline", fault=fault)
        trace = simulate(program)
        known = diagnose(History(trace), program).findings[0]
        trace.meta.config["fault"] = "unknown"
        guessed = diagnose(History(trace)).findings[0]
        assert (guessed.verdict, guessed.agent, guessed.barrier) == (known.verdict, known.agent, known.barrier), fault
        assert guessed.blamed == known.blamed
        # How many turns are as usual is another number where those to come are not known.
        assert re.sub(r"\d+ other turns", "", guessed.cause) == re.sub(r"\d+ other turns", "", known.cause)
