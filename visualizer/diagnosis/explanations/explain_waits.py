"""Waits in words: why this one must wait or may pass, what released it, and what it was missing when it gave up."""

from __future__ import annotations

from visualizer.diagnosis.arrived import number_of, numbered
from visualizer.diagnosis.explanations.scene import Scene
from visualizer.diagnosis.wording import duration, sentence, sentences
from visualizer.language import mark, tr, trn
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import BarrierState, StageState

_STAGE_WORDS = {
    StageState.EMPTY: mark("empty"),
    StageState.FILLING: mark("being filled"),
    StageState.FULL: mark("full and not yet read"),
    StageState.READING: mark("still being read"),
}
_BEFORE = mark(
    "The recording begins in the middle of the run: whether a phase had completed before it, or the barrier was fresh,"
    " is not known."
)


def wait_begin(scene: Scene) -> str:
    now = scene.after
    who = {"agent": scene.agent.name, "barrier": scene.barrier_name, "parity": scene.parity}
    if scene.operation == "producer_tail":
        opening = tr("{agent}, before it may leave, waits on {barrier} with parity {parity}", **who)
    else:
        opening = tr("{agent} waits on {barrier} with parity {parity}", **who)
    if not now.valid:
        return tr("{opening}; the barrier is not initialised, so what the wait does is undefined.", opening=opening)
    facts = {"opening": opening, "phase": number_of(now), "parity": now.parity}
    if now.parity != scene.parity and now.phase == 0 and now.counting == Counting.BEGINNING:
        passes = tr(
            "{opening}; the barrier is in phase #{phase} (parity {parity}), and a wait lasts only while the barrier's"
            " parity is its operand, so it passes.",
            **facts,
        )
        return sentences(passes, tr(_BEFORE), first_try(scene))
    if now.parity != scene.parity and now.phase == 0:
        passes = tr(
            "{opening}; the barrier is in phase #{phase} (parity {parity}), and a wait lasts only while the barrier's"
            " parity is its operand, so it passes on the fresh barrier.",
            **facts,
        )
        return sentences(passes, first_try(scene))
    if now.parity != scene.parity:
        passes = tr(
            "{opening}; the barrier is in phase #{phase} (parity {parity}), so phase #{completed} has completed and it"
            " passes.",
            completed=numbered(now.phase - 1, now.counting),
            **facts,
        )
        return sentences(passes, first_try(scene))
    waits = tr(
        "{opening}; the barrier is in phase #{phase} (parity {parity}), so it must wait: {so_far}.",
        so_far=_so_far(now),
        **facts,
    )
    return sentences(waits, _outlook(scene))


def wait_end(scene: Scene) -> str:
    release = scene.causality.release_of(scene.step)
    begin = scene.causality.wait_begin(scene.step)
    when = tr("at once")
    if scene.blocked:
        when = tr("after it was blocked")
        if begin is not None:
            when = tr("after {duration}", duration=duration(scene.elapsed(begin)))
    opening = tr(
        "{agent} passes its wait on {barrier} with parity {parity} {when}",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        parity=scene.parity,
        when=when,
    )
    if release is None or release.completion is None or release.phase is None:
        now = scene.after
        facts = {"opening": opening, "phase": number_of(now), "parity": now.parity}
        if now.counting == Counting.BEGINNING and now.phase:
            before = numbered(now.phase - 1, now.counting)
            return tr("{opening}: phase #{phase} completed before the recording begins.", opening=opening, phase=before)
        if now.counting == Counting.BEGINNING:
            passes = tr(
                "{opening}: the barrier is in phase #{phase} (parity {parity}), and a wait lasts only while the"
                " barrier's parity is its operand.",
                **facts,
            )
            return sentences(passes, tr(_BEFORE))
        fresh = tr(
            "{opening}: the barrier is fresh, still in phase #{phase} (parity {parity}), and a wait lasts only while"
            " the barrier's parity is its operand.",
            **facts,
        )
        return sentences(fresh, _lesson_of_fresh_pass(scene))
    made_of = trn("{n} arrival", "{n} arrivals", _arrivals(scene, release.arrivals))
    if release.bytes_landed:
        landed = sum(int(scene.trace.events["amount"][step]) for step in release.bytes_landed)
        made_of = tr("{arrivals} and {bytes} bytes", arrivals=made_of, bytes=landed)
    return tr(
        "{opening}: phase #{phase} completed at step {step}, with {made_of}.",
        opening=opening,
        phase=numbered(release.phase, scene.after.counting),
        step=release.completion,
        made_of=made_of,
    )


