"""What a mistake makes of a recorded run of one of the four kernels, and what a diagnosis of it has to say.

A mistake of theirs ends in a hang: what happens of it is a part of what happened in the sound run, in the same order.
So the recording that comes along, from an H200, is gone through with mbarriers of the semantics, and whoever waits for
a phase that does not complete any more goes no further. tests/gpu holds the real runs to the same expectations.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from visualizer.diagnosis.diagnose import diagnose
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.resources import resource_dir, shipped_recording
from visualizer.semantics.mbarrier import Mbarrier

E = EventKind
STAGES = {"multicast": (3,), "gemm": (4,), "pingpong": (5,), "attention": (2, 3)}
"""Of each ring, in the order of their barriers in shared memory: full ones, empty ones."""
BESIDE = {"multicast": (), "gemm": (), "pingpong": ("turn[0]", "turn[1]"), "attention": ("q", "turn[0]", "turn[1]")}


@dataclass(frozen=True, slots=True)
class Expected:
    """Who waits for ever, on which barrier, at which line of the kernel; and what the diagnosis calls the mistake."""

    barrier: str  # "empty[0]", "k_empty[1]", "turn[0]"
    line: str  # a part of it, in kernels/NAME.cu
    rule: str


_ACQUIRE, _WAIT = "storage.pipeline.producer_acquire(pipe_write", "storage.pipeline.consumer_wait(pipe_read)"
_K_ACQUIRE, _K_WAIT = "storage.k_pipeline.producer_acquire(state", "storage.k_pipeline.consumer_wait(k_read)"
_OF_ONE_RING = {
    "F01": Expected("empty[0]", _ACQUIRE, "init-too-large"),
    "F03": Expected("full[0]", _WAIT, "init-too-large"),
    "F06": Expected("empty[0]", _ACQUIRE, "wrong-start-phase"),
    "F20": Expected("empty[1]", _ACQUIRE, "missed-use"),
}
_NOBODY_HAS_THE_TURN = Expected("turn[0]", "order.wait()", "nobody-begins")
EXPECTED = {
    "multicast": {**_OF_ONE_RING, "F31": Expected("empty[0]", _ACQUIRE, "init-too-large")},
    "gemm": _OF_ONE_RING,
    "pingpong": {**_OF_ONE_RING, "F48": _NOBODY_HAS_THE_TURN},
    "attention": {
        "F01": Expected("k_empty[0]", _K_ACQUIRE, "init-too-large"),
        "F03": Expected("k_full[0]", _K_WAIT, "init-too-large"),
        "F06": Expected("k_empty[0]", _K_ACQUIRE, "wrong-start-phase"),
        "F20": Expected("k_empty[1]", _K_ACQUIRE, "missed-use"),
        "F48": _NOBODY_HAS_THE_TURN,
    },
}


def names_of(name: str) -> list[str]:
    """What a CTA's barriers are, by their address."""
    names = []
    for ring, stages in zip(("k_", "v_") if len(STAGES[name]) > 1 else ("",), STAGES[name], strict=True):
        names += [f"{ring}{kind}[{stage}]" for kind in ("full", "empty") for stage in range(stages)]
    return [*names, *BESIDE[name]]


