"""explain: one or two plain sentences about an event, with the numbers, taken from History and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from visualizer.diagnosis.arrived import arrived_of, missing_bytes
from visualizer.diagnosis.barrier_facts import stage_words
from visualizer.diagnosis.explanations import explain_barriers, explain_groups, explain_waits
from visualizer.diagnosis.explanations.explain_unknown import explain_unknown
from visualizer.diagnosis.explanations.scene import Scene
from visualizer.diagnosis.wording import duration, listed, named_tile, state_word
from visualizer.language import tr, trn
from visualizer.recording.schema import BARRIER_STATE_KINDS, CP_ASYNC_ARRIVALS, EventKind, kind_name
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import History, StageState
from visualizer.semantics.word import decode


def explain(history: History, step: int) -> str:
    """What happens at `step` and why, in one or two sentences. IndexError if there is no such step."""
    scene = Scene(history, step)
    if scene.barrier is None and scene.kind in _NEED_A_BARRIER:
        return tr(
            "{agent}: {kind}, on a barrier that the recording does not name.",
            agent=scene.agent.name,
            kind=kind_name(scene.kind),
        )
    if scene.after.counting == Counting.NOTHING and (told := explain_unknown(scene)) is not None:
        return told
    return _EXPLAINERS[EventKind(scene.kind)](scene)


def _fence(scene: Scene) -> str:
    return tr(
        "{agent} publishes the initialised barriers (fence.mbarrier_init, then __syncthreads), so that the other warps"
        " and the copy engine may use them.",
        agent=scene.agent.name,
    )


def _read_begin(scene: Scene) -> str:
    facts = {"agent": scene.agent.name, "tile": named_tile(scene.tile), "stage": scene.stage_words}
    if scene.place < 0:
        return tr("{agent} begins to read{tile}; it is not known from which stage.", **facts)
    state, held = scene.stage_before()
    missing = scene.causality.bytes_missing(scene.place, scene.step)
    if missing:
        return tr(
            "{agent} begins to read{tile} from stage {stage}, although {missing} bytes have not landed yet.",
            missing=missing,
            **facts,
        )
    if state in (StageState.EMPTY, StageState.FILLING) or held != scene.tile >= 0:
        if held >= 0:
            return tr(
                "{agent} begins to read{tile} from stage {stage}, although the stage holds tile {held}.",
                held=held,
                **facts,
            )
        return tr(
            "{agent} begins to read{tile} from stage {stage}, although the stage is {state}.",
            state=state_word(state.name.lower()),
            **facts,
        )
    if state == StageState.FULL:
        return tr(
            "{agent} begins to read{tile} from stage {stage}: the bytes are in, and it is the first to read them.",
            **facts,
        )
    return tr("{agent} begins to read{tile} from stage {stage}, which other warps read already.", **facts)


def _read_end(scene: Scene) -> str:
    begin = scene.previous_act()
    took = ""
    if begin is not None and scene.history.kinds[begin] == EventKind.READ_BEGIN:
        took = tr(" in {duration}", duration=duration(scene.elapsed(begin)))
    facts = {"agent": scene.agent.name, "tile": named_tile(scene.tile), "took": took}
    if scene.place < 0:
        return tr("{agent} has read{tile}{took}.", **facts)
    return tr("{agent} has read{tile} from stage {stage}{took} and may release it.", stage=scene.stage_words, **facts)


def _advance(scene: Scene) -> str:
    if scene.stage < 0:
        return tr("{agent} advances its cursor; it is not known to where.", agent=scene.agent.name)
    before = scene.cursor_before()
    now = {"agent": scene.agent.name, "index": scene.stage, "phase": scene.parity, "count": scene.amount}
    if before is None or before.index < 0:
        return tr("{agent}'s cursor is now at index {index}, phase {phase}, count {count}.", **now)
    was = {"old_index": before.index, "old_phase": before.phase, "old_count": before.count}
    if before.phase == scene.parity:
        return tr(
            "{agent} advances its cursor: index {old_index} -> {index}, phase stays {phase}, count {old_count} ->"
            " {count}.",
            **now,
            **was,
        )
    return tr(
        "{agent} advances its cursor: index {old_index} -> {index} wraps around the ring, so the phase flips"
        " {old_phase} -> {phase}; count {old_count} -> {count}.",
        **now,
        **was,
    )


def _exit(scene: Scene) -> str:
    before = scene.previous_act()
    if before is not None and scene.history.kinds[before] == EventKind.TIMEOUT:
        return tr(
            "{agent} leaves the kernel because its wait gave up at step {step}.", agent=scene.agent.name, step=before
        )
    if scene.role != "producer":
        return tr("{agent} leaves the kernel.", agent=scene.agent.name)
    return _left_behind(scene)


def _left_behind(scene: Scene) -> str:
    """What a producer's tail is there to prevent."""
    structure, stages = scene.history.structure, scene.history.stages
    busy = [
        f"stage {stage_words(scene.history, structure.place(ring.cta, ring.name, stage))}"
        for ring in structure.of_cta(scene.agent.cta)
        for stage in range(ring.stages)
        if stages.one(structure.place(ring.cta, ring.name, stage), scene.step)[0] != StageState.EMPTY
    ]
    if not busy:
        return tr("{agent} leaves the kernel: every stage has been released.", agent=scene.agent.name)
    return trn(
        "{agent} leaves the kernel, although {stages} has not been released.",
        "{agent} leaves the kernel, although {stages} have not been released.",
        len(busy),
        agent=scene.agent.name,
        stages=listed(busy),
    )


