"""explain: one or two plain sentences about an event, with the numbers, taken from History and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visualizer.diagnosis import explain_barriers, explain_waits
from visualizer.diagnosis.scene import Scene
from visualizer.diagnosis.wording import duration, listed
from visualizer.replay.history import History, StageState
from visualizer.semantics.word import decode
from visualizer.trace.schema import BARRIER_STATE_KINDS, EventKind, kind_name


def explain(history: History, step: int) -> str:
    """What happens at `step` and why, in one or two sentences. IndexError if there is no such step."""
    scene = Scene(history, step)
    if scene.barrier is None and scene.kind in _NEED_A_BARRIER:
        return f"{scene.agent.name}: {kind_name(scene.kind)}, on a barrier that the recording does not name."
    return _EXPLAINERS[EventKind(scene.kind)](scene)


def _fence(scene: Scene) -> str:
    return (
        f"{scene.agent.name} publishes the initialised barriers (fence.mbarrier_init, then __syncthreads), so that the"
        " other warps and the copy engine may use them."
    )


def _read_begin(scene: Scene) -> str:
    state, held = scene.stage_before()
    opening = f"{scene.agent.name} begins to read tile {scene.tile} from stage {scene.stage}"
    missing = scene.causality.bytes_missing(scene.stage_row, scene.step)
    if missing:
        return f"{opening}, although {missing} bytes have not landed yet."
    if state in (StageState.EMPTY, StageState.FILLING) or held != scene.tile:
        return f"{opening}, although the stage {f'holds tile {held}' if held >= 0 else 'is empty'}."
    if state == StageState.FULL:
        return f"{opening}: the bytes are in, and it is the first to read them."
    return f"{opening}, which other warps read already."


def _read_end(scene: Scene) -> str:
    begin = scene.previous_act()
    took = ""
    if begin is not None and scene.history.kinds[begin] == EventKind.READ_BEGIN:
        took = f" in {duration(scene.elapsed(begin))}"
    return f"{scene.agent.name} has read tile {scene.tile} from stage {scene.stage}{took} and may release it."


def _advance(scene: Scene) -> str:
    before = scene.cursor_before()
    count = scene.amount
    if before is None:
        return f"{scene.agent.name}'s cursor is now at index {scene.stage}, phase {scene.parity}, count {count}."
    opening = f"{scene.agent.name} advances its cursor: index {before.index} -> {scene.stage}"
    if before.phase == scene.parity:
        return f"{opening}, phase stays {scene.parity}, count {before.count} -> {count}."
    return (
        f"{opening} wraps around the ring, so the phase flips {before.phase} -> {scene.parity}; count"
        f" {before.count} -> {count}."
    )


def _exit(scene: Scene) -> str:
    before = scene.previous_act()
    if before is not None and scene.history.kinds[before] == EventKind.TIMEOUT:
        return f"{scene.agent.name} leaves the kernel because its wait gave up at step {before}."
    return f"{scene.agent.name} leaves the kernel{_left_behind(scene)}."


def _left_behind(scene: Scene) -> str:
    """What a producer's tail is there to prevent."""
    if scene.agent.role != "producer":
        return ""
    stages = scene.trace.stages
    first = scene.agent.cta * stages
    states = [scene.history.stages.one(first + stage, scene.step)[0] for stage in range(stages)]
    busy = [f"stage {stage}" for stage, state in enumerate(states) if state != StageState.EMPTY]
    if not busy:
        return ": every stage has been released"
    return f", although {listed(busy)} {'has' if len(busy) == 1 else 'have'} not been released"


def _word_sample(scene: Scene) -> str:
    parity, pending, tx = decode(np.array([scene.event["token"]], np.uint64))
    return (
        f"A probe saw the word of {scene.barrier_name}: parity {parity[0]}, pending {pending[0]}, tx {tx[0]} (shown in"
        " steps of 2048 bytes)."
    )


_NEED_A_BARRIER = (
    *BARRIER_STATE_KINDS,
    EventKind.WAIT_BEGIN,
    EventKind.WAIT_END,
    EventKind.TIMEOUT,
    EventKind.COPY_ISSUE,
    EventKind.WORD_SAMPLE,
)

_EXPLAINERS: dict[EventKind, Callable[[Scene], str]] = {
    EventKind.INIT: explain_barriers.init,
    EventKind.INVAL: explain_barriers.inval,
    EventKind.WAIT_BEGIN: explain_waits.wait_begin,
    EventKind.WAIT_END: explain_waits.wait_end,
    EventKind.ARRIVE: explain_barriers.arrive,
    EventKind.ARRIVE_DROP: explain_barriers.arrive_drop,
    EventKind.EXPECT_TX: explain_barriers.expect_tx,
    EventKind.ARRIVE_EXPECT_TX: explain_barriers.arrive_expect_tx,
    EventKind.COMPLETE_TX: explain_barriers.complete_tx,
    EventKind.PHASE_COMPLETE: explain_barriers.phase_complete,
    EventKind.COPY_ISSUE: explain_barriers.copy_issue,
    EventKind.COPY_DONE: explain_barriers.copy_done,
    EventKind.READ_BEGIN: _read_begin,
    EventKind.READ_END: _read_end,
    EventKind.ADVANCE: _advance,
    EventKind.FENCE: _fence,
    EventKind.EXIT: _exit,
    EventKind.TIMEOUT: explain_waits.timeout,
    EventKind.WORD_SAMPLE: _word_sample,
}
