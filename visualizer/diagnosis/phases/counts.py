"""What the counts of a recording say whether or not anybody is blocked: undefined operations, phases that complete
twice for one use of a stage, bytes left over, arrivals at a CTA that has left, data that the kernel found wrong."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.advice import init_advice, init_line
from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.barrier_facts import barrier_facts, stage_and_ring
from visualizer.diagnosis.phases.crashes import crash_findings
from visualizer.diagnosis.phases.leftovers import leftover_findings
from visualizer.diagnosis.phases.use_findings import surplus_findings
from visualizer.diagnosis.report import Finding
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import Intents
from visualizer.diagnosis.wording import commas, listed, sentences
from visualizer.language import tr, trn
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind, kind_name
from visualizer.recording.tables import HARDWARE_ROLES
from visualizer.replay.history import History


def count_findings(
    history: History, intents: Intents, buffers: Buffers, program: Program | None = None
) -> list[Finding]:
    """All of them, worst first."""
    if not history.steps:
        return crash_findings(history, program)
    deviations = buffers.deviations
    # Where an agent arrived once too often, that is why a phase completed twice.
    told = {history.trace.barriers[d.barrier].cta for d in deviations if d.arrivals > d.usual}
    return [
        *crash_findings(history, program),
        *_impossible_counts(history),
        *surplus_findings(history, deviations),
        *_completed_twice(history, intents, told),
        *leftover_findings(history, deviations),
        *_after_exit(history),
        *_wrong_data(history),
    ]


def _impossible_counts(history: History) -> list[Finding]:
    """A phase with more arrivals than it takes, or an operation on an object that is no barrier; the first of each."""
    columns = history.barriers
    if history.trace.meta.records_lost or not len(columns.kind):
        return []
    over = columns.pending < 0
    init = columns.kind == EventKind.INIT
    invalid = ~columns.valid & ~init & (columns.kind != EventKind.INVAL)
    has_init = np.bincount(columns.index.keys[init] // history.steps, minlength=len(history.trace.barriers)) > 0
    barrier = columns.index.keys // history.steps
    invalid &= has_init[barrier]
    found = []
    for verdict, rows in (("OVER-ARRIVAL", over), ("UNDEFINED", invalid)):
        steps = (columns.index.keys - barrier * history.steps)[rows]
        if not len(steps):
            continue
        step = int(steps.min())
        event = history.trace.events[step]
        row = int(event["barrier"])
        state = history.barrier_at(row, step)
        word = kind_name(int(event["kind"]))
        if verdict == "UNDEFINED":
            cause = tr(
                "{operation} on {barrier} before its init (or after its inval): publish the initialised barriers to"
                " everybody before their first use.",
                operation=word,
                barrier=history.barrier_title(row),
            )
        else:
            cause = trn(
                "{operation} on {barrier} makes {n} arrival in phase #{phase}, which takes {needed}: somebody arrives"
                " twice, or the init count is too small.",
                "{operation} on {barrier} makes {n} arrivals in phase #{phase}, which takes {needed}: somebody arrives"
                " twice, or the init count is too small.",
                state.needed - state.pending,
                operation=word,
                barrier=history.barrier_title(row),
                phase=number_of(state),
                needed=state.needed,
            )
        found.append(
            Finding(
                verdict,
                "error",
                cause,
                agent=history.trace.agents[int(event["agent"])].name,
                **barrier_facts(history, row, state),
                first_divergence=step,
                site=site_at(history.trace, step),
                step=step,
            )
        )
    return found


def _completed_twice(history: History, intents: Intents, told: set[int]) -> list[Finding]:
    """An empty barrier that completed more phases than its stage was filled: one use of the stage frees it twice.
    Not in the CTAs of which the reason is `told`."""
    trace, events = history.trace, history.trace.events
    pairs = np.full(len(trace.barriers) + 1, -1, np.int64)
    used = np.isin(np.arange(len(trace.barriers)), history.arrivals.barrier)
    for ring in history.structure.rings:
        for full, free in zip(ring.full, ring.empty, strict=False):
            # With several of a kind, which full barrier is this one's is not told. One that nobody arrives on says
            # nothing of fills: those of a pair of CTAs (cta_group::2) complete on the leader's.
            if len(full) == len(free) == 1 and used[full[0]]:
                pairs[free[0]] = full[0]
    # Where the consumers free every stage at the start, the producer's first wait is for phase #0: one phase ahead.
    ahead = np.full(len(trace.barriers) + 1, -1, np.int64)
    first = intents.waits.use == 0
    begun = np.array([b.first_phase for b in trace.barriers] + [0], np.int64)[pairs]
    waited = intents.waits.barrier[first]
    np.maximum.at(ahead, waited, intents.wanted[first] + 1 - begun[waited])
    steps = history.completion_steps
    empty = events["barrier"][steps].astype(np.int64)
    keep = (pairs[empty] >= 0) & (ahead[empty] >= 0)
    steps, empty = steps[keep], empty[keep]
    filled = history.barriers.phase_at(pairs[empty], steps)
    wrong = np.flatnonzero(events["amount"][steps] + 1 > filled + ahead[empty])
    findings: dict[int, Finding] = {}
    for index in wrong:
        step, row = int(steps[index]), int(empty[index])
        barrier = trace.barriers[row]
        if barrier.cta not in findings and barrier.cta not in told:
            findings[barrier.cta] = _twice(history, step, row, int(filled[index]))
    return list(findings.values())


def _twice(history: History, step: int, row: int, filled: int) -> Finding:
    trace, events = history.trace, history.trace.events
    state = history.barrier_at(row, step)
    tile = int(events["tile"][step])
    arrivals = history.arrivals
    mine = (arrivals.barrier == row) & (events["tile"][arrivals.step] == tile)
    total, who = int(arrivals.count[mine].sum()), arrivals.agent[mine]
    init, site = init_line(trace, row)
    by = {trace.agents[a].name: int(arrivals.count[mine & (arrivals.agent == a)].sum()) for a in set(who.tolist())}
    per_use = ""
    if tile >= 0:
        each = commas([f"{name} {count}" for name, count in sorted(by.items())])
        per_use = trn(
            "; {n} arrival comes for tile {tile} ({each})",
            "; {n} arrivals come for tile {tile} ({each})",
            total,
            tile=tile,
            each=each,
        )
        if total <= state.needed:
            # With no arrival for this tile, whoever completed the phase.
            mine = (arrivals.barrier == row) & (arrivals.phase == events["amount"][step])
            others = {trace.agents[a].name for a in (*arrivals.agent[mine].tolist(), int(events["agent"][step]))}
            return _not_filled(history, step, row, filled, sorted(by or others))
    cause = tr(
        "{barrier} completed phase #{phase} when its stage had been filled only {times}: it completes more than once"
        " for one use, because it is initialised for {arrivals}{per_use}. The producer may overwrite a tile that is"
        " still read{site}.",
        barrier=history.barrier_title(row),
        phase=int(events["amount"][step]),
        times=trn("{n} time", "{n} times", filled),
        arrivals=trn("{n} arrival", "{n} arrivals", state.needed),
        per_use=per_use,
        site=line(site),
    )
    return Finding(
        "COUNT MISMATCH",
        "error",
        sentences(cause, _who_gives_more(by, total, state.needed)),
        **barrier_facts(history, row, state),
        tile=tile if tile >= 0 else None,
        first_divergence=init,
        site=site,
        step=step,
        advice=init_advice(trace, row, total) if total > state.needed else None,
    )


def _not_filled(history: History, step: int, row: int, filled: int, agents: list[str]) -> Finding:
    """A stage that is freed as often as its tiles are used, but not only after it was filled."""
    trace, site = history.trace, site_at(history.trace, step)
    cause = tr(
        "{barrier} completed phase #{phase} when its stage had been filled only {times}: {agents} released it before it"
        " was filled{site}. The producer may overwrite a tile that is still read.",
        barrier=history.barrier_title(row),
        phase=int(trace.events["amount"][step]),
        times=trn("{n} time", "{n} times", filled),
        agents=listed(agents),
        site=line(site),
    )
    return Finding(
        "COUNT MISMATCH",
        "error",
        cause,
        **barrier_facts(history, row, history.barrier_at(row, step)),
        tile=int(trace.events["tile"][step]),
        first_divergence=step,
        site=site,
        step=step,
    )


def _who_gives_more(by: dict[str, int], total: int, needed: int) -> str:
    """Where one agent gives more than each of the others or than the barrier takes: which two changes come in question,
    as a sentence; "" where all give alike."""
    most = max(by.values(), default=0)
    named = [name for name, count in by.items() if count == most]
    if len(named) != 1 or most < 2 or (len(by) > 1 and most == min(by.values())):
        return ""
    return tr(
        "Either {agent} is to arrive less often than {most} times in one use, or the barrier is to be initialised with"
        " {total} in place of {needed}.",
        agent=named[0],
        most=most,
        total=total,
        needed=needed,
    )


def _after_exit(history: History) -> list[Finding]:
    """A remote arrival at a CTA whose agents have all left: its shared memory is no longer its own."""
    trace, events = history.trace, history.trace.events
    if trace.ctas < 2:
        return []
    arrivals = history.arrivals
    barrier_cta = trace.barrier_cta[arrivals.barrier]
    remote = np.flatnonzero(barrier_cta != trace.agent_cta[arrivals.agent])
    if not len(remote):
        return []
    exits = np.array(sorted(history.left.values()), np.int64)
    warps = [a.cta for a, role in zip(trace.agents, history.structure.roles, strict=True) if role not in HARDWARE_ROLES]
    people = np.bincount(np.array(warps, np.int64), minlength=trace.ctas)
    left = np.full(trace.ctas, np.iinfo(np.int64).max)
    for cta in np.unique(barrier_cta[remote]):
        mine = exits[trace.agent_cta[events["agent"][exits]] == cta]
        if len(mine) and len(mine) == people[cta]:
            left[cta] = mine[-1]
    late = remote[arrivals.step[remote] > left[barrier_cta[remote]]]
    if not len(late):
        return []
    step = int(arrivals.step[late].min())
    row = int(events["barrier"][step])
    barrier = trace.barriers[row]
    stage, ring = stage_and_ring(history, int(history.structure.place_of[row]))
    return [
        Finding(
            "UNDEFINED",
            "error",
            tr(
                "{agent} arrives on {barrier}, but every agent of CTA {cta} has exited: a CTA of a cluster must stay"
                " until its peers have arrived (producer_tail).",
                agent=trace.agents[int(events["agent"][step])].name,
                barrier=history.barrier_title(row),
                cta=barrier.cta,
            ),
            agent=trace.agents[int(events["agent"][step])].name,
            barrier=barrier.name,
            stage=stage,
            ring=ring,
            first_divergence=int(left[barrier.cta]),
            site=site_at(trace, step),
            step=step,
        )
    ]


def _wrong_data(history: History) -> list[Finding]:
    errors = history.trace.meta.check.get("errors", 0)
    if not errors:
        return []
    sentence = trn(
        "The kernel's own check found {n} wrong value in what the consumers read.",
        "The kernel's own check found {n} wrong values in what the consumers read.",
        errors,
    )
    return [Finding("WRONG DATA", "error", sentence, step=history.steps - 1)]
