"""What each fault does to a program. Names and stories are in faults.py; every function here is one mistake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from visualizer.programs.accesses import Read, ReadAsync, RetireReads, WaitStores
from visualizer.programs.meetings import Sync
from visualizer.programs.mutations import (
    Change,
    barrier_row,
    consumers,
    each,
    each_of,
    everyone,
    is_on,
    is_release,
    producers,
    second_consumer,
    stages_of,
    tile_of,
    with_count,
    with_operations,
    with_parity,
    with_start_phase,
    without,
)
from visualizer.programs.operations import (
    Advance,
    Arrive,
    ArriveExpectTx,
    Copy,
    CpAsyncArrive,
    Exit,
    ExpectTx,
    Init,
    Operation,
    Wait,
)
from visualizer.programs.program import Program, ProgramAgent
from visualizer.semantics.pipeline_state import PipelineState


def one_more_arrival_expected(program: Program) -> Program:
    return with_count(program, "empty", lambda count: count + 1)


def one_consumer_expected(program: Program) -> Program:
    arrivals = _arrivals_of_a_release(program)
    return with_count(program, "empty", lambda count: arrivals)


def threads_expected(program: Program) -> Program:
    return with_count(program, "full", lambda count: 32)


def producer_starts_in_0(program: Program) -> Program:
    return with_start_phase(program, producers(program), 0)


def consumer_starts_in_1(program: Program) -> Program:
    return with_start_phase(program, consumers(program), 1)


def parity_never_flips(program: Program) -> Program:
    return with_parity(program, lambda wait, start: start.phase)


def parity_flips_every_tile(program: Program) -> Program:
    return with_parity(program, lambda wait, start: start.phase ^ (wait.tile & 1))


def only_the_first_releases(program: Program) -> Program:
    silent = without(program, consumers(program)[1:], lambda op: is_release(program, op))
    return one_consumer_expected(silent)


def expect_twice_the_bytes(program: Program) -> Program:
    return each_of(program, producers(program), ArriveExpectTx, lambda op: [replace(op, bytes=2 * op.bytes)])


def expect_half_the_bytes(program: Program) -> Program:
    """One completion for each copy, as the smallest copies have: steps could meet the expected bytes by chance."""
    whole = each_of(program, producers(program), Copy, lambda op: [replace(op, pieces=(op.bytes,))])
    return each_of(whole, producers(program), ArriveExpectTx, _half_expected)


def expect_without_arrive(program: Program) -> Program:
    return each_of(
        program, producers(program), ArriveExpectTx, lambda op: [ExpectTx(op.barrier, op.bytes, op.tile, op.site)]
    )


def arrive_without_expect(program: Program) -> Program:
    return each_of(program, producers(program), ArriveExpectTx, lambda op: [Arrive(op.barrier, 1, op.tile, op.site)])


def tile_2_not_copied(program: Program) -> Program:
    return without(program, producers(program), lambda op: isinstance(op, Copy) and op.tile == 2)


def tile_1_not_released(program: Program) -> Program:
    return without(program, consumers(program)[:1], lambda op: is_release(program, op) and tile_of(op) == 1)


def second_never_releases(program: Program) -> Program:
    return without(program, second_consumer(program), lambda op: is_release(program, op))


def released_before_retired(program: Program) -> Program:
    """Each wgmma's stage is released right after the wgmma is issued, and only then is the wgmma waited for."""

    def change(op: Operation) -> Iterable[Operation]:
        if is_release(program, op) or isinstance(op, RetireReads):
            return
        yield op
        if isinstance(op, ReadAsync):
            yield Arrive(barrier_row(program, 0, "empty", op.stage), 1, op.tile, op.site)
            yield RetireReads(0, op.site)

    return each(program, consumers(program), change)


def releases_lag_by_all_stages(program: Program) -> Program:
    return releases_lag(program, stages_of(program))


def releases_lag(program: Program, tiles: int) -> Program:
    """Each stage is released only when the tile `tiles` later has been read; the last ones before leaving."""

    def changing(agent: ProgramAgent) -> Change:
        held: defaultdict[str, list[Operation]] = defaultdict(list)  # by ring

        def change(op: Operation) -> Iterable[Operation]:
            if isinstance(op, Arrive) and is_release(program, op):
                of_ring = held[program.barriers[op.barrier].ring]
                of_ring.append(op)
                if len(of_ring) > tiles:
                    yield of_ring.pop(0)
                return
            if isinstance(op, Exit):
                for of_ring in held.values():
                    yield from of_ring
            yield op

        return change

    return with_operations(program, consumers(program), changing)


