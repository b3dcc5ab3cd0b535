"""Where a probe saw a barrier that is not as the recording has it: one of the two is wrong, and both are shown.

A run of samples must show what the barrier was at some time around it and, if it is long, at every time within it.
Bytes may have drained in part while a copy is in flight: the recording knows only when the last of them landed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.arrived import arrived_of
from visualizer.diagnosis.barrier_facts import barrier_facts
from visualizer.diagnosis.report import Finding
from visualizer.diagnosis.wording import duration
from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import BarrierCurve, History
from visualizer.semantics.word import TX_GRANULE, decode
from visualizer.sources.lesson.raw_log import TILE_WORDS

TOLERANCE_PS = 100_000
"""How far the times of an event and of a sample may be apart: an event is logged a little before or after its effect.
Recordings of an H200 agree within 20 ns."""
TOLERANCE_OF_CLOCKS_PS = 200_000
"""The same where the log was of clocks: a release has the time at which its warp began the next wait."""

Ints = NDArray[np.int64]


def probe_findings(history: History) -> list[Finding]:
    """The first disagreement of each barrier."""
    samples = history.trace.samples
    if not len(samples):
        return []
    traffic = _Traffic(history)
    rows = np.unique(samples["barrier"])
    bounds = np.searchsorted(samples["barrier"], np.append(rows, len(history.trace.barriers)))
    found = []
    for row, first, last in zip(rows.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        runs = samples[first:last]
        wrong = np.flatnonzero(disagreements(history, row, runs, traffic))
        if len(wrong):
            found.append(_finding(history, row, runs, wrong))
    return found


class _Traffic:
    """Copies of each barrier: when bytes were issued and when they landed."""

    def __init__(self, history: History) -> None:
        self._issued = self._by_barrier(history, EventKind.COPY_ISSUE)
        self._landed = self._by_barrier(history, EventKind.COMPLETE_TX)

    @staticmethod
    def _by_barrier(history: History, kind: EventKind) -> NDArray[np.void]:
        events = history.trace.events[np.flatnonzero(history.kinds == kind)]
        return events[np.argsort(events["barrier"], kind="stable")]

    def in_flight(self, row: int, start: Ints, until: Ints) -> Ints:
        """Bytes issued to the barrier `row` by each time of `until` that had not landed at `start` (ps)."""
        landed = self._bytes_by(self._landed, row, start)
        flying: Ints = np.maximum(self._bytes_by(self._issued, row, until) - landed, 0)
        return flying

    @staticmethod
    def _bytes_by(events: NDArray[np.void], row: int, time: Ints) -> Ints:
        own = events[slice(*np.searchsorted(events["barrier"], [row, row + 1]).tolist())]
        total: Ints = np.concatenate([[0], np.cumsum(own["amount"], dtype=np.int64)])
        by_time: Ints = total[np.searchsorted(own["time"], time, side="right")]
        return by_time


def disagreements(history: History, row: int, runs: NDArray[np.void], traffic: _Traffic) -> NDArray[np.bool_]:
    """Which runs (SAMPLE_DTYPE, of the barrier `row`) contradict the barrier's curve. Shape (runs,)."""
    trace = history.trace
    tolerance = _tolerance(trace)
    curve = history.barrier_curve(row)
    if not len(curve.time):
        return np.zeros(len(runs), bool)
    begin, end = runs["begin"].astype(np.int64), runs["end"].astype(np.int64)
    if trace.meta.events_lost or trace.meta.ending.kind == "crash":
        end = np.minimum(end, trace.duration_ps)  # nothing is known of the barrier later
    earliest, latest = np.minimum(begin, end) - tolerance, np.maximum(begin, end) + tolerance
    first = np.maximum(np.searchsorted(curve.time, earliest, side="right") - 1, 0)
    last = np.maximum(np.searchsorted(curve.time, latest, side="right"), first + 1)
    counts = last - first
    run = np.repeat(np.arange(len(runs)), counts)
    segment = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts - first, counts)
    until = np.append(curve.time[1:], max(trace.duration_ps, int(latest.max(initial=0))))[segment]
    agrees = _agrees(runs["word"][run], curve, segment, traffic.in_flight(row, curve.time[segment], until))
    if _sees_phases_only(history):
        agrees = (runs["word"][run] >> np.uint64(63)).astype(np.int64) == curve.phase[segment] & 1
    # Of a long run, what lies well within it.
    within = (curve.time[segment] <= end[run] - tolerance) & (until >= begin[run] + tolerance)
    within &= begin[run] + tolerance <= end[run] - tolerance
    some, none_wrong = np.zeros(len(runs), bool), np.ones(len(runs), bool)
    some[run[agrees]] = True
    none_wrong[run[within & ~agrees]] = False
    after_the_end = (begin > trace.duration_ps) & (end < begin)
    result: NDArray[np.bool_] = ~(some & none_wrong) & ~after_the_end
    return result


