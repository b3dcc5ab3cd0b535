"""What changes a barrier, in words: inits, arrivals, bytes expected and landed, and the phase that completes."""

from __future__ import annotations

from visualizer.diagnosis.arrived import arrived_of, bytes_of, landed_at, number_of, numbered
from visualizer.diagnosis.explanations.scene import Scene
from visualizer.diagnosis.wording import duration, listed, of_tile, sentence, sentences
from visualizer.language import tr, trn
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.history import StageState


def init(scene: Scene) -> str:
    if scene.event["flags"] & EventFlag.DERIVED:
        return tr(
            "The recording begins after the init: by then {barrier} is in phase #{phase}, arrived {arrived}, as follows"
            " from the number of the first tile.",
            barrier=scene.barrier_name,
            phase=number_of(scene.after),
            arrived=arrived_of(scene.after),
        )
    return trn(
        "{agent} initialises {barrier} for {n} arrival per phase: phase #0, arrived {arrived}.",
        "{agent} initialises {barrier} for {n} arrivals per phase: phase #0, arrived {arrived}.",
        scene.amount,
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        arrived=arrived_of(scene.after),
    )


def inval(scene: Scene) -> str:
    return tr(
        "{agent} invalidates {barrier}: only another init may follow.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
    )


def arrive(scene: Scene) -> str:
    return trn(
        "{agent} arrives once on {barrier}: {arrived}{consequence}",
        "{agent} arrives {n} times on {barrier}: {arrived}{consequence}",
        scene.amount,
        **_change(scene),
    )


def arrive_drop(scene: Scene) -> str:
    return trn(
        "{agent} arrives on {barrier} and drops out with {n} arrival, so that later phases expect {expected}:"
        " {arrived}{consequence}",
        "{agent} arrives on {barrier} and drops out with {n} arrivals, so that later phases expect {expected}:"
        " {arrived}{consequence}",
        scene.amount,
        expected=scene.after.expected,
        **_change(scene),
    )


def expect_tx(scene: Scene) -> str:
    return tr(
        "{agent} makes {barrier} expect {bytes} bytes: {landed}, and arrived stays {unchanged} because this is no"
        " arrival{consequence}",
        bytes=scene.amount,
        landed=_landed(scene),
        unchanged=arrived_of(scene.after),
        **_change(scene),
    )


def arrive_expect_tx(scene: Scene) -> str:
    return tr(
        "{agent} arrives once on {barrier} and expects {bytes} bytes: {arrived} and {landed}{consequence}",
        bytes=scene.amount,
        landed=_landed(scene),
        **_change(scene),
    )


def complete_tx(scene: Scene) -> str:
    return tr(
        "{bytes} bytes{of_tile} land{estimate}, so {barrier} has {landed}{consequence}",
        bytes=scene.amount,
        of_tile=of_tile(scene.tile),
        estimate=estimate(scene),
        landed=_landed(scene),
        **_change(scene),
    )


def phase_complete(scene: Scene) -> str:
    opening = tr(
        "Phase #{phase} of {barrier} completes{estimate}: parity {parity} -> {flipped}, arrived begins anew:"
        " {arrived}.",
        phase=numbered(scene.amount, scene.after.counting),
        barrier=scene.barrier_name,
        estimate=estimate(scene),
        parity=scene.parity,
        flipped=1 - scene.parity,
        arrived=arrived_of(scene.after),
    )
    released = scene.names(scene.causality.woken_by(scene.step))
    lets = tr("no wait in this recording needed it")
    if released:
        lets = tr("this lets {agents} pass", agents=listed(released))
    means = _means(scene)
    meaning = tr("{means}; {lets}.", means=means, lets=lets) if means else tr("{lets}.", lets=sentence(lets))
    return sentences(opening, meaning)


def copy_issue(scene: Scene) -> str:
    opening = _copies_by_cp_async(scene) or tr(
        "{agent} issues a copy{of_tile}{into}: {bytes} bytes, which the copy engine will count on {barrier} as they"
        " land ({landed}).",
        agent=scene.agent.name,
        of_tile=of_tile(scene.tile),
        into=into(scene),
        bytes=scene.amount,
        barrier=scene.barrier_name,
        landed=_landed(scene),
    )
    return sentences(opening, landing(scene))


def landing(scene: Scene) -> str:
    """When the copy that is issued lands."""
    done = scene.history.copies.landing_of(scene.step)
    if done is None:
        return tr("It does not land in this recording.")
    later = duration(scene.time(done) - scene.time(scene.step))
    return tr("It lands at step {step}, {duration} later.", step=done, duration=later)


