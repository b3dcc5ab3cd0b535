"""What changes a barrier, in words: inits, arrivals, bytes expected and landed, and the phase that completes."""

from __future__ import annotations

from visualizer.diagnosis.scene import Scene
from visualizer.diagnosis.wording import counted, duration, listed, sentence
from visualizer.replay.history import StageState
from visualizer.trace.schema import EventFlag, EventKind


def init(scene: Scene) -> str:
    if scene.event["flags"] & EventFlag.DERIVED:
        return (
            f"The recording begins after the init: by then {scene.barrier_name} is in phase #{scene.after.phase}, with"
            f" {counted(scene.after.pending, 'arrival')} pending, as follows from the number of the first tile."
        )
    return (
        f"{scene.agent.name} initialises {scene.barrier_name} for {counted(scene.amount, 'arrival')} per phase:"
        f" phase #0, pending {scene.after.pending}, tx 0."
    )


def inval(scene: Scene) -> str:
    return f"{scene.agent.name} invalidates {scene.barrier_name}: only another init may follow."


def arrive(scene: Scene) -> str:
    times = "once" if scene.amount == 1 else f"{scene.amount} times"
    return f"{scene.agent.name} arrives {times} on {scene.barrier_name}: {_pending(scene)}{_consequence(scene)}"


def arrive_drop(scene: Scene) -> str:
    return (
        f"{scene.agent.name} arrives on {scene.barrier_name} and drops out with {counted(scene.amount, 'arrival')},"
        f" so that later phases expect {scene.after.expected}: {_pending(scene)}{_consequence(scene)}"
    )


def expect_tx(scene: Scene) -> str:
    return (
        f"{scene.agent.name} makes {scene.barrier_name} expect {scene.amount} bytes: {_tx(scene)}, and pending stays"
        f" {scene.after.pending} because this is no arrival{_consequence(scene)}"
    )


def arrive_expect_tx(scene: Scene) -> str:
    return (
        f"{scene.agent.name} arrives once on {scene.barrier_name} and expects {scene.amount} bytes:"
        f" {_pending(scene)} and {_tx(scene)}{_consequence(scene)}"
    )


def complete_tx(scene: Scene) -> str:
    landed = f"{scene.amount} bytes{_of_tile(scene)} land{_estimate(scene)}"
    return f"{landed}, so {scene.barrier_name} has {_tx(scene)}{_consequence(scene)}"


def phase_complete(scene: Scene) -> str:
    after = scene.after
    opening = (
        f"Phase #{scene.amount} of {scene.barrier_name} completes{_estimate(scene)}:"
        f" parity {scene.parity} -> {1 - scene.parity}, pending reloads to {after.pending}."
    )
    released = scene.names(scene.causality.woken_by(scene.step))
    means = _means(scene)
    lets = f"this lets {listed(released)} pass" if released else "no wait in this recording needed it"
    return f"{opening} {means}; {lets}." if means else f"{opening} {sentence(lets)}."


def copy_issue(scene: Scene) -> str:
    opening = (
        f"{scene.agent.name} issues a copy{_of_tile(scene)} into stage {scene.stage}: {scene.amount} bytes, which the"
        f" copy engine will count down on {scene.barrier_name} (tx {scene.after.tx} now)."
    )
    row = scene.stage_row
    done = scene.history.copies.landing_of(row, scene.step) if row >= 0 else None
    if done is None:
        return f"{opening} It does not land in this recording."
    return f"{opening} It lands at step {done}, {duration(scene.time(done) - scene.time(scene.step))} later."


def copy_done(scene: Scene) -> str:
    issue = scene.causality.issue_of(scene.step)
    since = "" if issue is None else f" {duration(scene.elapsed(issue))} after its issue"
    into = f" into stage {scene.stage}" if scene.stage >= 0 else ""
    return f"The copy{_of_tile(scene)}{into} has landed{since}{_estimate(scene)}: {scene.amount} bytes."


def _estimate(scene: Scene) -> str:
    """To go with what happened: the hardware keeps no record of it, so its time lies between two observations."""
    return " (at an estimated time)" if scene.estimated else ""


def _of_tile(scene: Scene) -> str:
    return f" of tile {scene.tile}" if scene.tile >= 0 else ""


def _pending(scene: Scene) -> str:
    return f"pending {scene.before.pending} -> {scene.after.pending} of {scene.before.needed}"


def _tx(scene: Scene) -> str:
    return f"tx {scene.before.tx} -> {scene.after.tx}"


def _consequence(scene: Scene) -> str:
    """What the counts after the event mean for the phase, to end the sentence with."""
    now = scene.after
    if not now.valid:
        return ". The barrier is not initialised, so this is undefined."
    if now.pending < 0:
        return f": {counted(-now.pending, 'arrival')} more than phase #{now.phase} takes, which is undefined."
    if now.pending == 0 and now.tx == 0:
        whole = "all arrivals and bytes are in" if _counts_bytes(scene) else f"all {now.needed} arrivals are in"
        return f": {whole}, so phase #{now.phase} completes."
    missing = [counted(now.pending, "arrival")] if now.pending else []
    missing += [f"{now.tx} bytes"] if now.tx > 0 else []
    if now.pending == 0:
        if now.tx > 0:
            return ": no flip, because bytes are outstanding."
        return f": no flip, because {-now.tx} bytes more have landed than were expected."
    early = f", and {-now.tx} bytes have landed before they were expected" if now.tx < 0 else ""
    return f": no flip, phase #{now.phase} still needs {listed(missing)}{early}."


def _counts_bytes(scene: Scene) -> bool:
    return (scene.barrier is not None and scene.barrier.kind == "full") or scene.kind != EventKind.ARRIVE


def _means(scene: Scene) -> str:
    """What the completion says about the stage buffer, and where a wrong byte count makes it untrue."""
    barrier = scene.barrier
    if barrier is None or barrier.stage < 0 or barrier.kind == "other":
        return ""
    if barrier.kind == "empty":
        return f"Stage {barrier.stage} is free again"
    missing = scene.causality.bytes_missing(scene.stage_row, scene.step)
    if missing:
        return f"Stage {barrier.stage} counts as full although {missing} bytes have not landed yet"
    if scene.stage_before()[0] != StageState.FILLING:
        return f"Stage {barrier.stage} counts as full although no copy into it was under way"
    return f"Stage {barrier.stage} is full{_with_tile(scene)}"


def _with_tile(scene: Scene) -> str:
    return f" with tile {scene.tile}" if scene.tile >= 0 else ""
