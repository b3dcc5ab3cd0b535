"""An mbarrier's word in plain words. What its bits mean was measured on an H200; docs/hardware.md."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.language import tr, trn
from visualizer.semantics.word import TX_GRANULE, decode

MOST_COUNT = (1 << 20) - 1
_NEVER_SEEN = 1 << 42


@dataclass(frozen=True, slots=True)
class Word:
    """What a word says. `tx`: bytes outstanding, rounded up to 2048; below 0: more came than was expected so far."""

    value: int
    parity: int
    pending: int
    tx: int

    @property
    def odd(self) -> bool:
        """Whether a bit is set that was 0 in every word seen."""
        return bool(self.value & _NEVER_SEEN)


def word_of(value: int) -> Word:
    """The word, 0 to 2^64 - 1."""
    parity, pending, tx = (int(column[0]) for column in decode(np.array([value], np.uint64)))
    return Word(value, parity, pending, tx)


def word_sentences(word: Word, count: int | None) -> list[str]:
    """What a word says, a sentence each. `count`: the arrivals that each phase takes, None: not told."""
    told = [
        tr(
            "The open phase has parity {parity}: a wait with parity {parity} waits, one with parity {other} passes.",
            parity=word.parity,
            other=1 - word.parity,
        ),
        _arrivals(word.pending, count),
        _bytes(word),
    ]
    if word.odd:
        told.append(tr("Bit 42 is set, which it never was in a word of a live barrier: this may be none."))
    return told


def _arrivals(pending: int, count: int | None) -> str:
    if count is None:
        return trn(
            "{n} arrival is missing; how many a phase takes is not in the word (--count tells it).",
            "{n} arrivals are missing; how many a phase takes is not in the word (--count tells it).",
            pending,
        )
    if pending > count:
        return tr(
            "{missing} arrivals are missing, more than the {count} that a phase is said to take: the count is another,"
            " or this is no word of a live barrier.",
            missing=pending,
            count=count,
        )
    return tr("{arrived} of {count} arrivals have come.", arrived=count - pending, count=count)


def _bytes(word: Word) -> str:
    if word.tx > 0:
        return tr("{least} to {most} bytes are outstanding.", least=word.tx - TX_GRANULE + 1, most=word.tx)
    if word.tx < 0:
        return tr(
            "{least} to {most} bytes more have come than were expected so far.",
            least=-word.tx,
            most=-word.tx + TX_GRANULE - 1,
        )
    return tr("No bytes are outstanding.")
