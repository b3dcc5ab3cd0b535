"""Waits in words: why this one must wait or may pass, what released it, and what it was missing when it gave up."""

from __future__ import annotations

from visualizer.diagnosis.scene import Scene
from visualizer.diagnosis.wording import counted, duration, sentence
from visualizer.replay.history import BarrierState, StageState
from visualizer.trace.schema import EventFlag, EventKind

_STAGE_WORDS = {
    StageState.EMPTY: "empty",
    StageState.FILLING: "being filled",
    StageState.FULL: "full and not yet read",
    StageState.READING: "still being read",
}


def wait_begin(scene: Scene) -> str:
    now = scene.after
    in_tail = ", before it may leave," if scene.operation == "producer_tail" else ""
    opening = f"{scene.agent.name}{in_tail} waits on {scene.barrier_name} with parity {scene.parity}"
    if not now.valid:
        return f"{opening}; the barrier is not initialised, so what the wait does is undefined."
    where = f"the barrier is in phase #{now.phase} (parity {now.parity})"
    if now.parity != scene.parity and now.phase == 0:
        rule = "a wait lasts only while the barrier's parity is its operand"
        return f"{opening}; {where}, and {rule}, so it passes on the fresh barrier.{_first_try(scene)}"
    if now.parity != scene.parity:
        return f"{opening}; {where}, so phase #{now.phase - 1} has completed and it passes.{_first_try(scene)}"
    return f"{opening}; {where}, so it must wait: {_so_far(now)}.{_outlook(scene)}"


def wait_end(scene: Scene) -> str:
    release = scene.causality.release_of(scene.step)
    begin = scene.causality.wait_begin(scene.step)
    when = "at once"
    if scene.blocked:
        when = "after it was blocked" if begin is None else f"after {duration(scene.elapsed(begin))}"
    opening = f"{scene.agent.name} passes its wait on {scene.barrier_name} with parity {scene.parity} {when}"
    if release is None or release.completion is None or release.phase is None:
        now = scene.after
        return (
            f"{opening}: the barrier is fresh, still in phase #{now.phase} (parity {now.parity}), and a wait lasts only"
            f" while the barrier's parity is its operand.{_lesson_of_fresh_pass(scene)}"
        )
    made_of = counted(_arrivals(scene, release.arrivals), "arrival")
    if release.bytes_landed:
        landed = sum(int(scene.trace.events["amount"][step]) for step in release.bytes_landed)
        made_of += f" and {landed} bytes"
    return f"{opening}: phase #{release.phase} completed at step {release.completion}, with {made_of}."


def timeout(scene: Scene) -> str:
    now = scene.after
    begin = scene.causality.wait_begin(scene.step)
    spent = "" if begin is None else f" after {duration(scene.elapsed(begin))}"
    opening = f"{scene.agent.name} gives up its wait on {scene.barrier_name} with parity {scene.parity}{spent}"
    if not now.valid:
        return f"{opening}: the barrier is not initialised."
    still = "still" if now.parity == scene.parity else "by now"
    return f"{opening}: the barrier is {still} in phase #{now.phase} (parity {now.parity}), with {_so_far(now)}."


def _lesson_of_fresh_pass(scene: Scene) -> str:
    kind = scene.barrier.kind if scene.barrier is not None else "other"
    if kind == "empty" and scene.agent.role == "producer":
        return " That is why a producer starts with phase 1."
    if kind == "full" and scene.agent.role == "consumer":
        return " Nothing has been copied yet: a consumer has to start with phase 0."
    return ""


def _first_try(scene: Scene) -> str:
    """A try_wait may answer false early, and clocks are not exact: say so where the record shows it."""
    end = scene.causality.wait_end(scene.step)
    if end is None or not scene.trace.events["flags"][end] & EventFlag.BLOCKED:
        return ""
    return " Its first try was answered false all the same."


def _so_far(now: BarrierState) -> str:
    """ "32 of 96 arrivals so far", and the bytes where any are outstanding or too many came."""
    arrivals = f"{now.arrived} of {counted(now.needed, 'arrival')} so far"
    if now.tx > 0:
        return f"{arrivals}, {now.tx} bytes outstanding"
    return f"{arrivals}, {-now.tx} bytes landed that nobody has expected yet" if now.tx < 0 else arrivals


def _outlook(scene: Scene) -> str:
    """A second sentence: what holds the barrier up, or that the wait never passes."""
    end = scene.causality.wait_end(scene.step)
    passes = end is not None and scene.history.kinds[end] == EventKind.WAIT_END
    held_up = _held_up_by(scene)
    if passes:
        return f" {held_up}." if held_up else ""
    fate = "it gives up" if end is not None else "it does not pass in this recording"
    where = f" at step {end}" if end is not None else ""
    return f" {held_up}; {fate}{where}." if held_up else f" {sentence(fate)}{where}."


def _held_up_by(scene: Scene) -> str:
    barrier = scene.barrier
    if barrier is None or barrier.stage < 0:
        return ""
    state, tile = scene.stage_before()
    if barrier.kind == "empty" and scene.agent.role == "producer":
        if state != StageState.EMPTY:
            return f"Back-pressure: stage {barrier.stage} is {_STAGE_WORDS[state]}, with tile {tile}"
        if scene.after.phase == 0:
            return (
                f"Stage {barrier.stage} is empty, but nobody has released it: only parity 1 passes on a fresh barrier"
            )
    if barrier.kind == "full" and state == StageState.EMPTY:
        return f"No copy into stage {barrier.stage} has been issued yet"
    return ""


def _arrivals(scene: Scene, steps: tuple[int, ...]) -> int:
    """Arrivals that the events make: an arrive.expect_tx makes one, its amount is bytes."""
    events = scene.trace.events[list(steps)]
    return int(events["amount"][events["kind"] != EventKind.ARRIVE_EXPECT_TX].sum()) + int(
        (events["kind"] == EventKind.ARRIVE_EXPECT_TX).sum()
    )
