"""What sentences claim of bytes, copies, reads and turns, counted again."""

from __future__ import annotations

import re

from claims import Said, says

from visualizer.recording.schema import EventKind as K


def _place(s: Said, step: int) -> tuple[int, int]:
    """Stage and tile of an event."""
    return s.recount.events[step]["stage"], s.recount.events[step]["tile"]


def _is_at(s: Said, step: int, agent: str, *kinds: K, tile: str = "") -> bool:
    """Whether the event is the agent's, of one of these kinds, and on the tile that the field names."""
    event = s.recount.events[step]
    told = s.number(tile) if tile else -1
    return event["kind"] in kinds and s.recount.agents[event["agent"]] == agent and (told < 0 or told == event["tile"])


def _stage(s: Said) -> int:
    return s.number("stage")


@says("bytes came to {barrier} that nobody ever expected: its arrivals carry")
def unexpected(s: Said) -> bool:
    """In the phases that these bytes came in no arrival expects any."""
    barrier = s.text("barrier")
    return s.recount.now(barrier).landed == s.number("delivered") and not s.recount.now(barrier).expects


@says("The copies bring {delivered} bytes to phase #{phase}")
def too_few_expected(s: Said) -> bool:
    barrier = s.text("barrier")
    now, tx = s.recount.now(barrier), s.recount.tx(barrier)
    told = (s.number("delivered"), s.number("expected"), s.number("tx"), s.number("phase"))
    return told == (now.landed, now.bytes_expected, tx, s.recount.number(barrier))


@says("but the copy{of_tile} was never issued to it")
def never_issued(s: Said) -> bool:
    barrier = s.text("barrier")
    now = s.recount.now(barrier)
    since = min(now.expects)
    issued = [issue for issue in s.recount.issued if issue[2] == barrier and issue[0] > since]
    right = now.bytes_expected == s.number("expected") and s.recount.number(barrier) == s.number("phase")
    return right and not issued and not s.recount.in_flight[barrier]


@says("and none is in flight: {tx} bytes will never come")
def never_come(s: Said) -> bool:
    barrier = s.text("barrier")
    now, tx = s.recount.now(barrier), s.recount.tx(barrier)
    told = (s.number("delivered"), s.number("expected"), s.number("tx"), s.number("phase"))
    none = not s.recount.in_flight[barrier]
    return none and told == (now.landed, now.bytes_expected, tx, s.recount.number(barrier))


@says("into the stage of {barrier}, but they complete on {other}")
def other_barrier(s: Said) -> bool:
    _, agent, barrier, stage, amount, _ = next(i for i in s.recount.issued if i[0] == s.finding.first_divergence)
    told = (s.text("agent"), s.text("other"), s.number("bytes"))
    return told == (agent, barrier, amount) and s.recount.table(s.text("barrier"))[2] == stage


@says("; {bytes} bytes that nobody expected came to {barrier}")
def astray(s: Said) -> bool:
    return s.recount.tx(s.text("barrier")) == -s.number("bytes")


@says("The kernel's own check found")
def own_check(s: Said) -> bool:
    return s.recount.trace.meta.check["errors"] == s.number("n")


@says("which completed without them: nobody expected them")
def completed_without(s: Said) -> bool:
    step, barrier = s.finding.step or 0, s.text("barrier")
    _, agent, on, _, amount, _ = next(issue for issue in s.recount.issued if issue[0] == step)
    told = (s.text("agent"), s.text("barrier"), s.number("bytes"))
    open_then = s.recount.number_at(barrier, step) == s.number("phase") < s.number("spoiled")
    return told == (agent, on, amount) and open_then and s.recount.number(barrier) >= s.number("spoiled")


@says("{bytes} bytes were expected and never delivered")
def never_delivered(s: Said) -> bool:
    barrier = s.text("barrier")
    return (s.recount.tx(barrier), s.recount.number(barrier)) == (s.number("bytes"), s.number("phase"))


@says("{bytes} bytes came that nobody had expected, so an earlier")
def came_too_many(s: Said) -> bool:
    barrier = s.text("barrier")
    return (s.recount.tx(barrier), s.recount.number(barrier)) == (-s.number("bytes"), s.number("phase"))


@says("which nobody has armed yet")
def not_armed(s: Said) -> bool:
    barrier = s.text("barrier")
    here = (s.recount.tx(barrier), s.recount.number(barrier)) == (-s.number("bytes"), s.number("phase"))
    return here and not s.names("agents") & set(s.recount.exited)