def producer_has_no_tiles(program: Program) -> Program:
    """The producer goes straight to its tail, with its cursor where it started."""

    def changing(agent: ProgramAgent) -> Change:
        cursor = agent.agent.start or PipelineState(stages_of(program))

        def change(op: Operation) -> Iterable[Operation]:
            nonlocal cursor
            if tile_of(op) >= 0:
                return
            if isinstance(op, Wait):
                op = replace(
                    op, barrier=barrier_row(program, agent.agent.cta, "empty", cursor.index), parity=cursor.phase
                )
            elif isinstance(op, Advance):
                cursor = cursor.increment()
                op = replace(op, state=cursor)
            yield op

        return change

    idle = with_operations(program, producers(program), changing)
    return without(idle, consumers(program), lambda op: tile_of(op) > 0)


def no_acquire(program: Program) -> Program:
    return without(program, producers(program), lambda op: isinstance(op, Wait) and op.tile >= 0)


def no_consumer_wait(program: Program) -> Program:
    return without(program, consumers(program), lambda op: isinstance(op, Wait) and is_on(program, op, "full"))


def released_in_own_cta_only(program: Program) -> Program:
    def changing(agent: ProgramAgent) -> Change:
        def change(op: Operation) -> Iterable[Operation]:
            if not (isinstance(op, Arrive) and program.barriers[op.barrier].cta != agent.agent.cta):
                yield op

        return change

    return with_operations(program, consumers(program), changing)


def peer_expects_its_own_half(program: Program) -> Program:
    peers = [agent.agent.name for agent in program.agents if agent.agent.cta == 1]
    return each_of(program, peers, ArriveExpectTx, _half_expected)


def no_tail(program: Program) -> Program:
    return without(program, producers(program), lambda op: isinstance(op, Wait) and op.tile < 0)


def two_leaders(program: Program) -> Program:
    return each_of(program, producers(program), ArriveExpectTx, lambda op: [op, op])


def first_releases_twice(program: Program) -> Program:
    return each(program, consumers(program)[:1], lambda op: [op, op] if is_release(program, op) else [op])


def cursor_restarts_every_work_tile(program: Program) -> Program:
    """The consumers make a new PipelineState for each work tile, while the producer's goes on."""
    tiles, stages = int(program.config["tiles"]), stages_of(program)

    def change(op: Operation) -> Iterable[Operation]:
        if tile_of(op) < 0:
            yield op
            return
        cursor = PipelineState(stages).advance(tile_of(op) % tiles)
        if isinstance(op, Wait):
            yield replace(op, barrier=barrier_row(program, 0, "full", cursor.index), parity=cursor.phase)
        elif isinstance(op, Arrive):
            yield replace(op, barrier=barrier_row(program, 0, "empty", cursor.index))
        elif isinstance(op, Read):
            yield replace(op, stage=cursor.index)
        else:
            yield op

    return each(program, consumers(program), change)


def barrier_initialised_again(program: Program) -> Program:
    """The producer inits full[0] once more when it comes round to stage 0."""

    def change(op: Operation) -> Iterable[Operation]:
        if isinstance(op, Wait) and op.tile == stages_of(program):
            row = barrier_row(program, program.barriers[op.barrier].cta, "full", 0)
            yield Init(row, program.barriers[row].init_count, op.site)
        yield op

    return each(program, producers(program), change)


def not_published(program: Program) -> Program:
    return without(program, everyone(program), lambda op: isinstance(op, Sync))


def second_half_on_stage_0(program: Program) -> Program:
    """The second copy of every tile completes on full[0], whichever stage the tile is in."""

    def changing(agent: ProgramAgent) -> Change:
        seen: set[int] = set()

        def change(op: Operation) -> Iterable[Operation]:
            if isinstance(op, Copy):
                if op.tile in seen:
                    op = replace(op, barrier=barrier_row(program, agent.agent.cta, "full", 0))
                seen.add(op.tile)
            yield op

        return change

    return with_operations(program, producers(program), changing)


def second_leaves_after_tile_2(program: Program) -> Program:
    return without(program, second_consumer(program), lambda op: tile_of(op) > 2)


def nobody_has_the_turn(program: Program) -> Program:
    """The first consumer's turn waits have the parity of the others': it too waits to be given the turn."""
    return each_of(
        program,
        consumers(program)[:1],
        Wait,
        lambda op: [replace(op, parity=op.parity ^ 1) if is_on(program, op, "other") else op],
    )


def released_before_stored(program: Program) -> Program:
    """The stores are waited for only at the end."""

    def change(op: Operation) -> Iterable[Operation]:
        if isinstance(op, Exit):
            yield WaitStores(site=op.site)
        if not isinstance(op, WaitStores):
            yield op

    return each(program, consumers(program), change)


def without_noinc(program: Program) -> Program:
    return each_of(program, producers(program), CpAsyncArrive, lambda op: [replace(op, no_inc=False)])


def _half_expected(op: ArriveExpectTx) -> Iterable[Operation]:
    return [replace(op, bytes=op.bytes // 2)]


def _arrivals_of_a_release(program: Program) -> int:
    first = next(agent for agent in program.agents if agent.agent.role == "consumer")
    return next(op.count for op in first.operations if isinstance(op, Arrive) and is_release(program, op))
