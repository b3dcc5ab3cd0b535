"""What a diagnosis leaves out because the recording does not tell enough: a rule each, with what it needs.

The rules find nothing where they lack it; a reader must not take that for a sound run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visualizer.diagnosis.uses.accesses import shared_places
from visualizer.language import mark, tr, trn
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.structure.model import Structure

JUDGED_ALL_THE_SAME = mark(
    "judged were undefined operations, arrivals and bytes beyond what a phase takes, and who is blocked"
)
"""What needs no structure."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule looks for, and why a history lacks what it needs: a sentence, "" if it does not."""

    looks_for: str
    lacks: Callable[[History], str]


def not_judged(history: History) -> tuple[str, ...]:
    """The rules that could not be applied, or not to everything; a sentence each."""
    found = [(tr(rule.looks_for), rule.lacks(history)) for rule in RULES]
    told = [tr("{rule}: {reason}", rule=rule, reason=reason) for rule, reason in found if reason]
    return (*told, *_waits_left_out(history), *_pairs_left_out(history), *_buffers_left_out(history))


def knows_no_ring(history: History) -> bool:
    """Whether nothing that needs structure could be judged."""
    return _no_kinds(history) != "" and _no_places(history) != ""


def _unknown(structure: Structure) -> str:
    return tr("{note}.", note=structure.unknown) if structure.unknown else ""


def _no_kinds(history: History) -> str:
    structure = history.structure
    if any(kind != "other" for kind in structure.kinds):
        return ""
    return _unknown(structure) or tr("it is not known which barriers say full and which say empty.")


def _no_places(history: History) -> str:
    structure = history.structure
    if structure.places:
        return ""
    return _unknown(structure) or tr("it is not known which barriers guard a buffer.")


def _no_pairs(history: History) -> str:
    structure = history.structure
    if any(full and empty for ring in structure.rings for full, empty in zip(ring.full, ring.empty, strict=False)):
        return ""
    return _unknown(structure) or tr("of no stage both a full and an empty barrier are known.")


def _no_producers(history: History) -> str:
    if lacking := _no_pairs(history):
        return lacking
    return "" if "producer" in history.structure.roles else tr("it is not known who produces.")


def _no_reads(history: History) -> str:
    if lacking := _no_places(history):
        return lacking
    full = np.array([*(kind == "full" for kind in history.structure.kinds), False])
    passed = history.waits.barrier[history.waits.end >= 0]
    # Nobody who has not waited for a tile would have read one.
    if not full[passed].any() or (history.kinds == EventKind.READ_BEGIN).any():
        return ""
    return tr("reads of buffers are not in the recording.")


RULES = (
    Rule(mark("Whether a stage is freed more often than it is filled"), _no_pairs),
    Rule(mark("Whether one role arrives more often than another"), _no_kinds),
    Rule(mark("Whether a wait passes for another phase than it means"), _no_kinds),
    Rule(mark("Whether a producer arrives before its stage is free"), _no_producers),
    Rule(mark("Whether a buffer is filled again before it was read"), _no_places),
    Rule(mark("Whether a buffer is read too early, or overwritten while it is read"), _no_reads),
)


def _waits_left_out(history: History) -> list[str]:
    """Waits on barriers that say full or empty, but whose count nobody told."""
    kinds = np.array([kind != "other" for kind in history.structure.kinds], bool)
    waited = np.zeros(len(kinds), bool)
    waited[history.waits.on_barriers.barrier] = True
    uncounted = int((kinds & waited & history.barriers.uncounted).sum())
    if not uncounted:
        return []
    return [
        trn(
            "Waits on {n} barrier: how many arrivals its phases take is not in the recording.",
            "Waits on {n} barriers: how many arrivals their phases take is not in the recording.",
            uncounted,
        )
    ]


def _pairs_left_out(history: History) -> list[str]:
    """Stages of which several barriers say full and several empty, as where two rings were told as one."""
    several = sum(
        len(full) > 1 and len(empty) > 1
        for ring in history.structure.rings
        for full, empty in zip(ring.full, ring.empty, strict=False)
    )
    if not several:
        return []
    return [
        trn(
            "Whether each empty barrier of {n} stage is waited for: which of its full barriers it guards is not known.",
            "Whether each empty barrier of {n} stages is waited for: which of their full barriers it guards is not"
            " known.",
            several,
        )
    ]


def _buffers_left_out(history: History) -> list[str]:
    """Copies whose buffer is not known, where some are."""
    if _no_places(history) or not history.steps:
        return []
    copies = history.copies
    nowhere = int((copies.place < 0).sum())
    told = []
    if nowhere:
        told.append(
            trn(
                "Buffers of {n} copy: it goes to no stage of a known ring.",
                "Buffers of {n} copies: they go to no stage of a known ring.",
                nowhere,
            )
        )
    if shared := len(shared_places(history, copies.place, copies.barrier)):
        told.append(
            trn(
                "The buffer of {n} stage: copies of several barriers go there, so it may be more than one.",
                "The buffers of {n} stages: copies of several barriers go there, so they may be more than one each.",
                shared,
            )
        )
    return told