@says("bytes of tile {tile} on {barrier}{site}, but {issued} are copied there")
def of_tile_too_few(s: Said) -> bool:
    barrier, tile = s.text("barrier"), s.number("tile")
    steps = s.recount.of_kind(K.ARRIVE_EXPECT_TX, K.EXPECT_TX, barrier=barrier, tile=tile)
    expected = sum(s.recount.events[step]["amount"] for step in steps)
    issued = sum(issue[4] for issue in s.recount.issued if issue[2] == barrier and issue[5] == tile)
    return (expected, issued) == (s.number("expected"), s.number("issued"))


@says("Nobody waits for phase #{phase} of {barrier}")
def nobody_waits(s: Said) -> bool:
    """Each wait on the barrier began, and was let go, by a phase before."""
    barrier, phase = s.text("barrier"), s.number("phase")
    return all(wait[4] <= phase for wait in s.recount.waits if wait[1] == barrier)


@says("They did not collide in this run")
def did_not_collide(s: Said) -> bool:
    """What came first was over, or there, before the other began."""
    return s.finding.severity == "warning" and (s.finding.first_divergence or 0) < (s.finding.step or 0)


@says("There is {n} such pair")
def pairs(s: Said) -> bool:
    """No more than there are accesses of the one and the other to pair."""
    first, second = s.recount.events[s.finding.step or 0], s.recount.events[s.finding.first_divergence or 0]
    own = [
        sum(e["agent"] == one["agent"] and e["kind"] == one["kind"] for e in s.recount.events)
        for one in (first, second)
    ]
    return 1 < s.number("n") <= own[0] * own[1]


def _never_waits_on_empty(s: Said) -> bool:
    empties = [name for name in s.recount.barriers if s.recount.table(name)[0] == "empty"]
    ring = s.recount.trace.rings[s.recount.events[s.finding.step or 0]["ring"]]
    own = [name for name in empties if s.recount.table(name)[3] == ring]
    return not any(wait[0] == s.text("agent") and wait[1] in own for wait in s.recount.waits)


@says("{opening}: {agent} never waits on an empty barrier (producer_acquire is missing).")
def no_acquire(s: Said) -> bool:
    return _never_waits_on_empty(s)


@says(": {agent} never waits on an empty barrier (producer_acquire is missing)")
def no_acquire_either(s: Said) -> bool:
    return _never_waits_on_empty(s)


@says("never releases this stage")
def never_releases(s: Said) -> bool:
    stage, _ = _place(s, s.finding.step or 0)
    names = [n for n in s.recount.barriers if s.recount.table(n)[0] == "empty" and s.recount.table(n)[2] == stage]
    ring = s.recount.trace.rings[s.recount.events[s.finding.step or 0]["ring"]]
    own = [name for name in names if s.recount.table(name)[3] == ring]
    return not any(s.recount.of_kind(K.ARRIVE, agent=s.text("agent"), barrier=name) for name in own)


@says("before it began to read it")
def before_reading(s: Said) -> bool:
    release, tile = s.number("step"), s.recount.events[s.finding.first_divergence or 0]["tile"]
    begins = s.recount.of_kind(K.READ_BEGIN, agent=s.text("agent"), tile=tile)
    return _is_at(s, release, s.text("agent"), K.ARRIVE) and all(release < begin for begin in begins)


@says("but its asynchronous reader is done only at step {end}")
def done_only(s: Said) -> bool:
    release, end = s.number("step"), s.number("end")
    both = _is_at(s, release, s.text("agent"), K.ARRIVE) and _is_at(s, end, s.text("agent"), K.READ_END)
    begins = s.recount.of_kind(K.READ_BEGIN, agent=s.text("agent"))
    return both and any(begin < release for begin in begins) and release < end


@says("but its asynchronous reader goes on to the end")
def never_done(s: Said) -> bool:
    tile = s.recount.events[s.finding.first_divergence or 0]["tile"]
    ends = s.recount.of_kind(K.READ_END, agent=s.text("agent"), tile=tile)
    return _is_at(s, s.number("step"), s.text("agent"), K.ARRIVE) and not ends


@says("while its asynchronous read of{other_tile} (begun at step {step})")
def own_read(s: Said) -> bool:
    return _is_at(s, s.number("step"), s.text("writer"), K.READ_BEGIN, tile="other_tile")