def _tolerance(trace: Trace) -> int:
    return TOLERANCE_OF_CLOCKS_PS if trace.meta.source.get("log_level") in TILE_WORDS else TOLERANCE_PS


def _sees_phases_only(history: History) -> bool:
    return bool(history.trace.meta.source.get("probe", {}).get("mode") == "flips")


def _agrees(words: NDArray[np.uint64], curve: BarrierCurve, segment: Ints, in_flight: Ints) -> NDArray[np.bool_]:
    """Whether each word can be the barrier's in each segment, with up to `in_flight` bytes landed already."""
    parity, pending, tx = decode(words)
    most = curve.tx[segment].astype(np.int64)
    least = most - in_flight
    agrees: NDArray[np.bool_] = (parity == (curve.phase[segment] & 1)) & (pending == curve.pending[segment])
    agrees &= (tx <= _granules(most)) & (tx >= _granules(least))
    return agrees


def _granules(amount: Ints) -> Ints:
    """Bytes as a word shows them."""
    return -(-amount // TX_GRANULE) * TX_GRANULE


@dataclass(frozen=True, slots=True)
class _Seen:
    parity: int
    pending: int
    tx: int


def _finding(history: History, row: int, runs: NDArray[np.void], wrong: Ints) -> Finding:
    trace = history.trace
    run = runs[wrong[0]]
    time = int(min(run["begin"], run["end"]))
    before = int(np.searchsorted(trace.events["time"], time, side="right")) - 1
    step = max(before, 0)
    state = history.barrier_at(row, step)
    seen = _Seen(*(int(value[0]) for value in decode(np.array([run["word"]], np.uint64))))
    values: dict[str, object] = {
        "barrier": history.barrier_title(row),
        "parity": seen.parity,
        "time": duration(time),
        "phase": state.phase,
        "state_parity": state.parity,
        "runs": len(runs),
        "wrong": len(wrong),
        "tolerance": duration(_tolerance(trace)),
    }
    if _sees_phases_only(history):
        said = tr(
            "The probe saw {barrier} with parity {parity} at {time}; the recording has it in phase #{phase} (parity"
            " {state_parity}).",
            **values,
        )
    else:
        said = tr(
            "The probe saw {barrier} with parity {parity}, arrived {seen_arrived} and {seen_tx} bytes outstanding at"
            " {time}; the recording has phase #{phase} (parity {state_parity}), arrived {arrived} and {tx} bytes.",
            **values,
            seen_arrived=arrived_of(replace(state, pending=seen.pending)),
            seen_tx=seen.tx,
            arrived=arrived_of(state),
            tx=state.tx,
        )
    rest = tr(
        "One of them is wrong: {wrong} of {runs} runs of its samples are not within {tolerance} of anything recorded.",
        **values,
    )
    return Finding(
        "PROBE DISAGREES",
        "error",
        f"{said} {rest}",
        **barrier_facts(history, row, state),
        parity=seen.parity,
        first_divergence=step,
        step=step,
    )
