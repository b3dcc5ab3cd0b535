"""diagnose: everything that is wrong with a recording, root causes first; no finding at all on a sound one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from visualizer.arrays.parallel import each
from visualizer.diagnosis.effects import causes_first, concerned_ctas, first_seen
from visualizer.diagnosis.hazards.hazard_findings import early_arrival_findings, hazard_findings
from visualizer.diagnosis.hazards.tile_findings import tile_findings
from visualizer.diagnosis.not_judged import JUDGED_ALL_THE_SAME, knows_no_ring, not_judged
from visualizer.diagnosis.phases.counts import count_findings
from visualizer.diagnosis.phases.passes import pass_findings
from visualizer.diagnosis.program_checks import program_findings
from visualizer.diagnosis.rebuild import program_of
from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.stuck.blocked import blocked_findings
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.stuck.stuck_syncs import sync_findings
from visualizer.diagnosis.trust.probe_findings import probe_findings
from visualizer.diagnosis.turns.habits import looked_at
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import find_intents
from visualizer.language import mark, recorded, tr, trn
from visualizer.programs.program import Program
from visualizer.replay.history import History

_STUCK = ("deadlock", "timeout")


NO_BARRIERS = mark(
    "it has no mbarrier, so nothing was judged: what cp.async groups and __syncthreads order is not followed"
)


RECORDS_MISSING = mark("Counts and orders: records were lost, so they would be guesses.")
TURNS_LEFT_OUT = mark(
    "Whether an agent does otherwise than in its other turns, but from step {first} to {last}: there are too many"
    " events to look at all."
)
ROLES_MISSING = mark("Counts and orders: not every role was recorded, so they would be guesses.")


def diagnose(history: History, program: Program | None = None) -> Report:
    """The diagnosis of a history. `program`, if given, tells what the blocked agents would have done next; for the
    recordings of built-in programs it is laid out again from the recording's parameters.

    With records lost, or roles not recorded, only the blocked agents are judged: counts and orders would be guesses.
    What was not judged is told in the report.
    """
    meta = history.trace.meta
    lost = meta.events_lost
    intents = find_intents(history)
    buffers = Buffers(history, intents)
    findings: list[Finding] = []
    stuck = meta.ending.kind in _STUCK
    if program is None and (stuck or meta.config.get("fault")):
        program = program_of(history.trace)
    if stuck:
        findings += _stuck(history, Outlook(history, intents, buffers, program))
    if not history.trace.barriers and meta.ending.kind == "completed":
        return Report(meta.ending.kind, lost, tuple(findings), tr(NO_BARRIERS))
    left_out: tuple[str, ...] = ()
    note = ""
    if not lost and not meta.window.get("roles_left_out"):
        note = tr(JUDGED_ALL_THE_SAME) if knows_no_ring(history) else ""
        # The longest first; none asks what another found.
        judges: tuple[Callable[[], Any], ...] = (
            partial(hazard_findings, history, intents, buffers, program),
            partial(count_findings, history, intents, buffers, program),
            partial(pass_findings, history, intents),
            partial(tile_findings, history, intents, buffers),
            partial(early_arrival_findings, history, intents),
            partial(not_judged, history),
        )
        (hazards, unordered), counts, passes, tiles, early, left_out = each(lambda judge: judge(), judges)
        left_out += unordered
        findings += [*counts, *passes, *tiles, *early]
        if program is not None:
            findings += program_findings(history.trace, program)
        findings += hazards
    else:
        left_out = (tr(RECORDS_MISSING if lost else ROLES_MISSING),)
        if stuck and (short := meta.window.get("cut_short", [])):
            left_out += (
                trn(
                    "Who is blocked in {n} of {ctas} CTAs: it went on when its records had no room.",
                    "Who is blocked in {n} of {ctas} CTAs: they went on when their records had no room.",
                    len(short),
                    ctas=len(set(history.trace.agent_cta.tolist())),
                ),
            )
        if meta.ending.kind == "crash":
            findings += count_findings(history, intents, buffers, program)[:1]
    findings += probe_findings(history)
    if findings:
        within = looked_at(history, concerned_ctas(history, findings), first_seen(findings, history))
        if len(within) < history.steps:
            left_out += (tr(TURNS_LEFT_OUT, first=within.start, last=within.stop - 1),)
    causes = tuple(_titled(history, cause) for cause in causes_first(history, findings, program))
    return Report(meta.ending.kind, lost, causes, note, left_out)


def _titled(history: History, finding: Finding) -> Finding:
    row = history.trace.barrier_index.get(finding.barrier or "", -1)
    effects = tuple(_titled(history, effect) for effect in finding.effects)
    if row < 0:
        return replace(finding, title=finding.barrier, effects=effects)
    counting = history.barriers.counts_from(row)
    return replace(finding, title=history.barrier_title(row), counting=counting, effects=effects)


def _stuck(history: History, outlook: Outlook) -> list[Finding]:
    if found := [*sync_findings(outlook), *blocked_findings(outlook)]:
        return found
    # Nobody is blocked on a barrier: the run hangs elsewhere, as at a __syncthreads.
    ending = history.trace.meta.ending
    cause = recorded(ending.detail) or tr("The run made no more progress, and no agent waits on a barrier.")
    return [Finding("STARVED", "error", cause, step=history.steps - 1 if history.steps else None)]