@says("without having waited for {writer}, which writes it at step {step}")
def not_waited_for_writer(s: Said) -> bool:
    return _is_at(s, s.number("step"), s.text("writer"), K.WRITE)


@says("(issued at step {step}) to land")
def not_landed(s: Said) -> bool:
    issue, read = s.recount.events[s.number("step")], s.finding.step or 0
    here = issue["kind"] == K.COPY_ISSUE and issue["stage"] == _stage(s)
    return here and _is_at(s, read, s.text("agent"), K.READ_BEGIN, K.MMA_ISSUE, tile="tile")


@says("whose copy (issued at step {step}) it does not know")
def not_known(s: Said) -> bool:
    before, over = s.recount.events[s.number("step")], s.finding.step or 0
    here = before["kind"] == K.COPY_ISSUE and (before["stage"], before["tile"]) == (_stage(s), s.number("other_tile"))
    return here and _is_at(s, over, s.text("writer"), K.COPY_ISSUE, tile="tile")


@says("which has held{other_tile} since step {step}")
def has_held(s: Said) -> bool:
    return _place(s, s.number("step")) == (_stage(s), s.number("other_tile")) != _place(s, s.finding.step or 0)


@says("with no fence.proxy.async in between")
def no_fence(s: Said) -> bool:
    step, read = s.number("step"), s.number("read")
    fences = s.recount.of_kind(K.PROXY_FENCE, agent=s.text("writer"))
    both = _is_at(s, step, s.text("writer"), K.WRITE) and _is_at(s, read, s.text("reader"), K.READ_BEGIN)
    return both and not any(step < fence < read for fence in fences)


def _turns(s: Said) -> int:
    """Tiles, and stages behind the last one, that the agents of the role do."""
    role = {a.name: a.role for a in s.recount.trace.agents}
    alike = [name for name in role if role[name] == role[s.text("agent")]]
    if s.recount.program is not None:
        lists = [a.operations for a in s.recount.program.agents if a.agent.name in alike]
        tiles = sum(len({o.tile for o in own if getattr(o, "tile", -1) >= 0}) for own in lists)  # type: ignore[union-attr]
    else:
        events = [e for e in s.recount.events if s.recount.agents[e["agent"]] in alike and e["tile"] >= 0]
        tiles = len({(e["agent"], e["tile"]) for e in events})
    waits = sum(wait[0] in alike for wait in s.recount.waits)
    return max(tiles, waits)


@says("leaves out {due}{site}{at_tile}; {n} other turn has it")
def missing(s: Said) -> bool:
    return 0 < s.number("n") <= _turns(s)


@says("which {n} other turn does not have there")
def extra(s: Said) -> bool:
    return 0 < s.number("n") <= _turns(s)


@says("in this order{at_tile}; {n} other turn has {due}")
def order(s: Said) -> bool:
    return 0 < s.number("n") <= _turns(s) and sorted(s.text("done").split(", ")) != s.text("due").split(", ")


@says("{agent} does {done}{site}{at_tile} where {n} other turn has {due}")
def other(s: Said) -> bool:
    return 0 < s.number("n") <= _turns(s) and s.text("done") != s.text("due")


@says("from the one before it goes on to tile {next}")
def skipped(s: Said) -> bool:
    tile, following = s.number("tile"), s.number("next")
    own = [e["tile"] for e in s.recount.events if s.recount.agents[e["agent"]] == s.text("agent") and e["tile"] >= 0]
    return tile not in own and following in own


@says("reads stage {stage} as tile {tile}{site} in its use {use}")
def wrong_tile(s: Said) -> bool:
    """The agent's so many-th wait for the stage is the last before the read, and the fill of that use is another's."""
    step, agent, use = s.finding.step or 0, s.text("agent"), s.number("use")
    full = s.finding.barrier or ""
    waits = [wait for wait in s.recount.waits if wait[:2] == (agent, full) and wait[3] < step]
    fills = sorted({(i[5], i[0]) for i in s.recount.issued if i[2] == full}, key=lambda fill: fill[1])
    tiles = list(dict.fromkeys(tile for tile, _ in fills))
    read = _is_at(s, step, agent, K.READ_BEGIN, tile="tile") and s.number("other") in tiles
    before = re.search(r"after both had tile (\d+)", s.text("so_far"))
    return read and len(waits) == use and (before is None or int(before[1]) in {i[5] for i in s.recount.issued})
