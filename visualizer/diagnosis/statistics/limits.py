"""What a recording cannot tell: lost records, estimated times, parts left out. Said beside the numbers."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, Facts
from visualizer.language import tr, trn

_MOST_ESTIMATED = 0.05
"""Up to this share of estimated landings the latency distribution is the recording's own."""


def limits(facts: Facts) -> tuple[str, ...]:
    """Sentences, the gravest first; () if there is nothing to say."""
    trace, waits, times, copies = facts.history.trace, facts.waits, facts.wait_times, facts.copies
    meta = trace.meta
    said = []
    if not len(trace):
        return (tr("The recording has no events."),)
    if meta.events_lost:
        said.append(
            trn(
                "{n} event lost: what happened then counts as busy, and tiles around it look long.",
                "{n} events lost: what happened then counts as busy, and tiles around them look long.",
                meta.events_lost,
            )
        )
    if meta.window:
        said.append(
            tr("The recording is a window of a longer run: its edges cut off waits, and shares hold for the window.")
        )
    if trace.barriers and not (times.on_full.any() or times.on_empty.any()) and (waits.barrier >= 0).any():
        said.append(
            facts.history.structure.unknown
            or tr("Which barriers say full and which say empty is not known: nor are back-pressure and starving.")
        )
    if not trace.barriers or not (waits.barrier >= 0).any():
        said.append(tr("There are no waits on mbarriers, so who waited for whom, and the bound, are unknown."))
    for role, name in ((PRODUCER, "producer"), (CONSUMER, "consumer")):
        if (waits.barrier >= 0).any() and (facts.lives.role == role).any() and not (times.role == role).any():
            said.append(tr("No wait of a {role} is recorded, so its share of waiting is unknown.", role=name))
    if not len(copies.issued):
        said.append(tr("No copy is recorded from issue to landing, so copy latency and throughput are unknown."))
    else:
        estimated = float(np.mean(copies.estimated))
        if estimated > _MOST_ESTIMATED:
            said.append(
                tr(
                    "The landing of {share} of the copies is an estimate: no wait saw it, so their latency is one too.",
                    share=f"{estimated:.0%}",
                )
            )
    if facts.tiles.ends_with == "":
        said.append(tr("No event names a tile, so the time per tile is unknown."))
    elif facts.tiles.ends_with != "empty":
        said.append(
            tr("No empty barrier is recorded, so a tile counts as done when it has been read, or at least is full.")
        )
    guessed = meta.source.get("guessed_reads", 0)
    if guessed:
        said.append(
            trn(
                "How long {n} read takes is a guess by its bytes: the program does not say.",
                "How long {n} reads take is a guess by their bytes: the program does not say.",
                guessed,
            )
        )
    open_waits = int((waits.end < 0).sum())
    if open_waits:
        said.append(
            trn(
                "{n} wait never passed; it counts as waiting to the end.",
                "{n} waits never passed; they count as waiting to the end.",
                open_waits,
            )
        )
    return tuple(said)
