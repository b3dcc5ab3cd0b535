"""A probe that sees what the recording says is no finding; one word or one time that contradicts it is an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probed import probed

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.trust.probe_findings import TOLERANCE_PS, probe_findings
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.semantics.mbarrier import Token
from visualizer.semantics.word import encode
from visualizer.sources.simulator.simulate import simulate

DATA = Path(__file__).parents[2] / "data" / "h200-probe"
CONFIGS = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 4),
        "tiles": st.integers(1, 8),
        "consumer_warps": st.integers(1, 3),
        "tile_columns": st.sampled_from((64, 192)),
        "consumer_delay": st.sampled_from((0, 900)),
        "producer_delay": st.sampled_from((0, 900)),
    }
)


def doctored(trace: Trace, row: int, **values: int) -> Trace:
    samples = trace.samples.copy()
    for name, value in values.items():
        samples[name][row] = value
    return replace(trace, samples=samples)


def longest(trace: Trace, barrier: str) -> int:
    """Row of the barrier's longest run."""
    own = np.flatnonzero(trace.samples["barrier"] == trace.barrier_index[barrier])
    return int(own[np.argmax(trace.samples["end"][own] - trace.samples["begin"][own])])


@settings(max_examples=15, deadline=None)
@given(config=CONFIGS, seed=st.integers(0, 99), mode=st.sampled_from(("words", "flips")))
def test_samples_of_the_run_itself_agree(config: dict[str, Any], seed: int, mode: str) -> None:
    trace = probed(simulate(lesson(LessonConfig(**config)), seed=seed), mode=mode)
    assert not probe_findings(History(trace))


@pytest.fixture(scope="module")
def trace() -> Trace:
    return probed(simulate(lesson(LessonConfig())))


def test_a_wrong_word_is_an_error_with_both_values(trace: Trace) -> None:
    row = longest(trace, "empty[1]")
    wrong = doctored(trace, row, word=encode(Token(1, 33, 0)))
    (finding,) = diagnose(History(wrong)).findings
    assert (finding.verdict, finding.severity, finding.barrier) == ("PROBE DISAGREES", "error", "empty[1]")
    assert finding.step is not None
    state = History(wrong).barrier_at(trace.barrier_index["empty[1]"], finding.step)
    assert (finding.pending, finding.phase_now) == (state.pending, state.phase)
    assert f"saw empty[1] with parity 1, arrived {state.needed - 33}/{state.needed} and 0 bytes" in finding.cause
    assert f"phase #{state.phase} (parity {state.parity}), arrived {state.arrived}/{state.needed}" in finding.cause
    assert "1 of " in finding.cause


@pytest.mark.parametrize("token", [Token(0, 0, 18432), Token(0, 0, -2048), Token(0, 1, 0), Token(1, 0, 4096)])
def test_bytes_that_no_copy_in_flight_explains_are_an_error(trace: Trace, token: Token) -> None:
    samples = trace.samples
    full = trace.barrier_index["full[0]"]
    landing = trace.events[(trace.events["kind"] == EventKind.COMPLETE_TX) & (trace.events["barrier"] == full)]
    inside = (samples["barrier"] == full) & (samples["begin"] < int(landing["time"][0]) - TOLERANCE_PS)
    inside &= samples["word"] == encode(Token(0, 0, 16384))
    row = int(np.flatnonzero(inside)[0])
    assert not probe_findings(History(doctored(trace, row, word=encode(Token(0, 0, 6144))))), "it drains"
    assert probe_findings(History(doctored(trace, row, word=encode(token))))


def test_a_flip_seen_too_late_is_an_error(trace: Trace) -> None:
    flips = probed(replace(trace, samples=trace.samples[:0]), mode="flips")
    row = int(np.flatnonzero(flips.samples["barrier"] == flips.barrier_index["full[0]"])[0])
    end = int(flips.samples["end"][row])
    assert not probe_findings(History(doctored(flips, row, end=end + TOLERANCE_PS // 4)))
    (finding,) = probe_findings(History(doctored(flips, row, end=end + 4 * TOLERANCE_PS)))
    assert "arrived" not in finding.cause


def test_a_recording_that_was_laid_out_wrongly_is_found_out() -> None:
    # Recorded on an H200 when a blocked wait of the wrong parity still counted as proof that a copy had not landed.
    history = History(load(DATA / "F08-landing-misplaced.pscope"))
    (finding,) = probe_findings(history)
    assert finding.barrier == "full[0]"
    assert "saw full[0] with parity 0, arrived 0/1 and 0 bytes outstanding at 5675 ns" in finding.cause
    assert "phase #1 (parity 1), arrived 1/1 and 16384 bytes" in finding.cause
    assert diagnose(history).findings[0].verdict == "PROBE DISAGREES"


def test_what_follows_a_cut_recording_is_not_judged(trace: Trace) -> None:
    kept = trace.events[: len(trace) // 2]
    cut = replace(trace, events=kept, meta=replace(trace.meta, events_dropped=len(trace) - len(kept)))
    assert not probe_findings(History(cut))
