"""Waits that passed and should not have: before the phase they mean completed, or after its data was gone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.barrier_facts import family, stage_and_ring
from visualizer.diagnosis.report import Advice, Finding, Planned
from visualizer.diagnosis.source_lines import site_at
from visualizer.diagnosis.uses.intents import Intents
from visualizer.diagnosis.wording import sentences
from visualizer.language import tr, trn
from visualizer.replay.history import History
from visualizer.replay.waits import Waits


def pass_findings(history: History, intents: Intents) -> list[Finding]:
    """EARLY PASS and STALE PASS, the first of each agent, ring and kind of barrier. Of full and empty barriers only:
    what a wait on another means is taken from the hardware, which lets none pass that it should not."""
    waits = intents.waits
    passed = waits.end >= 0
    early = passed & intents.strict & (waits.met <= intents.wanted)
    wrong_parity = waits.parity != intents.due
    # Met two phases on with the right parity: it passed just before the flip, and its record is late.
    ahead = waits.met - intents.wanted
    stale = passed & intents.strict & ((ahead >= 3) | ((ahead == 2) & wrong_parity))
    structure = history.structure
    found: list[Finding] = []
    for verdict, chosen in (("EARLY PASS", early), ("STALE PASS", stale)):
        groups: dict[tuple[int, int, int, str], list[int]] = {}
        for wait in np.flatnonzero(chosen):
            row = int(waits.barrier[wait])
            family = (int(waits.agent[wait]), history.trace.barriers[row].cta, int(structure.ring_of[row]))
            groups.setdefault((*family, structure.kinds[row]), []).append(int(wait))
        for group in groups.values():
            found.append(_finding(history, intents, verdict, group))
    return found


def _finding(history: History, intents: Intents, verdict: str, group: list[int]) -> Finding:
    waits = intents.waits
    wait = min(group, key=lambda w: int(waits.end[w]))
    step = int(waits.end[wait])
    row = int(waits.barrier[wait])
    state = history.barrier_at(row, step)
    tile = int(waits.tile[wait])
    stage, ring = stage_and_ring(history, int(history.structure.place_of[row]))
    wrong = parity_cause(history, intents, wait)
    cause = wrong or _cause(history, intents, wait, verdict)
    fresh = ""
    if verdict == "EARLY PASS" and not waits.met[wait]:
        fresh = tr("It passed on the fresh barrier, before anything had completed.")
    cause = sentences(cause, fresh, _more(len(group) - 1))
    return Finding(
        verdict,
        "error",
        cause,
        agent=history.trace.agents[int(waits.agent[wait])].name,
        barrier=history.trace.barriers[row].name,
        stage=stage,
        ring=ring,
        tile=tile if tile >= 0 else None,
        phase_wanted=int(intents.wanted[wait]),
        phase_now=int(waits.met[wait]),
        parity=int(waits.parity[wait]),
        pending=state.pending,
        expected=state.needed,
        tx=state.tx,
        first_divergence=int(waits.begin[wait]),
        site=site_at(history.trace, step),
        step=step,
        certain=bool(wrong),
        blamed=history.trace.agents[int(waits.agent[wait])].name if wrong else None,
        advice=parity_advice(history, intents, wait) if wrong else None,
    )


def parity_advice(history: History, intents: Intents, wait: int) -> Advice:
    """To wait with the parity that is due at the first of the agent's waits of the kind that have another."""
    waits = intents.waits
    alike = _alike(history, waits, wait) & (waits.parity != intents.due)
    first = int(np.flatnonzero(alike)[waits.begin[alike].argmin()])
    barrier, step = history.trace.barriers[int(waits.barrier[first])], int(waits.begin[first])
    planned = Planned(
        "wait_begin", barrier.name, None, -1, int(intents.due[first]), -1, int(history.trace.events["tile"][step])
    )
    return Advice(history.trace.agents[int(waits.agent[first])].name, (step,), (planned,), step)


def parity_cause(history: History, intents: Intents, wait: int) -> str:
    """What is wrong with the wait's parity in one sentence; "" if it is the parity of the phase it means."""
    waits = intents.waits
    parity, wanted, use = int(waits.parity[wait]), int(intents.wanted[wait]), int(waits.use[wait])
    if not intents.strict[wait] or parity == int(intents.due[wait]):
        return ""
    agent = history.trace.agents[int(waits.agent[wait])].name
    barrier = history.barrier_title(int(waits.barrier[wait]))
    due = int(intents.due[wait])
    opening = tr(
        "{agent}'s use {use} of {barrier} means phase #{wanted} but waits with parity {parity} instead of {due}",
        agent=agent,
        use=use + 1,
        barrier=barrier,
        wanted=wanted,
        parity=parity,
        due=due,
    )
    if again := restarted(history, waits, wait):
        return tr("{opening}: {again}", opening=opening, again=again)
    if use:
        before = (waits.agent == waits.agent[wait]) & (waits.barrier == waits.barrier[wait]) & (waits.use == use - 1)
        if bool((waits.parity[before] == parity).any()):
            return tr("{opening}: the parity does not flip from one lap to the next.", opening=opening)
        return tr("{opening}: its phase bit has drifted from its laps.", opening=opening)
    if first_wrong_parity(history, intents, wait) > _first_wait(history, waits, wait):
        return tr("{opening}: the phase bit must flip once per lap of the ring, not with every tile.", opening=opening)
    return tr(
        "{agent}'s first wait on {barrier} means phase #{wanted} (parity {due}) but uses parity {parity}: its cursor"
        " must start with phase {due}, so that it waits for the first fill.",
        agent=agent,
        barrier=barrier,
        wanted=wanted,
        due=due,
        parity=parity,
    )