def _copies_by_cp_async(scene: Scene) -> str:
    if not scene.event["flags"] & EventFlag.BY_ARRIVAL:
        return ""
    return tr(
        "{agent} issues a copy{of_tile}{into} by cp.async: {bytes} bytes, of which an arrival on {barrier} will tell"
        " (cp.async.mbarrier.arrive).",
        agent=scene.agent.name,
        of_tile=of_tile(scene.tile),
        into=into(scene),
        bytes=scene.amount,
        barrier=scene.barrier_name,
    )


def into(scene: Scene) -> str:
    """ " into stage 2"; "" where it is not known."""
    return tr(" into stage {stage}", stage=scene.stage_words) if scene.place >= 0 else ""


def copy_done(scene: Scene) -> str:
    issue = scene.causality.issue_of(scene.step)
    since = "" if issue is None else tr(" {duration} after its issue", duration=duration(scene.elapsed(issue)))
    return tr(
        "The copy{of_tile}{into} has landed{since}{estimate}: {bytes} bytes.",
        of_tile=of_tile(scene.tile),
        into=into(scene),
        since=since,
        estimate=estimate(scene),
        bytes=scene.amount,
    )


def estimate(scene: Scene) -> str:
    """To go with what happened: the hardware keeps no record of it, so its time lies between two observations."""
    return tr(" (at an estimated time)") if scene.estimated else ""


def _change(scene: Scene) -> dict[str, str]:
    """The fields that every sentence about a barrier's counts has."""
    return {
        "agent": scene.agent.name,
        "barrier": scene.barrier_name,
        "arrived": tr(
            "arrived {before} -> {after} of {needed}",
            before=scene.before.needed - scene.before.pending,
            after=scene.before.needed - scene.after.pending,
            needed=scene.before.needed,
        ),
        "consequence": _consequence(scene),
    }


def _landed(scene: Scene) -> str:
    """What of the phase's bytes is in after the event."""
    landed = landed_at(scene.history, int(scene.event["barrier"]), scene.step)
    return tr("landed {bytes}", bytes=bytes_of(landed.landed, landed.expected))


def _consequence(scene: Scene) -> str:
    """What the counts after the event mean for the phase, to end the sentence with."""
    now = scene.after
    if not now.valid:
        return tr(". The barrier is not initialised, so this is undefined.")
    if now.pending < 0:
        return trn(
            ": {n} arrival more than phase #{phase} takes, which is undefined.",
            ": {n} arrivals more than phase #{phase} takes, which is undefined.",
            -now.pending,
            phase=number_of(now),
        )
    if now.pending == 0 and now.tx == 0:
        if _counts_bytes(scene):
            return tr(": all arrivals and bytes are in, so phase #{phase} completes.", phase=number_of(now))
        return tr(
            ": all {needed} arrivals are in, so phase #{phase} completes.", needed=now.needed, phase=number_of(now)
        )
    if now.pending == 0:
        if now.tx > 0:
            return tr(": no flip, because bytes are outstanding.")
        return tr(": no flip, because {bytes} bytes more have landed than were expected.", bytes=-now.tx)
    missing = [trn("{n} arrival", "{n} arrivals", now.pending)]
    missing += [tr("{bytes} bytes", bytes=now.tx)] if now.tx > 0 else []
    needs = {"phase": number_of(now), "missing": listed(missing)}
    if now.tx < 0:
        return tr(
            ": no flip, phase #{phase} still needs {missing}, and {bytes} bytes have landed before they were expected.",
            bytes=-now.tx,
            **needs,
        )
    return tr(": no flip, phase #{phase} still needs {missing}.", **needs)


def _counts_bytes(scene: Scene) -> bool:
    return scene.barrier_kind == "full" or scene.kind != EventKind.ARRIVE


def _means(scene: Scene) -> str:
    """What the completion says about the stage buffer, and where a wrong byte count makes it untrue."""
    stage = scene.guarded
    if not stage or scene.barrier_kind == "other":
        return ""
    if scene.barrier_kind == "empty":
        return tr("Stage {stage} is free again", stage=stage)
    missing = scene.causality.bytes_missing(scene.place, scene.step)
    if missing:
        return tr(
            "Stage {stage} counts as full although {missing} bytes have not landed yet",
            stage=stage,
            missing=missing,
        )
    if scene.stage_before()[0] != StageState.FILLING:
        return tr("Stage {stage} counts as full although no copy into it was under way", stage=stage)
    if scene.tile >= 0:
        return tr("Stage {stage} is full with tile {tile}", stage=stage, tile=scene.tile)
    return tr("Stage {stage} is full", stage=stage)
