"""An agent that does otherwise than in its other turns, as the finding that the others follow from."""

from __future__ import annotations

from dataclasses import replace

from visualizer.diagnosis.report import Advice, Finding
from visualizer.diagnosis.source_lines import line, source_line
from visualizer.diagnosis.turns.acts import Act
from visualizer.diagnosis.turns.habits import Odd
from visualizer.diagnosis.turns.turn_advice import on_stage, planned
from visualizer.diagnosis.wording import commas
from visualizer.language import tr, trn
from visualizer.replay.history import History

IRREGULAR = "IRREGULAR"

_WORDS = {
    "wait_begin": "wait", "copy_issue": "copy", "read_begin": "read", "read_end": "read end",
    "arrive_expect_tx": "arrive.expect_tx", "expect_tx": "expect_tx", "sync_begin": "bar.sync",
    "sync_arrive": "bar.arrive", "cluster_wait_begin": "barrier.cluster", "wgmma_commit": "wgmma.commit_group",
    "wgmma_wait_begin": "wgmma.wait_group", "store_commit": "cp.async.bulk.commit_group",
    "store_wait_begin": "cp.async.bulk.wait_group", "proxy_fence": "fence.proxy.async",
}  # fmt: skip
"""What operations are called where events have another word."""


def irregular_finding(history: History, odd: Odd) -> Finding:
    """What is odd, with the operations and the line; its severity is that of what follows from it."""
    trace = history.trace
    agent = trace.agents[odd.agent].name
    acts = odd.acts if odd.how != "missing" else tuple(as_here(history, odd, act) for act in odd.acts)
    about = acts[0] if acts else odd.turn.acts[0]
    here = about.site if odd.how != "missing" or not odd.turn.acts else odd.acts[0].site
    site = source_line(trace, here)
    return Finding(
        IRREGULAR,
        "error",
        irregular_cause(history, odd),
        agent=agent,
        barrier=trace.barriers[about.barrier].name if about.barrier >= 0 else None,
        stage=about.stage if about.stage >= 0 else None,
        ring=about.ring if about.stage >= 0 and len(history.structure.names) > 1 else None,
        tile=odd.number if odd.turn.tile >= 0 else None,
        first_divergence=divergence(history, odd),
        site=site,
        step=divergence(history, odd),
        blamed=agent,
        advice=advice_of(history, odd),
    )


def divergence(history: History, odd: Odd) -> int:
    """The step at which the difference shows."""
    if odd.how in ("extra", "other", "order") and odd.acts[0].step >= 0:
        return odd.acts[0].step
    if odd.step >= 0:
        return odd.step
    return odd.before if odd.before >= 0 else history.steps - 1


def irregular_cause(history: History, odd: Odd) -> str:
    """The difference in a sentence."""
    trace = history.trace
    usual = tuple(as_here(history, odd, act) for act in odd.usual)
    where = tr(" at tile {tile}", tile=odd.number) if odd.turn.tile >= 0 else tr(" after its last tile")
    facts = {"agent": trace.agents[odd.agent].name, "at_tile": where}
    if odd.how == "skipped":
        return tr(
            "{agent} leaves out tile {tile}: from the one before it goes on to tile {next}{site}, unlike in its other"
            " turns.",
            next=odd.turn.number,
            tile=odd.number,
            site=line(source_line(trace, odd.turn.acts[0].site)),
            **facts,
        )
    done = commas([label(history, act) for act in odd.acts])
    due = commas([label(history, act) for act in usual])
    site = line(source_line(trace, odd.acts[-1 if odd.how == "extra" else 0].site))
    if odd.how == "missing":
        return trn(
            "{agent} leaves out {due}{site}{at_tile}; {n} other turn has it.",
            "{agent} leaves out {due}{site}{at_tile}; {n} other turns have it.",
            odd.times, due=due, site=site, **facts,
        )  # fmt: skip
    if odd.how == "extra":
        return trn(
            "{agent} does {done}{site}{at_tile}, which {n} other turn does not have there.",
            "{agent} does {done}{site}{at_tile}, which {n} other turns do not have there.",
            odd.times, done=done, site=site, **facts,
        )  # fmt: skip
    if odd.how == "order":
        return trn(
            "{agent} does {done}{site} in this order{at_tile}; {n} other turn has {due}.",
            "{agent} does {done}{site} in this order{at_tile}; {n} other turns have {due}.",
            odd.times, done=done, site=site, due=due, **facts,
        )  # fmt: skip
    return trn(
        "{agent} does {done}{site}{at_tile} where {n} other turn has {due}.",
        "{agent} does {done}{site}{at_tile} where {n} other turns have {due}.",
        odd.times, done=done, site=site, due=due, **facts,
    )  # fmt: skip


def advice_of(history: History, odd: Odd) -> Advice | None:
    """The change that makes the turn a usual one."""
    agent = history.trace.agents[odd.agent].name
    usual = tuple(as_here(history, odd, act) for act in odd.usual)
    add = tuple(planned(history, act, odd.turn.tile) for act in usual)
    if odd.how == "skipped":
        return None
    if odd.how == "missing":
        return Advice(agent, (), add, odd.step if odd.step >= 0 else None)
    # What ended the run leaves no event.
    steps = tuple(act.step if act.step >= 0 else history.steps for act in odd.acts)
    return Advice(agent, steps, add, steps[0])


def as_here(history: History, odd: Odd, act: Act) -> Act:
    """An act of the usual turn as it is due in the odd one: of the same agent, on this turn's stage, its parity."""
    trace, structure = history.trace, history.structure
    ahead = odd.number - odd.model.number
    row = -1 if act.ring is None else structure.row(trace.agents[odd.agent].cta, act.ring)
    if act.ring is None or act.stage < 0 or row < 0:
        return replace(act, parity=act.parity ^ (ahead & 1) if act.parity >= 0 else -1)
    ring = structure.rings[row]
    moved = odd.turn.bases[act.ring] - odd.model.bases[act.ring] if act.ring in odd.turn.bases else ahead
    parity = act.parity ^ ((act.stage + ahead) // ring.stages & 1) if act.parity >= 0 else -1
    ctas = trace.agents[odd.agent].cta - trace.agents[odd.model.agent].cta
    return replace(on_stage(history, act, (act.stage + moved) % ring.stages, ctas), parity=parity)


def label(history: History, act: Act) -> str:
    """The operation in a few words: "arrive empty[1]", "wait full[0] (parity 1)"."""
    words = [_WORDS.get(act.kind, act.kind)]
    if act.kind in ("copy_issue", "arrive_expect_tx", "expect_tx", "complete_tx"):
        words.append(f"{act.amount} B")
    if act.barrier >= 0:
        words.append(history.barrier_title(act.barrier))
    elif act.stage >= 0:
        words.append(f"{act.ring}.stage[{act.stage}]" if len(history.structure.names) > 1 else f"stage[{act.stage}]")
    if act.kind in ("arrive", "arrive_drop") and act.amount > 1:
        words.append(f"x {act.amount}")
    if act.kind == "copy_issue" and act.stage >= 0 and _stage_of(history, act.barrier) != act.stage:
        words.append(f"-> stage[{act.stage}]")
    if act.parity >= 0:
        words.append(tr("(parity {parity})", parity=act.parity))
    return " ".join(words)


def _stage_of(history: History, barrier: int) -> int:
    return int(history.structure.stage_of[barrier]) if barrier >= 0 else -1
