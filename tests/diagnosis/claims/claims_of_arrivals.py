"""What sentences claim of arrivals and phases, counted again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from claims import Said, says
from recount import Phase

from visualizer.programs.operations import Arrive
from visualizer.recording.schema import EventKind as K


@says("who was to bring the others is not known")
def others_unknown(s: Said) -> bool:
    barrier = s.text("barrier")
    here = s.recount.now(barrier).arrived == s.number("arrived") and s.recount.init[barrier] == s.number("needed")
    return here and s.recount.number(barrier) == s.number("phase")


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


@says("when its stage had been filled only {times}: it completes")
def freed_too_often(s: Said) -> bool:
    barrier, step = s.text("barrier"), s.finding.step or 0
    filled = s.recount.number_at(s.recount.partner(barrier), step)
    right = s.recount.phases[barrier][s.number("phase")].completed == step
    return right and filled == s.number("times") and s.recount.init[barrier] == s.number("arrivals")


@says("released it before it was filled")
def not_filled(s: Said) -> bool:
    barrier, step = s.text("barrier"), s.finding.step or 0
    filled = s.recount.number_at(s.recount.partner(barrier), step)
    here = s.recount.phases[barrier][s.number("phase")]
    return here.completed == step and here.who == s.names("agents") and filled == s.number("times") <= s.number("phase")


@says("; {n} arrival comes for tile {tile} ({each})")
def of_tile(s: Said) -> bool:
    barrier = s.finding.barrier or ""
    each = {name: int(count) for name, count in re.findall(r"(\S+) (\d+)", s.text("each"))}
    for agent, count in each.items():
        steps = s.recount.of_kind(K.ARRIVE, K.ARRIVE_DROP, agent=agent, barrier=barrier, tile=s.number("tile"))
        if sum(s.recount.events[step]["amount"] for step in steps) != count:
            return False
    return sum(each.values()) == s.number("n")


@says("is to arrive less often than {most} times in one use")
def two_ways(s: Said) -> bool:
    each = re.search(r"for tile \d+ \(([^)]*)\)", s.finding.cause)
    assert each is not None
    counts = dict(re.findall(r"(\S+) (\d+)", each[1]))
    total = sum(map(int, counts.values()))
    return counts[s.text("agent")] == s.text("most") and (total, s.finding.expected) == (
        s.number("total"),
        s.number("needed"),
    )


@says("but every agent of CTA {cta} has exited")
def gone_cta(s: Said) -> bool:
    cta = s.number("cta")
    warps = [a.name for a in s.recount.trace.agents if a.cta == cta and a.role not in ("copy_engine", "tensor_core")]
    return all(s.recount.exited[name] < (s.finding.step or 0) for name in warps)


@says("{agent} would {operation} in phase #{phase}")
def over_arrival(s: Said) -> bool:
    barrier = s.text("barrier")
    told = re.search(r"only (\d+) of (\d+) arrivals are missing", s.text("operation"))
    here = s.recount.number(barrier) == s.number("phase")
    if told is None:
        return here
    missing = s.recount.init[barrier] - s.recount.now(barrier).arrived
    return here and (missing, s.recount.init[barrier]) == (int(told[1]), int(told[2]))


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


@says("everybody in the CTA has left, or waits for this phase")
def nobody_can(s: Said) -> bool:
    barrier = s.text("barrier")
    now, needed = s.recount.now(barrier), s.recount.init[barrier]
    counts = (now.arrived, needed, needed - now.arrived) == (s.number("n"), s.number("needed"), s.number("missing"))
    gone_or_blocked = s.recount.exited.keys() | s.recount.open_waits.keys()
    warps = s.recount.warps(barrier)
    theirs = {wait[1] for wait in s.recount.waits if wait[0] in now.who}
    alike = {wait[0] for wait in s.recount.waits if wait[0] in warps and wait[1] in theirs}
    return counts and _some_of(s.names("agents"), now.who) and warps <= gone_or_blocked and alike == now.who


@says("{others} passed the same waits and brought none")
def left_out_by_some(s: Said) -> bool:
    barrier, others = s.text("barrier"), s.names("others")
    now, needed = s.recount.now(barrier), s.recount.init[barrier]
    counts = (now.arrived, needed, s.recount.number(barrier)) == (
        s.number("arrived"),
        s.number("needed"),
        s.number("phase"),
    )
    each = {sum(count for who, count, _ in now.arrivals if who == agent) for agent in now.who}
    alike = {tuple(wait[1] for wait in s.recount.waits if wait[0] == agent) for agent in now.who | others}
    return (
        counts
        and _some_of(s.names("agents"), now.who)
        and not others & now.who
        and {needed - now.arrived} == {count * len(others) for count in each}
        and len(alike) == 1
    )


def _some_of(names: set[str], who: set[str]) -> bool:
    """Whether a list that may end with "3 more" is of them."""
    return {name for name in names if not name.endswith(" more")} <= who


@says("by the same instruction as many come to {others}")
def as_many_elsewhere(s: Said) -> bool:
    def made(phase: Phase) -> set[tuple[str, int]]:
        return {(agent, s.recount.events[step]["site"]) for agent, _, step in phase.arrivals}

    here = s.recount.now(s.text("barrier"))
    beside = [phase for name in s.names("others") for phase in s.recount.phases[name] if phase.completed is not None]
    right = here.arrived == s.number("total") and here.who == s.names("agents") and len(beside) > 0
    return right and all((phase.arrived, made(phase)) == (here.arrived, made(here)) for phase in beside)


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
    return {count for tile, count in by_tile.items() if tile != last} <= {s.number("n")} and by_tile[last] <= s.number(
        "n"
    )


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
    told = (s.number("arrived"), s.number("needed"))
    return agent not in now.who and (now.arrived, s.recount.init[barrier]) == told


@says("without .noinc, cp.async.mbarrier.arrive")
def without_noinc(s: Said) -> bool:
    return bool(s.recount.of_kind(K.CP_ASYNC_ARRIVE, barrier=s.text("barrier")))


@says("No event ever on {barriers}")
def no_event(s: Said) -> bool:
    names = s.recount.like(s.finding.barrier or "")
    kinds = (K.ARRIVE, K.ARRIVE_DROP, K.ARRIVE_EXPECT_TX, K.PHASE_COMPLETE, K.COMPLETE_TX)
    return not any(s.recount.of_kind(*kinds, barrier=name) for name in names)


@says("alone waits for {barrier}, which takes {needed} arrivals and has had none")
def looks_like_the_producer(s: Said) -> bool:
    agent, barrier = s.text("agent"), s.text("barrier")
    waits = {who: on for who, (on, _, _) in s.recount.open_waits.items()}
    others = {on for who, on in waits.items() if who != agent}
    alone = waits[agent] == barrier and barrier not in others
    none_yet = not s.recount.now(barrier).arrivals and s.recount.number(barrier) == 0
    one = [on for on in others if s.recount.init[on] == 1 and not s.recount.now(on).arrivals]
    return alone and none_yet and bool(one) and s.recount.init[barrier] == s.number("needed")


@says("Nobody has begun: {barrier} has had no arrival")
def nobody_has_begun(s: Said) -> bool:
    cta = s.recount.table(s.text("barrier"))[1]
    waited = {on for on, _, _ in s.recount.open_waits.values() if s.recount.table(on)[1] == cta}
    unused = [on for on in waited if not s.recount.now(on).arrivals and s.recount.number(on) == 0]
    return s.text("barrier") in waited and len(unused) == len(waited) > 1


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


@says("leaves out use {use} of this stage")
def left_out(s: Said) -> bool:
    """It waits for the stage again at, or after, the step that the finding names, and has skipped one of its phases."""
    full = s.recount.partner(s.text("barrier"))
    own = [wait for wait in s.recount.waits if wait[:2] == (s.text("agent"), full)]
    return any(wait[3] >= (s.finding.first_divergence or 0) for wait in own)


@says("nobody has arrived on {barriers} at all, where a phase takes {needed}")
def nobody_releases(s: Said) -> bool:
    """They have passed waits for each stage, and nothing else than the ring's fulls keeps those that have not left."""
    barrier = s.finding.barrier or ""
    fulls, empties = s.recount.like(s.recount.partner(barrier)), s.recount.like(barrier)
    counts = (len(fulls), s.recount.init[barrier]) == (s.number("n"), s.number("needed"))
    passed = {agent: [w[1] for w in s.recount.waits if w[0] == agent] for agent in s.names("agents")}
    for agent, waited in passed.items():
        if agent in s.recount.open_waits:
            waited.remove(s.recount.open_waits[agent][0])
    went_on = [s.recount.open_waits[agent][0] in fulls for agent in passed if agent not in s.recount.exited]
    all_stages = all(set(fulls) <= set(waited) for waited in passed.values())
    arrived = [s.recount.of_kind(K.ARRIVE, K.ARRIVE_DROP, barrier=name) for name in empties]
    said = ("waited for the next lap" in s.text("since"), "exited" in s.text("since"))
    return counts and all_stages and all(went_on) and not any(arrived) and said == (bool(went_on), _left(s, passed))


def _left(s: Said, agents: Iterable[str]) -> bool:
    return not s.recount.exited.keys().isdisjoint(agents)


@says("Each of {agents} makes {arrivals} of {n} arrival on {barrier} for use {use}")
def each_too_few(s: Said) -> bool:
    return all(_too_few(s, agent) for agent in s.names("agents") if not agent.endswith(" more"))


@says("makes {arrivals} of {n} arrival on {barrier} for its use {use}")
def too_few(s: Said) -> bool:
    return _too_few(s, s.text("agent"))


def _too_few(s: Said, agent: str) -> bool:
    """In all its uses together so many are missing."""
    barrier = s.text("barrier")
    came = list(s.recount.of_kind(K.ARRIVE, K.ARRIVE_EXPECT_TX, agent=agent, barrier=barrier))
    counts = [
        1 if s.recount.events[at]["kind"] == K.ARRIVE_EXPECT_TX else s.recount.events[at]["amount"] for at in came
    ]
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