def _word_sample(scene: Scene) -> str:
    parity, pending, tx = (int(column[0]) for column in decode(np.array([scene.event["token"]], np.uint64)))
    facts = {"barrier": scene.barrier_name, "parity": parity, "bytes": missing_bytes(tx) or tr("no bytes to come")}
    if not scene.after.counted:
        return tr(
            "A probe saw the word of {barrier}: parity {parity}, pending {pending}, {bytes} (a word counts bytes in"
            " steps of 2048).",
            pending=pending,
            **facts,
        )
    return tr(
        "A probe saw the word of {barrier}: parity {parity}, arrived {arrived}, {bytes} (a word counts bytes in steps"
        " of 2048).",
        arrived=arrived_of(replace(scene.after, pending=pending)),
        **facts,
    )


_NEED_A_BARRIER = (
    *BARRIER_STATE_KINDS,
    EventKind.WAIT_BEGIN,
    EventKind.WAIT_END,
    EventKind.TIMEOUT,
    EventKind.COPY_ISSUE,
    EventKind.WORD_SAMPLE,
    EventKind.TEST_FAILED,
    EventKind.TENSOR_COMMIT,
    *CP_ASYNC_ARRIVALS,
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
    EventKind.TEST_FAILED: explain_groups.test_failed,
    EventKind.SYNC_BEGIN: explain_groups.sync_begin,
    EventKind.SYNC_END: explain_groups.sync_end,
    EventKind.SYNC_ARRIVE: explain_groups.sync_arrive,
    EventKind.CLUSTER_ARRIVE: explain_groups.plain,
    EventKind.CLUSTER_WAIT_BEGIN: explain_groups.plain,
    EventKind.CLUSTER_WAIT_END: explain_groups.plain,
    EventKind.WGMMA_COMMIT: explain_groups.plain,
    EventKind.WGMMA_WAIT_BEGIN: explain_groups.wgmma_wait_begin,
    EventKind.WGMMA_WAIT_END: explain_groups.plain,
    EventKind.STORE_COMMIT: explain_groups.plain,
    EventKind.STORE_WAIT_BEGIN: explain_groups.store_wait_begin,
    EventKind.STORE_WAIT_END: explain_groups.plain,
    EventKind.WRITE: explain_groups.write,
    EventKind.PROXY_FENCE: explain_groups.plain,
    EventKind.TENSOR_COMMIT: explain_groups.tensor_commit,
    EventKind.MMA_ISSUE: explain_groups.mma_issue,
    EventKind.SETMAXNREG_DEC: explain_groups.registers,
    EventKind.SETMAXNREG_INC_BEGIN: explain_groups.registers,
    EventKind.SETMAXNREG_INC_END: explain_groups.registers,
    EventKind.CP_ASYNC_ARRIVE: explain_groups.cp_async_arrive,
    EventKind.CP_ASYNC_ARRIVE_NOINC: explain_groups.cp_async_arrive,
    EventKind.RANGE_BEGIN: explain_groups.range_begin,
    EventKind.RANGE_END: explain_groups.range_end,
}
