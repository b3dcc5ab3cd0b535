"""What is done to a barrier of which nothing tells the phases: no counts, and nothing of what comes of it."""

from __future__ import annotations

from typing import Any

from visualizer.diagnosis.explanations.explain_barriers import estimate, into, landing
from visualizer.diagnosis.explanations.explain_waits import fate, first_try
from visualizer.diagnosis.explanations.scene import Scene
from visualizer.diagnosis.wording import duration, of_tile, sentence, sentences
from visualizer.language import mark, tr, trn
from visualizer.recording.schema import CP_ASYNC_ARRIVALS, EventKind

_UNKNOWN = mark("In which phase the barrier is, nothing in the recording tells.")
_SAID = {
    EventKind.TIMEOUT: mark("{agent} gives up its wait on {barrier} with parity {parity}."),
    EventKind.TEST_FAILED: mark(
        "{agent} tests {barrier} for parity {parity}: false by then, and it goes on without having passed."
    ),
    EventKind.EXPECT_TX: mark("{agent} makes {barrier} expect {bytes} bytes."),
    EventKind.ARRIVE_EXPECT_TX: mark("{agent} arrives once on {barrier} and expects {bytes} bytes."),
    EventKind.COMPLETE_TX: mark("{bytes} bytes{of_tile} land{estimate}, which {barrier} counts."),
}


def explain_unknown(scene: Scene) -> str | None:
    """The sentences; None for an event that says as much of any barrier."""
    kind = EventKind(scene.kind)
    if kind == EventKind.WAIT_BEGIN:
        return _wait_begin(scene)
    if kind == EventKind.COPY_ISSUE:
        return _copy_issue(scene)
    if kind in _SAID:
        facts = _who(scene) | {"of_tile": of_tile(scene.tile), "estimate": estimate(scene)}
        return sentences(tr(_SAID[kind], bytes=scene.amount, **facts), tr(_UNKNOWN))
    return sentences(_TOLD[kind](scene), tr(_UNKNOWN)) if kind in _TOLD else None


def _who(scene: Scene) -> dict[str, Any]:
    return {"agent": scene.agent.name, "barrier": scene.barrier_name, "parity": scene.parity}


def _wait_begin(scene: Scene) -> str:
    waits = tr("{agent} waits on {barrier} with parity {parity}.", **_who(scene))
    ends = tr("{fate}.", fate=sentence(what)) if (what := fate(scene)) else ""
    return sentences(waits, tr(_UNKNOWN), first_try(scene), ends)


def _wait_end(scene: Scene) -> str:
    begin = scene.causality.wait_begin(scene.step)
    if not scene.blocked or begin is None:
        return tr("{agent} passes its wait on {barrier} with parity {parity}.", **_who(scene))
    return tr(
        "{agent} passes its wait on {barrier} with parity {parity} after {duration}.",
        duration=duration(scene.elapsed(begin)),
        **_who(scene),
    )


def _arrive(scene: Scene) -> str:
    return trn(
        "{agent} arrives once on {barrier}.", "{agent} arrives {n} times on {barrier}.", scene.amount, **_who(scene)
    )


def _arrive_drop(scene: Scene) -> str:
    return trn(
        "{agent} arrives on {barrier} and drops out with {n} arrival.",
        "{agent} arrives on {barrier} and drops out with {n} arrivals.",
        scene.amount,
        **_who(scene),
    )


def _cp_async_arrive(scene: Scene) -> str:
    return trn(
        "{agent} leaves {n} arrival on {barrier} to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive).",
        "{agent} leaves {n} arrivals on {barrier} to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive).",
        scene.amount,
        **_who(scene),
    )


def _copy_issue(scene: Scene) -> str:
    issues = tr(
        "{agent} issues a copy{of_tile}{into}: {bytes} bytes, which the copy engine will count on {barrier} as they"
        " land.",
        agent=scene.agent.name,
        of_tile=of_tile(scene.tile),
        into=into(scene),
        bytes=scene.amount,
        barrier=scene.barrier_name,
    )
    return sentences(issues, landing(scene))


_TOLD = {
    EventKind.WAIT_END: _wait_end,
    EventKind.ARRIVE: _arrive,
    EventKind.ARRIVE_DROP: _arrive_drop,
    **dict.fromkeys(CP_ASYNC_ARRIVALS, _cp_async_arrive),
}
