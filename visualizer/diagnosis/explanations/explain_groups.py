"""What to say of operations beside mbarriers: named and cluster barriers, groups of wgmma and bulk stores, writes."""

from __future__ import annotations

from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.explanations.scene import Scene
from visualizer.language import mark, tr, trn
from visualizer.recording.schema import SYNCWARP, EventKind

_PLAIN = {
    EventKind.CLUSTER_ARRIVE: mark("{agent} arrives at the cluster's barrier (barrier.cluster.arrive) and goes on."),
    EventKind.CLUSTER_WAIT_BEGIN: mark(
        "{agent} waits until every thread of the cluster has arrived (barrier.cluster.wait)."
    ),
    EventKind.CLUSTER_WAIT_END: mark("{agent} passes the cluster's barrier: every thread of the cluster has arrived."),
    EventKind.WGMMA_COMMIT: mark("{agent} commits its wgmma instructions so far as one group (wgmma.commit_group)."),
    EventKind.WGMMA_WAIT_END: mark("{agent} goes on: the wgmma groups it waited for are done."),
    EventKind.STORE_COMMIT: mark("{agent} commits its bulk stores so far as one group (cp.async.bulk.commit_group)."),
    EventKind.STORE_WAIT_END: mark("{agent} goes on: the bulk stores it waited for are done."),
    EventKind.PROXY_FENCE: mark(
        "{agent} makes what it wrote visible to the asynchronous proxy (fence.proxy.async): to bulk copies, bulk stores"
        " and wgmma."
    ),
}


def plain(scene: Scene) -> str:
    """Operations of which nothing but the agent is known."""
    return tr(_PLAIN[EventKind(scene.kind)], agent=scene.agent.name)


def range_begin(scene: Scene) -> str:
    return tr("{agent} begins {name!r}.", agent=scene.agent.name, name=scene.operation)


def range_end(scene: Scene) -> str:
    return tr("{agent} ends {name!r}.", agent=scene.agent.name, name=scene.operation)


def sync_begin(scene: Scene) -> str:
    facts = {"agent": scene.agent.name, "id": _id(scene)}
    if _id(scene) >= SYNCWARP:
        return tr("{agent} waits for the other lanes of its warp (__syncwarp).", agent=scene.agent.name)
    if _is_syncthreads(scene):
        return tr("{agent} waits at __syncthreads (bar.sync 0) for every thread of the CTA.", agent=scene.agent.name)
    if scene.amount > 0:
        return trn(
            "{agent} waits at named barrier {id} (bar.sync) for {n} thread, itself counted.",
            "{agent} waits at named barrier {id} (bar.sync) for {n} threads, itself counted.",
            scene.amount,
            **facts,
        )
    return tr("{agent} waits at named barrier {id} (bar.sync) for every thread of the CTA.", **facts)


def sync_end(scene: Scene) -> str:
    if _id(scene) >= SYNCWARP:
        return tr("{agent} passes __syncwarp: every lane of its warp has come.", agent=scene.agent.name)
    if _is_syncthreads(scene):
        return tr("{agent} passes __syncthreads: every thread of the CTA has come.", agent=scene.agent.name)
    return tr("{agent} passes named barrier {id}: all have come.", agent=scene.agent.name, id=_id(scene))


def sync_arrive(scene: Scene) -> str:
    return tr("{agent} arrives at named barrier {id} (bar.arrive) and goes on.", agent=scene.agent.name, id=_id(scene))


def wgmma_wait_begin(scene: Scene) -> str:
    return trn(
        "{agent} waits until at most {n} of its wgmma groups is under way (wgmma.wait_group).",
        "{agent} waits until at most {n} of its wgmma groups are under way (wgmma.wait_group).",
        max(scene.amount, 0),
        agent=scene.agent.name,
    )


def store_wait_begin(scene: Scene) -> str:
    return trn(
        "{agent} waits until at most {n} group of its bulk stores is under way (cp.async.bulk.wait_group).",
        "{agent} waits until at most {n} groups of its bulk stores are under way (cp.async.bulk.wait_group).",
        max(scene.amount, 0),
        agent=scene.agent.name,
    )


def write(scene: Scene) -> str:
    facts = {"agent": scene.agent.name, "bytes": scene.amount}
    if scene.role == "tensor_core":
        return tr(
            "{agent} has added to the accumulator{in_stage}, {bytes} bytes in tensor memory.",
            in_stage=tr(" in stage {stage}", stage=scene.stage_words) if scene.place >= 0 else "",
            **facts,
        )
    if scene.place < 0:
        return tr("{agent} itself writes {bytes} bytes to shared memory (st.shared).", **facts)
    return tr("{agent} itself writes {bytes} bytes into stage {stage} (st.shared).", stage=scene.stage_words, **facts)


def tensor_commit(scene: Scene) -> str:
    return tr(
        "{agent} lets the tensor core arrive on {barrier} once its work so far is done (tcgen05.commit).",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
    )


def mma_issue(scene: Scene) -> str:
    return tr(
        "{agent} hands {bytes} bytes{of_stage} to the tensor core (tcgen05.mma) and goes on; tcgen05.commit will"
        " tell when they have been read.",
        agent=scene.agent.name,
        bytes=scene.amount,
        of_stage=tr(" of stage {stage}", stage=scene.stage_words) if scene.place >= 0 else "",
    )


def registers(scene: Scene) -> str:
    facts = {"agent": scene.agent.name, "registers": scene.amount}
    if scene.kind == EventKind.SETMAXNREG_DEC:
        return tr(
            "{agent} keeps {registers} registers a thread and leaves the rest to the CTA (setmaxnreg.dec).", **facts
        )
    if scene.kind == EventKind.SETMAXNREG_INC_BEGIN:
        return tr(
            "{agent} asks for {registers} registers a thread and waits until the CTA has them (setmaxnreg.inc).",
            **facts,
        )
    return tr("{agent} has {registers} registers a thread.", **facts)


def cp_async_arrive(scene: Scene) -> str:
    facts = {"agent": scene.agent.name, "barrier": scene.barrier_name}
    if scene.kind == EventKind.CP_ASYNC_ARRIVE_NOINC:
        return trn(
            "{agent} leaves {n} arrival on {barrier} to the hardware, once its cp.async so far are done"
            " (cp.async.mbarrier.arrive.noinc): it counts towards what the phase takes.",
            "{agent} leaves {n} arrivals on {barrier} to the hardware, once its cp.async so far are done"
            " (cp.async.mbarrier.arrive.noinc): they count towards what the phase takes.",
            scene.amount,
            **facts,
        )
    return trn(
        "{agent} leaves {n} arrival on {barrier} to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive): pending goes up by as many first, {before} -> {after}, so that together they"
        " count for nothing.",
        "{agent} leaves {n} arrivals on {barrier} to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive): pending goes up by as many first, {before} -> {after}, so that together they"
        " count for nothing.",
        scene.amount,
        before=scene.before.pending,
        after=scene.after.pending,
        **facts,
    )


def test_failed(scene: Scene) -> str:
    return tr(
        "{agent} tests {barrier} for parity {parity}: false by then, and it goes on without having passed. {barrier} is"
        " in phase #{phase}.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        parity=scene.parity,
        phase=number_of(scene.after),
    )


def _id(scene: Scene) -> int:
    return int(scene.event["token"])


def _is_syncthreads(scene: Scene) -> bool:
    """Named barrier 0 without a count of threads: what __syncthreads compiles to."""
    return _id(scene) == 0 and scene.amount <= 0