def barrier_name(trace: Trace, name: str, row: int) -> str:
    own = [barrier.offset for barrier in trace.barriers if barrier.cta == trace.barriers[row].cta]
    return names_of(name)[(trace.barriers[row].offset - min(own)) // 8]


def hung(name: str, fault: str, *, named: bool = False, as_logged: bool = False) -> Trace:
    """The recording that comes along, with this mistake. `named`: its barriers are called what they are. `as_logged`:
    with an exit of the warp that copies, whose one lane waits, since its other lanes left; and no landing of a copy
    whose phase nobody saw complete."""
    trace = load(shipped_recording(name))
    events = np.array(trace.events)
    kept = np.zeros(len(events), bool)
    place = np.arange(len(events), dtype=float)
    barriers = [Mbarrier() for _ in trace.barriers]
    called = [barrier_name(trace, name, row) for row in range(len(trace.barriers))]
    completed: dict[int, int] = defaultdict(int)  # and so on, by barrier
    issued: dict[int, int] = defaultdict(int)
    landed: dict[tuple[EventKind, int], int] = defaultdict(int)
    releases: dict[tuple[int, int], int] = defaultdict(int)
    stuck: set[int] = set()
    begun: dict[int, int] = {}  # of an agent's wait
    for row, event in enumerate(events):
        kind, agent, barrier = E(event["kind"]), int(event["agent"]), int(event["barrier"])
        mine = trace.agents[agent]
        if agent in stuck:
            if kind is E.EXIT and as_logged and mine.warp == 0:
                kept[row], place[row] = True, begun[agent] + 0.5
                event["time"] = events["time"][begun[agent]]
            continue
        if kind is E.PHASE_COMPLETE:
            kept[row] = completed[barrier] < barriers[barrier].phase
            completed[barrier] += bool(kept[row])
            continue
        if kind in (E.COMPLETE_TX, E.COPY_DONE):
            landed[kind, barrier] += 1
            kept[row] = landed[kind, barrier] <= issued[barrier]
            if kept[row] and kind is E.COMPLETE_TX:
                barriers[barrier].complete_tx(int(event["amount"]))
            continue
        what = called[barrier] if barrier >= 0 else ""
        if kind is E.INIT:
            count = int(event["amount"])
            if fault == "F01" and "empty" in what:
                count += 1
            if fault == "F03" and "full" in what:
                count = 32
            event["amount"] = count
            barriers[barrier].init(count)
        elif kind is E.WAIT_BEGIN and barrier >= 0:
            event["parity"] ^= (fault == "F06" and "empty" in what) or (fault == "F48" and what == "turn[0]")
            begun[agent] = row
        elif kind is E.WAIT_END and barrier >= 0:
            if not barriers[barrier].test_wait_parity(int(events["parity"][begun[agent]])):
                stuck.add(agent)
                continue
        elif kind is E.ARRIVE:
            releases[agent, barrier] += 1
            if fault == "F31" and trace.barriers[barrier].cta != mine.cta:
                continue
            # The kernel leaves out the release of use 1: of the stage 1, for the first time.
            is_left_out = mine.cta == 0 and mine.warp == 4 and what.endswith("empty[1]")
            if fault == "F20" and is_left_out and releases[agent, barrier] == 1:
                continue
            barriers[barrier].arrive(int(event["amount"]))
        elif kind is E.ARRIVE_EXPECT_TX:
            barriers[barrier].arrive_expect_tx(int(event["amount"]))
        elif kind is E.COPY_ISSUE:
            issued[barrier] += 1
        kept[row] = True
    if as_logged:
        lands = kept & np.isin(events["kind"], [E.COMPLETE_TX, E.COPY_DONE])
        seen = np.zeros(len(trace.barriers), int)
        for row in np.flatnonzero(kept & (events["kind"] == E.PHASE_COMPLETE)):
            seen[events["barrier"][row]] = row
        kept &= ~lands | (np.arange(len(events)) < seen[events["barrier"]])
    ending = Ending("timeout", "it hung: no event for 2 s")
    if named:
        own = zip(trace.barriers, called, strict=True)
        trace = replace(trace, barriers=tuple(replace(one, name=f"CTA{one.cta}.{what}") for one, what in own))
    order = np.argsort(place, kind="stable")
    return replace(trace, events=events[order][kept[order]], meta=replace(trace.meta, ending=ending, check={}))


def check(trace: Trace, name: str, fault: str) -> None:
    """That the diagnosis finds this mistake in a run that hung, and tells nothing before it: AssertionError tells what
    it says instead."""
    expected = EXPECTED[name][fault]
    report = diagnose(History(trace))
    told = [
        (
            barrier_name(trace, name, trace.barrier_index[found.barrier]),
            found.rule,
            any(expected.line in line for line in lines_at(trace, name, found.step)),
        )
        for found in report.every
        if found.verdict == "STARVED" and found.barrier is not None and found.step is not None
    ]
    assert (expected.barrier, expected.rule, True) in told, (expected, report.findings)
    assert {found.rule for found in report.findings} == {expected.rule}, (expected, report.findings)
    assert "IRREGULAR" not in {found.verdict for found in report.every}


def lines_at(trace: Trace, name: str, step: int) -> list[str]:
    """The lines of kernels/NAME.cu in the stack of the event at this step; its file may have any name."""
    text = (resource_dir("kernels") / f"{name}.cu").read_text(encoding="utf-8").splitlines()
    stack = trace.sites[int(trace.events["site"][step])].stack
    return [text[frame.line - 1] for frame in stack if not frame.file.endswith(".cuh") and frame.line <= len(text)]
