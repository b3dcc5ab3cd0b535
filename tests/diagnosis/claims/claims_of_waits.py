"""What sentences claim of waits, parities, syncs and who has left, counted again."""

from __future__ import annotations

import itertools
import re

from claims import Said, says

from visualizer.programs.meetings import BarArrive, BarSync, Sync
from visualizer.programs.operations import Arrive, Wait
from visualizer.recording.schema import EventKind as K


def _blocked(s: Said, agent: str, barrier: str) -> bool:
    return agent in s.recount.open_waits and s.recount.open_waits[agent][0] == barrier


def _nth(s: Said, agent: str, barrier: str, use: int) -> tuple[int, int, int]:
    """Parity and begin of the agent's n-th wait on the barrier, from 1, and how often that had completed by then."""
    own = [wait[2:] for wait in s.recount.waits if wait[:2] == (agent, barrier)]
    return own[use - 1]


def _syncs(s: Said, agent: str) -> int:
    """How often the agent comes to such a sync as the sentence is about: in the program, or else in the recording."""
    place = re.search(r"waits? at (__syncthreads|barrier\.cluster|bar\.sync (\d+))", s.finding.cause)
    assert place is not None
    cluster, number = place[1] == "barrier.cluster", int(place[2] or 0)
    if s.recount.program is None:
        kinds = (K.CLUSTER_WAIT_BEGIN,) if cluster else (K.SYNC_BEGIN, K.SYNC_ARRIVE)
        steps = s.recount.of_kind(*kinds, agent=agent)
        return sum(cluster or s.recount.events[step]["token"] == number for step in steps)
    (own,) = [a.operations for a in s.recount.program.agents if a.agent.name == agent]
    if place[2] is not None:
        return sum(isinstance(o, BarSync | BarArrive) and o.id == number for o in own)
    return sum(isinstance(o, Sync) and o.cluster == cluster for o in own)


@says("it would pass one phase early")
def early(s: Said) -> bool:
    return s.number("now") == s.recount.number(s.text("barrier")) < s.number("wanted")


@says("and so did #{next}{by} before {agent} looked")
def lapped(s: Said) -> bool:
    phases, wanted = s.recount.phases[s.text("barrier")], s.number("wanted")
    done = phases[wanted].completed is not None and phases[wanted + 1].completed is not None
    by = re.search(r"completed by (\S+)", s.text("by"))
    told = by is None or s.recount.agents[s.recount.events[phases[wanted + 1].completed or 0]["agent"]] == by[1]
    return done and told and s.number("next") == wanted + 1 and _blocked(s, s.text("agent"), s.text("barrier"))


@says("A cycle of waits")
def cycle(s: Said) -> bool:
    pairs = re.findall(r"(\S+) for (\S+?)(?:,|$)", s.text("around"))
    return len(pairs) > 1 and all(agent in s.recount.open_waits for pair in pairs for agent in pair)


@says("Nobody that is left will arrive")
def nobody_left(s: Said) -> bool:
    """Whoever has not left is stuck."""
    warps = {a.name for a in s.recount.trace.agents if a.role not in ("copy_engine", "tensor_core")}
    stuck = {*s.recount.open_waits, *s.recount.exited}
    begun = s.recount.of_kind(K.SYNC_BEGIN, K.CLUSTER_WAIT_BEGIN)
    return warps <= stuck | {s.recount.agents[s.recount.events[step]["agent"]] for step in begun}


@says("what {agents} would have done next is not in the recording")
def on_the_way(s: Said) -> bool:
    return s.recount.program is None and not s.names("agents") & {*s.recount.open_waits, *s.recount.exited}


@says("take turns and nobody has the first")
def no_first(s: Said) -> bool:
    waits = [s.recount.open_waits[agent] for agent in s.names("agents")]
    return all(parity == 0 and s.recount.number(barrier) == 0 for barrier, parity, _ in waits)


@says("take turns, by the name of the method that waits")
def no_first_by_the_source(s: Said) -> bool:
    # Of many agents the last are counted only.
    waits = [s.recount.open_waits[agent] for agent in s.names("agents") if not agent.endswith(" more")]
    return len(waits) > 1 and all(
        parity == 0 and s.recount.number(barrier) == 0 and not s.recount.now(barrier).arrived
        for barrier, parity, _ in waits
    )


@says(" having issued nothing")
def issued_nothing(s: Said) -> bool:
    (agent,) = {s.finding.blamed}
    return not any(issue[1] == agent for issue in s.recount.issued)


@says("{agents} exited{having}, and {barrier} still needs")
def exited(s: Said) -> bool:
    barrier = s.text("barrier")
    pending = s.recount.init[barrier] - s.recount.now(barrier).arrived
    return s.names("agents") <= set(s.recount.exited) and pending == s.number("n")


@says("'s use {use} of {barrier} means phase #{wanted} but waits with parity")
def wrong_parity(s: Said) -> bool:
    parity, _, _ = _nth(s, s.text("agent"), s.text("barrier"), s.number("use"))
    return parity == s.number("parity") != s.number("due") == s.number("wanted") & 1


