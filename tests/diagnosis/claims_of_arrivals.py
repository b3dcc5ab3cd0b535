"""What sentences claim of waits, arrivals and phases, counted again."""

from __future__ import annotations

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


@says("who was to bring the others is not known")
def others_unknown(s: Said) -> bool:
    barrier = s.text("barrier")
    here = s.recount.now(barrier).arrived == s.number("arrived") and s.recount.init[barrier] == s.number("needed")
    return here and s.recount.number(barrier) == s.number("phase")


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


@says("how many it takes is not known")
def uncounted(s: Said) -> bool:
    barrier = s.text("barrier")
    return barrier not in s.recount.init and s.recount.now(barrier).arrived == s.number("n")


@says("makes {n} arrival in phase #{phase}, which takes {needed}")
def too_many(s: Said) -> bool:
    barrier = s.text("barrier")
    phase = s.recount.phases[barrier][s.number("phase")]
    came = sum(count for _, count, step in phase.arrivals if step <= (s.finding.step or 0))
    return came == s.number("n") > s.number("needed") == s.recount.init[barrier]


@says("when its stage had been filled only {times}")
def freed_too_often(s: Said) -> bool:
    barrier, step = s.text("barrier"), s.finding.step or 0
    filled = s.recount.number_at(s.recount.partner(barrier), step)
    right = s.recount.phases[barrier][s.number("phase")].completed == step
    return right and filled == s.number("times") and s.recount.init[barrier] == s.number("arrivals")


@says("; {total} arrivals come for tile {tile} ({each})")
def of_tile(s: Said) -> bool:
    barrier = s.finding.barrier or ""
    each = {name: int(count) for name, count in re.findall(r"(\S+) (\d+)", s.text("each"))}
    for agent, count in each.items():
        steps = s.recount.of_kind(K.ARRIVE, K.ARRIVE_DROP, agent=agent, barrier=barrier, tile=s.number("tile"))
        if sum(s.recount.events[step]["amount"] for step in steps) != count:
            return False
    return sum(each.values()) == s.number("total")


@says("is to arrive less often than {most} times in one use")
def two_ways(s: Said) -> bool:
    each = re.search(r"for tile \d+ \(([^)]*)\)", s.finding.cause)
    assert each is not None
    counts = dict(re.findall(r"(\S+) (\d+)", each[1]))
    total = sum(map(int, counts.values()))
    return counts[s.text("agent")] == s.text("most") and (total, s.finding.expected) == (s.number("total"), s.number("needed"))


@says("but every agent of CTA {cta} has exited")
def gone_cta(s: Said) -> bool:
    cta = s.number("cta")
    warps = [a.name for a in s.recount.trace.agents if a.cta == cta and a.role not in ("copy_engine", "tensor_core")]
    return all(s.recount.exited[name] < (s.finding.step or 0) for name in warps)


@says("{agent} would {operation} in phase #{phase}")
def over_arrival(s: Said) -> bool:
    barrier = s.text("barrier")
    told = re.search(r"only (\d+) of (\d+) arrivals are pending", s.text("operation"))
    here = s.recount.number(barrier) == s.number("phase")
    if told is None:
        return here
    pending = s.recount.init[barrier] - s.recount.now(barrier).arrived
    return here and (pending, s.recount.init[barrier]) == (int(told[1]), int(told[2]))


@says("before it has waited for the release of the stage")
def early_arrival(s: Said) -> bool:
    """It has waited less often than it has filled the stage, or was let go when fewer phases had completed."""
    agent, barrier, step = s.text("agent"), s.text("barrier"), s.finding.step or 0
    waits = [w for w in s.recount.waits if w[:2] == (agent, s.recount.partner(barrier)) and w[3] < step]
    filled = [at for at in s.recount.of_kind(K.ARRIVE, K.ARRIVE_EXPECT_TX, agent=agent, barrier=barrier) if at < step]
    let_go = s.recount.number_at(s.recount.partner(barrier), step)
    return min(len(waits) - 1, let_go) < len(filled) and s.recount.number_at(barrier, step) == s.number("phase")


@says("whether others were to arrive only the program tells")
def perhaps_too_large(s: Said) -> bool:
    now = s.recount.now(s.text("barrier"))
    return now.arrived == s.number("n") and now.who == s.names("agents") and s.recount.program is None


@says("but only {n} comes ({agents}) and nobody else can{why}")
def nobody_else(s: Said) -> bool:
    """With the program: no operation of anybody else is on the barrier but in a phase that is not reached."""
    barrier = s.text("barrier")
    now = s.recount.now(barrier)
    right = now.arrived == s.number("n") and now.who == s.names("agents") and s.recount.number(barrier) == 0
    if s.recount.program is None:
        return right
    row = s.recount.barriers.index(barrier)
    others = [
        agent.agent.name
        for agent in s.recount.program.agents
        if any(isinstance(o, Arrive) and o.barrier == row for o in agent.operations)
    ]
    return right and set(others) <= now.who | set(s.recount.exited)


@says(": the release reaches only the own CTA")
def own_cta(s: Said) -> bool:
    cta = {a.name: a.cta for a in s.recount.trace.agents}
    barrier = s.finding.barrier or ""
    return all(cta[agent] == s.recount.table(barrier)[1] for agent in s.recount.now(barrier).who)


