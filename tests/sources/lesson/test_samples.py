"""From a probe's raw runs to samples, the flips they show, and the landings that those pin down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from clock_log import FIRST_CYCLE, PS_PER_CYCLE, clock_log
from measured import logged, simulated
from probed import probed
from recording_files import assert_equal, members_of, refusal

from visualizer.diagnosis.trust.probe_findings import probe_findings
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.assemble import assemble
from visualizer.reconstruction.clock_fit import ClockFit, fit_clock
from visualizer.reconstruction.phase_flips import find_flips
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load, save
from visualizer.recording.schema import SAMPLE_DTYPE, EventFlag, EventKind
from visualizer.recording.trace import TraceError
from visualizer.replay.history import History
from visualizer.semantics.mbarrier import Token
from visualizer.semantics.word import encode
from visualizer.sources.lesson.build_trace import build_trace
from visualizer.sources.lesson.launcher import pipeline_shape
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE
from visualizer.sources.lesson.word_probe import COUNT_DTYPE, RUN_DTYPE, RawProbe
from visualizer.sources.lesson.word_samples import decode_samples, probe_figures


def fit() -> ClockFit:
    """Two cycles a nanosecond on SM 7, from cycle 1000 on."""
    anchors = np.zeros((1, 2), ANCHOR_DTYPE)
    anchors["smid"] = 7
    anchors["clock"], anchors["globaltimer"] = [[1000, 201_000]], [[32, 100_032]]
    return fit_clock(anchors, anchors[:0])


def raw_probe(capacity: int = 4) -> RawProbe:
    """Two barriers, of which the second wanted more runs than it had room for."""
    flips = [(2000 + 10 * run, 4, run % 2 << 31) for run in range(capacity)]
    runs = [(1200, 400, 0x7FFFF800), (1800, -100, 0x000003F8), *flips]
    counts = np.array([[(2, 9), (capacity + 3, 20)]], COUNT_DTYPE)
    return RawProbe(np.array(runs, RUN_DTYPE), counts, capacity)


def test_runs_become_samples_on_the_events_time_scale() -> None:
    barriers = simulated(stages=1).barriers
    samples = decode_samples(raw_probe(), fit(), np.array([7], np.uint32), barriers, origin=50_000)
    assert samples["barrier"].tolist() == [0, 0, 1, 1, 1, 1]
    assert samples["begin"][:2].tolist() == [50_000, 350_000]
    assert samples["end"][:2].tolist() == [250_000, 300_000], "a single sample: the clock before it"
    assert samples["word"][0] == encode(Token(0, 1, 0))


def test_what_did_not_fit_is_counted() -> None:
    figures = probe_figures("words", raw_probe())
    assert figures == {"mode": "words", "experimental": True, "barriers": 2, "samples": 29, "runs_lost": 3}
    assert not probe_figures("flips", raw_probe())["experimental"]


def test_another_programs_probe_is_refused() -> None:
    with pytest.raises(TraceError, match="looked at 2 barriers, the program has 6"):
        decode_samples(raw_probe(), fit(), np.array([7], np.uint32), simulated(stages=3).barriers, 0)


def test_a_raw_probe_comes_back_from_its_file(tmp_path: Path) -> None:
    raw = raw_probe()
    raw.save(tmp_path / "raw.probe.npz")
    back = RawProbe.load(tmp_path / "raw.probe.npz")
    assert (back.runs == raw.runs).all()
    assert (back.counts == raw.counts).all()
    assert back.capacity == raw.capacity


def test_flips_are_numbered_from_the_first_parity_seen() -> None:
    samples = np.zeros(6, SAMPLE_DTYPE)
    samples["barrier"] = [0, 0, 0, 2, 2, 2]
    samples["word"] = np.array([0, 1, 0, 1, 1, 0], np.uint64) << np.uint64(63)
    samples["begin"], samples["end"] = [0, 20, 40, 5, 25, 45], [10, 30, 50, 15, 35, 55]
    found = find_flips(samples)
    columns = (found.barrier, found.phase, found.still, found.seen)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert rows == [(0, 0, 10, 20), (0, 1, 30, 40), (2, 1, 35, 45)]
    still, seen = found.of(np.array([0, 0, 1, 2]), np.array([1, 2, 0, 1]))
    assert (still.tolist(), seen.tolist()) == ([30, -1, -1, 35], [40, -1, -1, 45])


@pytest.mark.parametrize("mode", ["words", "flips"])
@pytest.mark.parametrize("consumer_delay", [0, 900])
@pytest.mark.parametrize("ctas", [1, 3])
def test_a_probe_pins_down_when_copies_landed(mode: str, consumer_delay: int, ctas: int) -> None:
    period = 40_000
    trace = probed(simulated(consumer_delay=consumer_delay, tiles=20, ctas=ctas), period, mode)
    events = logged(trace, jitter=0)
    nothing_lost = np.zeros(len(trace.agents), np.int64)
    tables = (trace.agents, trace.barriers, trace.sites, trace.meta, trace.source_files)
    without = assemble(events, nothing_lost, *tables)
    result = assemble(events, nothing_lost, *tables, trace.samples)

    assert "copies_probed" not in without.meta.reconcile
    assert result.meta.reconcile["copies_probed"] == 20 * ctas
    assert result.meta.reconcile["copies_estimated"] == result.meta.reconcile["copies_observed"] == 0
    done = result.events[result.events["kind"] == EventKind.COPY_DONE]
    assert not (done["flags"] & EventFlag.ESTIMATED).any()
    truth = trace.events["time"][trace.events["kind"] == EventKind.COPY_DONE]
    assert (np.abs(done["time"] - truth) <= 2 * period).all()
    assert not any(violations(result).values())
    assert len(result.samples) == len(trace.samples)


@pytest.mark.parametrize("consumer_delay", [0, 900])
def test_a_probe_beside_a_log_of_clocks(consumer_delay: int) -> None:
    config = LessonConfig(ctas=2, tiles=20, consumer_delay=consumer_delay, arrive_per_warp=True)
    period = 40_000
    trace = probed(simulated(**config.as_dict()), period)
    log = clock_log(trace, "full", capacity=32)
    samples = trace.samples
    runs = np.zeros(len(samples), RUN_DTYPE)
    runs["seen"] = FIRST_CYCLE + samples["begin"] // PS_PER_CYCLE
    runs["span"] = (samples["end"] - samples["begin"]) // PS_PER_CYCLE
    runs["state"] = samples["word"] >> np.uint64(32)
    counts = np.zeros(len(trace.barriers), COUNT_DTYPE)
    counts["runs"] = counts["samples"] = np.bincount(samples["barrier"])
    probe = RawProbe(runs, counts.reshape(2, -1), len(runs))
    meta = replace(trace.meta, source={**trace.meta.source, "log_level": "full"})
    tables = (trace.agents, trace.barriers, trace.sites, meta, trace.source_files)
    result = build_trace(log, *tables, pipeline_shape(config), probe)

    assert result.meta.reconcile["copies_probed"] == 40
    assert result.meta.reconcile["copies_estimated"] == result.meta.reconcile["copies_observed"] == 0
    done, truth = (run.events["time"][run.events["kind"] == EventKind.COPY_DONE] for run in (result, trace))
    assert (np.abs(done - truth) <= 3 * period).all()
    assert probe_findings(History(result)) == []


def test_a_flip_numbered_wrongly_pins_nothing() -> None:
    trace = probed(simulated(tiles=20), 40_000, "flips")
    full = trace.samples["barrier"] == trace.barrier_index["full[0]"]
    unseen = np.flatnonzero(full)[1:3]  # two flips between two samples
    samples = np.delete(trace.samples, unseen)
    tables = (trace.agents, trace.barriers, trace.sites, trace.meta, trace.source_files)
    result = assemble(logged(trace, jitter=0), np.zeros(len(trace.agents), np.int64), *tables, samples)
    done = result.events[result.events["kind"] == EventKind.COPY_DONE]
    truth = trace.events["time"][trace.events["kind"] == EventKind.COPY_DONE]
    assert 13 <= result.meta.reconcile["copies_probed"] < 20
    assert (np.abs(done["time"] - truth) < 500_000).all()


def test_samples_come_back_from_a_file(tmp_path: Path) -> None:
    trace = probed(simulated())
    path = tmp_path / "probed.pscope"
    save(trace, path)
    back = load(path)
    assert_equal(back, trace)
    assert back.samples.tobytes() == trace.samples.tobytes()
    save(simulated(), path)
    assert "samples.npy" not in members_of(path)


def test_samples_are_aligned_in_the_file(tmp_path: Path) -> None:
    trace = probed(simulated())
    save(trace, tmp_path / "run.pscope")
    back = load(tmp_path / "run.pscope")
    assert back.samples.ctypes.data % 64 == (back.events.ctypes.data % 64)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("barrier", 99, "is of barrier 99, outside 0..5"),
        ("barrier", -1, "is of barrier -1, outside 0..5"),
        ("begin", 2**50, "sample 1 is out of order"),
        ("begin", 2**60, "sample 0 is at a time beyond"),
    ],
)
def test_samples_that_cannot_be_are_refused(column: str, value: int, message: str) -> None:
    trace = probed(simulated())
    samples = trace.samples.copy()
    samples[column][0] = value
    with pytest.raises(TraceError, match=message):
        replace(trace, samples=samples)


def test_damaged_samples_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    trace = probed(simulated())
    save(trace, path)
    content = bytearray(path.read_bytes())
    at = content.index(trace.samples.tobytes()[:64])
    content[at] ^= 1
    path.write_bytes(content)
    assert "samples.npy is damaged" in refusal(path)