@says("{opening}: the phase bit must flip once per lap")
def once_per_lap(s: Said) -> bool:
    """It flipped within a lap: on the ring's stages one lap's parities differ."""
    barrier, agent = s.finding.barrier or "", s.finding.agent or ""
    like = s.recount.like(barrier)
    own = [wait[2] for wait in s.recount.waits if wait[0] == agent and wait[1] in like]
    return len(set(own[: len(like)])) > 1


@says("'s first wait on {barrier} means phase #{wanted}")
def first_wait(s: Said) -> bool:
    parity, _, _ = _nth(s, s.text("agent"), s.text("barrier"), 1)
    return parity == s.number("parity") != s.number("due") == s.number("wanted") & 1


@says("Its PipelineState starts again")
def starts_again(s: Said) -> bool:
    counts = [s.recount.events[step]["amount"] for step in s.recount.of_kind(K.ADVANCE, agent=s.finding.agent or "")]
    return any(b <= a for a, b in itertools.pairwise(counts))


@says("but the barrier was still in #{met}: one parity bit")
def passed_early(s: Said) -> bool:
    return s.recount.number_at(s.text("barrier"), s.finding.step or 0) == s.number("met") <= s.number("wanted")


@says("it got through by luck of the parity")
def passed_late(s: Said) -> bool:
    return s.number("met") >= s.number("wanted") + 2 and s.recount.number(s.text("barrier")) >= s.number("met")


@says("Nobody ever waits on {barriers}")
def nobody_acquires(s: Said) -> bool:
    empties = {name for name in s.recount.barriers if s.recount.table(name)[0] == "empty"}
    ring = s.recount.table(s.finding.barrier or "")[3]
    return not any(wait[1] in empties and s.recount.table(wait[1])[3] == ring for wait in s.recount.waits)


@says("The barrier goes on without {agent}")
def goes_on(s: Said) -> bool:
    return s.recount.number(s.finding.barrier or "") > (s.finding.phase_wanted or 0) + 1


@says("The same happens {n} more time")
def again(s: Said) -> bool:
    """No more often than the agent waits on such barriers at all."""
    like = s.recount.like(s.finding.barrier or "")
    return 0 < s.number("n") < sum(wait[0] == s.finding.agent and wait[1] in like for wait in s.recount.waits)


@says("Nothing orders {agent}'s first use of {barrier}")
def no_sync(s: Said) -> bool:
    assert s.recount.program is not None
    lists = {agent.agent.name: agent.operations for agent in s.recount.program.agents}
    for name in s.names("lacking"):
        before = lists[name]
        if name != s.text("owner"):
            first = next(n for n, o in enumerate(before) if isinstance(o, Wait | Arrive))
            before = before[:first]
        if any(isinstance(o, Sync | BarSync) for o in before):
            return False
    return True


@says("CTA {cta} does not wait for {agent}'s last arrivals")
def no_tail(s: Said) -> bool:
    assert s.recount.program is not None
    row, cta = s.recount.barriers.index(s.text("barrier")), s.number("cta")
    waits = [
        sum(isinstance(o, Wait) and o.barrier == row for o in agent.operations)
        for agent in s.recount.program.agents
        if agent.agent.cta == cta
    ]
    (own,) = [agent for agent in s.recount.program.agents if agent.agent.name == s.text("agent")]
    # The first wait of a producer is for a stage that nobody has filled.
    return max(waits) - 1 < sum(isinstance(o, Arrive) and o.barrier == row for o in own.operations)


@says("{agents} waits at {sync}")
def at_sync(s: Said) -> bool:
    """None of them waits on an mbarrier, or has left."""
    return not s.names("agents") & {*s.recount.open_waits, *s.recount.exited}


@says("comes to it {times} in all, the others {usual}")
def comes_in_all(s: Said) -> bool:
    return s.recount.program is not None and _syncs(s, s.text("agent")) == s.number("times") != s.number("usual")


@says("came to it {times} in the recording, the others {usual}")
def came(s: Said) -> bool:
    return _syncs(s, s.text("agent")) == s.number("times") != s.number("usual")


@says("comes to it only after that wait")
def after_that_wait(s: Said) -> bool:
    return s.text("agent") in s.recount.open_waits and _syncs(s, s.text("agent")) > 0


@says("Nobody else comes to it: its count of threads")
def nobody_else_comes(s: Said) -> bool:
    agents = re.search(r"(.*) waits? at", s.finding.cause)
    assert agents is not None
    assert s.recount.program is not None
    here = set(re.split(", | and ", agents[1]))
    return not any(_syncs(s, a.agent.name) for a in s.recount.program.agents if a.agent.name not in here)


@says(": {here} of {threads} threads wait there")
def threads_there(s: Said) -> bool:
    agents = re.search(r"(.*) waits? at", s.finding.cause)
    assert agents is not None
    assert s.recount.program is not None
    names = re.split(", | and ", agents[1])
    here = sum(a.threads for a in s.recount.program.agents if a.agent.name in names)
    return here == s.number("here") < s.number("threads")