@says("but each use of its stage brings only {n}")
def each_use(s: Said) -> bool:
    """Counted by tile."""
    barrier = s.text("barrier")
    by_tile: dict[int, int] = {}
    for phase in s.recount.phases[barrier]:
        for _, count, step in phase.arrivals:
            tile = s.recount.events[step]["tile"]
            by_tile[tile] = by_tile.get(tile, 0) + count
    last = max(by_tile)
    return {count for tile, count in by_tile.items() if tile != last} <= {s.number("n")} and by_tile[last] <= s.number("n")


@says("The run ended with {arrived} of {needed} arrivals in phase #{phase} of {barrier}: one agent")
def left_over(s: Said) -> bool:
    barrier = s.text("barrier")
    now = (s.recount.now(barrier).arrived, s.recount.init[barrier], s.recount.number(barrier))
    return now == (s.number("arrived"), s.number("needed"), s.number("phase"))


@says("which is initialised for {needed} where its like are for {usual}")
def odd_init(s: Said) -> bool:
    like = {s.recount.init[name] for name in s.recount.like(s.text("barrier")) if name != s.text("barrier")}
    return like == {s.number("usual")} and s.recount.init[s.text("barrier")] == s.number("needed")


@says("did expect_tx on {barrier} and never arrived")
def never_arrived(s: Said) -> bool:
    agent, barrier = s.text("agent"), s.text("barrier")
    now = s.recount.now(barrier)
    pending = s.recount.init[barrier] - now.arrived
    return agent not in now.who and (s.recount.tx(barrier), pending) == (s.number("tx"), s.number("pending"))


@says("without .noinc, cp.async.mbarrier.arrive")
def without_noinc(s: Said) -> bool:
    return bool(s.recount.of_kind(K.CP_ASYNC_ARRIVE, barrier=s.text("barrier")))


@says("No event ever on {barriers}")
def no_event(s: Said) -> bool:
    names = s.recount.like(s.finding.barrier or "")
    kinds = (K.ARRIVE, K.ARRIVE_DROP, K.ARRIVE_EXPECT_TX, K.PHASE_COMPLETE, K.COMPLETE_TX)
    return not any(s.recount.of_kind(*kinds, barrier=name) for name in names)


@says("has no arrival on {barriers} at all")
def no_arrival(s: Said) -> bool:
    names = s.recount.like(s.text("barrier"))
    arrivals = [s.recount.of_kind(K.ARRIVE, K.ARRIVE_DROP, agent=s.text("agent"), barrier=name) for name in names]
    return not any(arrivals) and s.recount.init[s.text("barrier")] == s.number("n")


@says("all that there are, and needs one more")
def holds_all(s: Said) -> bool:
    held = set(map(int, re.findall(r"\d+", s.text("stages"))))
    stages = {s.recount.table(name)[2] for name in s.recount.like(s.finding.barrier or "")}
    return held == stages and len(stages) == s.number("count")


@says("and never arrived on {barrier}: one release is missing")
def no_release(s: Said) -> bool:
    read = s.recount.of_kind(K.READ_END, agent=s.text("agent"))
    last = [step for step in read if s.recount.events[step]["stage"] in (s.number("stage"), -1)][-1]
    later = s.recount.of_kind(K.ARRIVE, K.ARRIVE_DROP, agent=s.text("agent"), barrier=s.text("barrier"))
    return not any(step > last for step in later)


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
    return any(b <= a for a, b in zip(counts, counts[1:], strict=False))


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


@says("leaves out use {use} of this stage")
def left_out(s: Said) -> bool:
    """It has waited for the stage less often than the barrier's phases by then, and waits for it later."""
    full = s.recount.partner(s.text("barrier"))
    own = [wait for wait in s.recount.waits if wait[:2] == (s.text("agent"), full)]
    return len(own) < len([wait for wait in s.recount.waits if wait[1] == full]) or len(own) > 0


@says("makes {arrivals} of {n} arrival on {barrier} for its use {use}")
def too_few(s: Said) -> bool:
    """In all its uses together so many are missing."""
    agent, barrier = s.text("agent"), s.text("barrier")
    came = [step for step in s.recount.of_kind(K.ARRIVE, K.ARRIVE_EXPECT_TX, agent=agent, barrier=barrier)]
    counts = [1 if s.recount.events[at]["kind"] == K.ARRIVE_EXPECT_TX else s.recount.events[at]["amount"] for at in came]
    uses = len([wait for wait in s.recount.waits if wait[:2] == (agent, s.recount.partner(barrier))])
    return sum(counts) < uses * s.number("n") and s.number("arrivals") < s.number("n")


@says("{agent} arrives {arrivals} times on {barrier} for its use {use}")
def surplus(s: Said) -> bool:
    agent, barrier, step = s.text("agent"), s.text("barrier"), s.finding.step or 0
    steps = [at for at in s.recount.of_kind(K.ARRIVE, K.ARRIVE_EXPECT_TX, agent=agent, barrier=barrier) if at <= step]
    count = sum(
        1 if s.recount.events[at]["kind"] == K.ARRIVE_EXPECT_TX else s.recount.events[at]["amount"] for at in steps
    )
    uses = len([w for w in s.recount.waits if w[:2] == (agent, s.recount.partner(barrier)) and w[3] < step])
    return count > uses * s.number("n") and s.number("arrivals") > s.number("n")


@says("where it owes an arrival on {due}")
def elsewhere(s: Said) -> bool:
    step = s.finding.first_divergence or 0
    event = s.recount.events[step]
    there = s.recount.barriers[event["barrier"]] == s.text("barrier") != s.text("due")
    return there and s.recount.agents[event["agent"]] == s.text("agent")
