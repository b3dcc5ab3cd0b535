"""What a recording cannot tell: lost records, estimated times, parts left out. Said beside the numbers."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, Facts
from visualizer.language import tr, trn

_MOST_ESTIMATED = 0.05
"""Up to this share of estimated landings the latency distribution is the recording's own."""


def limits(facts: Facts) -> tuple[str, ...]:
    """Sentences, the gravest first; () if there is nothing to say."""
    trace = facts.history.trace
    if not len(trace):
        return (tr("The recording has no events."),)
    said = []
    if trace.meta.events_lost:
        said.append(
            trn(
                "{n} event lost: what happened then counts as busy, and tiles around it look long.",
                "{n} events lost: what happened then counts as busy, and tiles around them look long.",
                trace.meta.events_lost,
            )
        )
    if trace.meta.window:
        said.append(
            tr("The recording is a window of a longer run: its edges cut off waits, and shares hold for the window.")
        )
    said += [*_of_waits(facts), *_of_copies(facts), *_of_tiles(facts)]
    if guessed := trace.meta.source.get("guessed_reads", 0):
        said.append(
            trn(
                "How long {n} read takes is a guess by its bytes: the program does not say.",
                "How long {n} reads take is a guess by their bytes: the program does not say.",
                guessed,
            )
        )
    if open_waits := int((facts.waits.end < 0).sum()):
        said.append(
            trn(
                "{n} wait never passed; it counts as waiting to the end.",
                "{n} waits never passed; they count as waiting to the end.",
                open_waits,
            )
        )
    return tuple(said)


def _of_waits(facts: Facts) -> list[str]:
    """Why it is not known who waited for whom."""
    times, on_barriers = facts.wait_times, bool((facts.waits.barrier >= 0).any())
    if not on_barriers:
        return [tr("There are no waits on mbarriers, so who waited for whom, and the bound, are unknown.")]
    said = []
    if not (times.on_full.any() or times.on_empty.any()):
        said.append(
            facts.history.structure.unknown
            or tr("Which barriers say full and which say empty is not known: nor are back-pressure and starving.")
        )
    for role, name in ((PRODUCER, "producer"), (CONSUMER, "consumer")):
        if (facts.lives.role == role).any() and not (times.role == role).any():
            said.append(tr("No wait of a {role} is recorded, so its share of waiting is unknown.", role=name))
    return said


def _of_copies(facts: Facts) -> list[str]:
    """Why latency and throughput are not known, or not exact."""
    if not len(facts.copies.issued):
        return [tr("No copy is recorded from issue to landing, so copy latency and throughput are unknown.")]
    estimated = float(np.mean(facts.copies.estimated))
    if estimated <= _MOST_ESTIMATED:
        return []
    return [
        tr(
            "The landing of {share} of the copies is an estimate: no wait saw it, so their latency is one too.",
            share=f"{estimated:.0%}",
        )
    ]


def _of_tiles(facts: Facts) -> list[str]:
    """Why it is not known when a tile was done."""
    if facts.tiles.ends_with == "":
        return [tr("No event names a tile, so the time per tile is unknown.")]
    if facts.tiles.ends_with == "empty":
        return []
    return [tr("No empty barrier is recorded, so a tile counts as done when it has been read, or at least is full.")]
