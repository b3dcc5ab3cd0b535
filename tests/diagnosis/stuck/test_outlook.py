"""What is known of agents where a recording ends."""

from __future__ import annotations

from dataclasses import replace

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def stuck(cut_short: list[int]) -> Trace:
    """Two CTAs that hang, of which some went on without records, if the recording says so."""
    trace = simulate(replace(find_program("lesson", {"ctas": 2}, fault="F06"), name="mine"))
    meta = replace(trace.meta, window={"cut_short": cut_short} if cut_short else {}, records_lost=len(cut_short))
    return replace(trace, meta=meta)


def test_nobody_is_called_blocked_whose_records_had_no_room() -> None:
    whole = diagnose(History(stuck([])))
    assert {finding.agent for finding in whole.every} > {"CTA0.producer", "CTA1.producer"}
    short = diagnose(History(stuck([1])))
    assert short.every
    assert all((finding.agent or "").startswith("CTA0.") for finding in short.every)
    assert any("1 of 2 CTAs" in sentence for sentence in short.not_judged)
    # What is left is what the run itself said of its end.
    assert [finding.agent for finding in diagnose(History(stuck([0, 1]))).every] == [None]