def restarted(history: History, waits: Waits, wait: int) -> str:
    """Whether the agent's PipelineState began anew before the wait, as a sentence; "" if its count only grew."""
    agent = int(waits.agent[wait])
    ring = history.structure.ring_of[waits.barrier[wait]]
    cursor = history.structure.rings[ring].cursor_ring if ring >= 0 else 0
    if cursor < 0:
        return ""
    advances = history.agents.advances.steps(cursor * len(history.trace.agents) + agent)
    counts = history.trace.events["amount"][advances[advances < waits.begin[wait]]]
    if not bool((counts[1:] <= counts[:-1]).any()):
        return ""
    return tr("Its PipelineState starts again for every work tile: a persistent kernel keeps it from tile to tile.")


def _cause(history: History, intents: Intents, wait: int, verdict: str) -> str:
    waits = intents.waits
    agent = history.trace.agents[int(waits.agent[wait])].name
    barrier = history.barrier_title(int(waits.barrier[wait]))
    wanted, met = int(intents.wanted[wait]), int(waits.met[wait])
    if verdict == "EARLY PASS":
        return tr(
            "{agent} meant phase #{wanted} of {barrier}, but the barrier was still in #{met}: one parity bit cannot"
            " tell a phase from the one two before it, and the agent is ahead of the completions.",
            agent=agent,
            wanted=wanted,
            barrier=barrier,
            met=met,
        )
    passed = tr(
        "{agent} passed {barrier} for phase #{wanted} when the barrier was already in #{met}: it got through by luck of"
        " the parity, and what #{wanted} announced has been replaced.",
        agent=agent,
        barrier=barrier,
        wanted=wanted,
        met=met,
    )
    return sentences(passed, lapped_because(history, waits, int(waits.barrier[wait]), agent))


def lapped_because(history: History, waits: Waits, barrier: int, agent: str) -> str:
    """Why a barrier runs ahead of an agent that waits on every phase of it."""
    structure = history.structure
    kind = structure.kinds[barrier]
    if kind == "other":
        return ""
    if kind == "empty":
        return tr(
            "It completes more often than its stage is used: its init count is smaller than the arrivals of one use, or"
            " somebody arrives twice."
        )
    if nobody_acquires(history, waits, barrier):
        return tr(
            "Nobody ever waits on {barriers} (producer_acquire is missing), so the barrier is re-armed while its tile"
            " is unread.",
            barriers=_empties(history, barrier),
        )
    return tr(
        "The barrier goes on without {agent}: its release is missing from the count that guards the stage, or nobody"
        " waits for the releases.",
        agent=agent,
    )


def nobody_acquires(history: History, waits: Waits, barrier: int) -> bool:
    """Whether nobody ever waits on the empty barriers of a full barrier's ring."""
    structure = history.structure
    if structure.kinds[barrier] != "full":
        return False
    empty = (np.array(structure.kinds) == "empty") & (structure.ring_of == structure.ring_of[barrier])
    return not bool(empty[waits.barrier].any())


def _empties(history: History, barrier: int) -> str:
    """ "empty[*]": the empty barriers of a barrier's ring."""
    structure = history.structure
    ring = structure.ring_of[barrier]
    rows = [row for rows in structure.rings[ring].empty for row in rows] if ring >= 0 else []
    return family(history, rows[0]) if rows else "empty[*]"


def first_wrong_parity(history: History, intents: Intents, wait: int) -> int:
    """The begin of the agent's first wait on a barrier of this kind with another parity than it means."""
    waits = intents.waits
    alike = _alike(history, waits, wait)
    return int(waits.begin[alike & (waits.parity != intents.due)].min())


def _first_wait(history: History, waits: Waits, wait: int) -> int:
    return int(waits.begin[_alike(history, waits, wait)].min())


def _alike(history: History, waits: Waits, wait: int) -> NDArray[np.bool_]:
    """The agent's waits on barriers of this kind and ring name."""
    structure = history.structure
    names = {ring.name: row for row, ring in enumerate(structure.rings)}
    ring = np.array([names[ring.name] for ring in structure.rings] + [-1])[structure.ring_of]
    kinds = np.array(structure.kinds)
    row = int(waits.barrier[wait])
    alike: NDArray[np.bool_] = waits.agent == waits.agent[wait]
    alike &= (kinds[waits.barrier] == kinds[row]) & (ring[waits.barrier] == ring[row])
    return alike


def _more(number: int) -> str:
    return trn("The same happens {n} more time.", "The same happens {n} more times.", number) if number else ""
