"""What is done to a barrier of which nothing tells the phases: no counts, and nothing of what comes of it."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.diagnosis.explanations.explain_barriers import estimate, into, landing
from visualizer.diagnosis.explanations.explain_waits import fate, first_try
from visualizer.diagnosis.explanations.scene import Scene
from visualizer.diagnosis.wording import duration, of_tile, sentence, sentences
from visualizer.language import mark, tr, trn
from visualizer.recording.schema import EventKind

_UNKNOWN = mark("In which phase the barrier is, nothing in the recording tells.")


def explain_unknown(scene: Scene) -> str | None:
    """The sentences; None for an event that says as much of any barrier."""
    told = _EXPLAINERS.get(EventKind(scene.kind))
    return told(scene) if told is not None else None


def _wait_begin(scene: Scene) -> str:
    waits = tr(
        "{agent} waits on {barrier} with parity {parity}.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        parity=scene.parity,
    )
    ends = tr("{fate}.", fate=sentence(what)) if (what := fate(scene)) else ""
    return sentences(waits, tr(_UNKNOWN), first_try(scene), ends)


def _wait_end(scene: Scene) -> str:
    begin = scene.causality.wait_begin(scene.step)
    facts = {"agent": scene.agent.name, "barrier": scene.barrier_name, "parity": scene.parity}
    if not scene.blocked or begin is None:
        passes = tr("{agent} passes its wait on {barrier} with parity {parity}.", **facts)
    else:
        spent = duration(scene.elapsed(begin))
        passes = tr(
            "{agent} passes its wait on {barrier} with parity {parity} after {duration}.", duration=spent, **facts
        )
    return sentences(passes, tr(_UNKNOWN))


def _timeout(scene: Scene) -> str:
    gives_up = tr(
        "{agent} gives up its wait on {barrier} with parity {parity}.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        parity=scene.parity,
    )
    return sentences(gives_up, tr(_UNKNOWN))


def _test_failed(scene: Scene) -> str:
    tests = tr(
        "{agent} tests {barrier} for parity {parity}: false by then, and it goes on without having passed.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        parity=scene.parity,
    )
    return sentences(tests, tr(_UNKNOWN))


def _arrive(scene: Scene) -> str:
    arrives = trn(
        "{agent} arrives once on {barrier}.",
        "{agent} arrives {n} times on {barrier}.",
        scene.amount,
        agent=scene.agent.name,
        barrier=scene.barrier_name,
    )
    return sentences(arrives, tr(_UNKNOWN))


def _arrive_drop(scene: Scene) -> str:
    drops = trn(
        "{agent} arrives on {barrier} and drops out with {n} arrival.",
        "{agent} arrives on {barrier} and drops out with {n} arrivals.",
        scene.amount,
        agent=scene.agent.name,
        barrier=scene.barrier_name,
    )
    return sentences(drops, tr(_UNKNOWN))


def _cp_async_arrive(scene: Scene) -> str:
    leaves = trn(
        "{agent} leaves {n} arrival on {barrier} to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive).",
        "{agent} leaves {n} arrivals on {barrier} to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive).",
        scene.amount,
        agent=scene.agent.name,
        barrier=scene.barrier_name,
    )
    return sentences(leaves, tr(_UNKNOWN))


def _expect_tx(scene: Scene) -> str:
    expects = tr(
        "{agent} makes {barrier} expect {bytes} bytes.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        bytes=scene.amount,
    )
    return sentences(expects, tr(_UNKNOWN))


def _arrive_expect_tx(scene: Scene) -> str:
    expects = tr(
        "{agent} arrives once on {barrier} and expects {bytes} bytes.",
        agent=scene.agent.name,
        barrier=scene.barrier_name,
        bytes=scene.amount,
    )
    return sentences(expects, tr(_UNKNOWN))


def _complete_tx(scene: Scene) -> str:
    lands = tr(
        "{bytes} bytes{of_tile} land{estimate}, which {barrier} counts.",
        bytes=scene.amount,
        of_tile=of_tile(scene.tile),
        estimate=estimate(scene),
        barrier=scene.barrier_name,
    )
    return sentences(lands, tr(_UNKNOWN))


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


_EXPLAINERS: dict[EventKind, Callable[[Scene], str]] = {
    EventKind.WAIT_BEGIN: _wait_begin,
    EventKind.WAIT_END: _wait_end,
    EventKind.TIMEOUT: _timeout,
    EventKind.TEST_FAILED: _test_failed,
    EventKind.ARRIVE: _arrive,
    EventKind.ARRIVE_DROP: _arrive_drop,
    EventKind.CP_ASYNC_ARRIVE: _cp_async_arrive,
    EventKind.CP_ASYNC_ARRIVE_NOINC: _cp_async_arrive,
    EventKind.EXPECT_TX: _expect_tx,
    EventKind.ARRIVE_EXPECT_TX: _arrive_expect_tx,
    EventKind.COMPLETE_TX: _complete_tx,
    EventKind.COPY_ISSUE: _copy_issue,
}