def timeout(scene: Scene) -> str:
    now = scene.after
    begin = scene.causality.wait_begin(scene.step)
    who = {"agent": scene.agent.name, "barrier": scene.barrier_name, "parity": scene.parity}
    opening = tr("{agent} gives up its wait on {barrier} with parity {parity}", **who)
    if begin is not None:
        spent = duration(scene.elapsed(begin))
        opening = tr(
            "{agent} gives up its wait on {barrier} with parity {parity} after {duration}", duration=spent, **who
        )
    if not now.valid:
        return tr("{opening}: the barrier is not initialised.", opening=opening)
    facts = {"opening": opening, "phase": number_of(now), "parity": now.parity, "so_far": _so_far(now)}
    if now.parity == scene.parity:
        return tr("{opening}: the barrier is still in phase #{phase} (parity {parity}), with {so_far}.", **facts)
    return tr("{opening}: the barrier is by now in phase #{phase} (parity {parity}), with {so_far}.", **facts)


def _lesson_of_fresh_pass(scene: Scene) -> str:
    if scene.barrier_kind == "empty" and scene.role == "producer":
        return tr("That is why a producer starts with phase 1.")
    if scene.barrier_kind == "full" and scene.role == "consumer":
        return tr("Nothing has been copied yet: a consumer has to start with phase 0.")
    return ""


def first_try(scene: Scene) -> str:
    """A try_wait may answer false early, and clocks are not exact: say so where the record shows it."""
    end = scene.causality.wait_end(scene.step)
    if end is None or not scene.trace.events["flags"][end] & EventFlag.BLOCKED:
        return ""
    return tr("Its first try was answered false all the same.")


def _so_far(now: BarrierState) -> str:
    """ "32 of 96 arrivals so far", and the bytes where any are outstanding or too many came."""
    if not now.counted:
        arrivals = tr("it is not known how many arrivals it takes")
        return tr("{arrivals}, {bytes} bytes outstanding", arrivals=arrivals, bytes=now.tx) if now.tx > 0 else arrivals
    arrivals = trn(
        "{arrived} of {n} arrival so far", "{arrived} of {n} arrivals so far", now.needed, arrived=now.arrived
    )
    if now.tx > 0:
        return tr("{arrivals}, {bytes} bytes outstanding", arrivals=arrivals, bytes=now.tx)
    if now.tx < 0:
        return tr("{arrivals}, {bytes} bytes landed that nobody has expected yet", arrivals=arrivals, bytes=-now.tx)
    return arrivals


def _outlook(scene: Scene) -> str:
    """A second sentence: what holds the barrier up, or that the wait never passes."""
    ends, held_up = fate(scene), _held_up_by(scene)
    if not ends:
        return tr("{held_up}.", held_up=held_up) if held_up else ""
    return tr("{held_up}; {fate}.", held_up=held_up, fate=ends) if held_up else tr("{fate}.", fate=sentence(ends))


def fate(scene: Scene) -> str:
    """How the wait that begins ends, unless it passes."""
    end = scene.causality.wait_end(scene.step)
    if end is None:
        return tr("it does not pass in this recording")
    passes = scene.history.kinds[end] == EventKind.WAIT_END
    return "" if passes else tr("it gives up at step {step}", step=end)


def _held_up_by(scene: Scene) -> str:
    if not scene.guarded:
        return ""
    state, tile = scene.stage_before()
    if scene.barrier_kind == "empty" and scene.role == "producer":
        if state != StageState.EMPTY:
            return tr(
                "Back-pressure: stage {stage} is {state}{with_tile}",
                stage=scene.guarded,
                state=tr(_STAGE_WORDS[state]),
                with_tile=tr(", with tile {tile}", tile=tile) if tile >= 0 else "",
            )
        if scene.after.phase == 0 and scene.after.counting == Counting.INIT:
            return tr(
                "Stage {stage} is empty, but nobody has released it: only parity 1 passes on a fresh barrier",
                stage=scene.guarded,
            )
    if scene.barrier_kind == "full" and state == StageState.EMPTY:
        return tr("No copy into stage {stage} has been issued yet", stage=scene.guarded)
    return ""


def _arrivals(scene: Scene, steps: tuple[int, ...]) -> int:
    """Arrivals that the events make: an arrive.expect_tx makes one, its amount is bytes."""
    events = scene.trace.events[list(steps)]
    return int(events["amount"][events["kind"] != EventKind.ARRIVE_EXPECT_TX].sum()) + int(
        (events["kind"] == EventKind.ARRIVE_EXPECT_TX).sum()
    )
