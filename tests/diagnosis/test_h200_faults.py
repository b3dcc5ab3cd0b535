"""Known mistakes recorded on an H200: the diagnosis says what went wrong, and the same as for the simulated run."""

from __future__ import annotations

from pathlib import Path

import pytest

from visualizer.cli.main import main
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.programs.registry import find_program
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

RECORDINGS = Path(__file__).parents[1] / "data" / "h200-faults"

FIRST = {  # fault: verdict, who (a role), barrier, tile, pending, expected, tx
    "F01": ("STARVED", "producer", "empty[0]", 3, 1, 97, 0),
    "F03": ("STARVED", "consumer", "full[0]", 0, 31, 32, 0),
    "F06": ("STARVED", "producer", "empty[0]", 0, 96, 96, 0),
    "F08": ("LAPPED", "consumer", "full[0]", 3, 1, 1, 0),
    "F14": ("STARVED", "consumer", "full[0]", 0, 0, 1, 16384),
    "F17": ("STARVED", "consumer", "full[0]", 0, 1, 1, 0),
    "F18": ("STARVED", "consumer", "full[2]", 2, 0, 1, 16384),
    "F20": ("STARVED", "producer", "empty[1]", 4, 32, 96, 0),
    "F21": ("STARVED", "producer", "empty[0]", 3, 32, 96, 0),
    "F24": ("STARVED", "producer", "empty[0]", 3, 96, 96, 0),
    "F27": ("STARVED", "consumer", "full[0]", 0, 1, 1, 0),
}
SAME_AS_SIMULATED = sorted(set(FIRST) - {"F08"})  # a lapped waiter's step depends on how fast each role is


def findings(fault: str) -> tuple[Finding, ...]:
    return diagnose(History(load(RECORDINGS / f"{fault}.pscope"))).every


def facts(finding: Finding) -> tuple[object, ...]:
    return (
        finding.verdict,
        finding.agent,
        finding.barrier,
        finding.tile,
        finding.phase_wanted,
        finding.phase_now,
        finding.pending,
        finding.expected,
        finding.tx,
    )


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.pscope")), ids=lambda path: path.stem)
def test_each_is_a_hang_on_an_h200(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = load(path)
    assert trace.meta.source["gpu"] == "NVIDIA H200"
    assert trace.meta.ending.kind == "timeout"
    assert trace.meta.config["fault"] == path.stem
    if path.stem != "F28":  # without acquire nothing orders the laps, and the log cannot tell all of them apart
        assert sum(violations(trace).values()) == 0
    assert main(["diagnose", str(path)]) == 1
    assert "Cause:" in capsys.readouterr().out


@pytest.mark.parametrize("fault", FIRST)
def test_the_first_finding_is_the_root_cause(fault: str) -> None:
    first = findings(fault)[0]
    verdict, role, *rest = FIRST[fault]
    assert first.severity == "error"
    assert first.verdict == verdict
    assert str(first.agent).startswith(str(role))
    assert [first.barrier, first.tile, first.pending, first.expected, first.tx] == rest
    assert first.cause


@pytest.mark.parametrize("fault", SAME_AS_SIMULATED)
def test_the_simulated_run_gets_the_same_diagnosis(fault: str) -> None:
    simulated = diagnose(History(simulate(find_program("lesson", fault=fault)))).every
    assert sorted(map(repr, map(facts, findings(fault)))) == sorted(map(repr, map(facts, simulated)))


def test_a_start_in_the_wrong_phase_reads_before_any_write() -> None:
    verdicts = {finding.verdict for finding in findings("F07")}
    assert {"EARLY PASS", "LAPPED"} <= verdicts


def test_without_acquire_stages_are_overwritten_unread() -> None:
    verdicts = {finding.verdict for finding in findings("F28")}
    assert {"LAPPED", "OVERWRITE UNREAD"} <= verdicts


def test_half_the_bytes_complete_a_phase_early() -> None:
    """An H200 lands 16 KiB in steps; at 8192 of them the count is zero for a moment, and the phase completes."""
    assert findings("F15")[0].verdict == "BYTES NEVER EXPECTED"
