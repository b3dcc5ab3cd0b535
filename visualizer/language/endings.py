"""How a run ended, in sentences that recordings keep in English: a file says the same to everybody.

They are made from these templates and translated when they are shown: `recorded(detail)`.
"""

from __future__ import annotations

import re
from functools import cache

from visualizer.language.catalog import current, mark, tr

UNDEFINED = mark("undefined behaviour: {agent} on {barrier}: {what}")
WAITS_FOR_EVER = mark(
    "{agent} waits on {barrier} with parity {parity}, but the barrier stays in phase #{phase} (parity {now}) with"
    " {missing} of {expected} arrivals and {bytes} bytes missing: nothing that could complete it is left to happen"
)
WAITED_FOR_EVER = mark(  # the same, as recordings of before have it
    "{agent} waits on {barrier} with parity {parity}, but the barrier stays in phase #{phase} (parity {now}) with"
    " {pending} of {expected} arrivals and {bytes} bytes pending: nothing that could complete it is left to happen"
)
SYNC_FOR_EVER = mark("{agents} wait at __syncthreads or a named barrier, which not every agent that it counts reaches")
REGISTERS_FOR_EVER = mark(
    "{agent} waits for {wanted} registers (setmaxnreg.inc), and its CTA has {free}: left by others {given}, taken"
    " {taken}"
)
BLOCKED_FOR_EVER = mark("blocked for ever: {agents}")
GAVE_UP = mark("{agent} gave up after {ms} ms of waiting on {barrier}")
GAVE_UP_IN_CTAS = mark("{agent} gave up after {ms} ms of waiting on {barrier} ({n} of {ctas} CTAs timed out)")
TOO_LONG = mark("it took longer than the time limit of {seconds} s")
NO_EVENT = mark("it hung: no event for {seconds} s after {events} events")
NO_RECORD = mark("it hung: nothing was recorded for {seconds} s after {records} records of single lanes")
NO_EVENT_AFTER = mark("it hung: no event for {seconds} s after {events}")  # the same, as recordings of before have it
LOST_IN_DEVICE = mark(
    "{why}; its log was in device memory and went with it before it could be copied: record again with --log-memory"
    " host"
)
LAST_COPY = mark(
    "{why}; its log was in device memory and is shown as it was last copied while the kernel ran: last events may be"
    " missing or not fit together. Record again with --log-memory host to have them all"
)
LOST_RING = mark(
    "{why}; its ring of clocks did not say yet which tiles it holds: record again with --watchdog-ms 1000 or --level"
    " words"
)
PROCESS_ENDED = mark("its process ended while the kernel ran")
WORKER_ENDED = mark("it ended with status {code}")

REINIT = mark("init on a live barrier: inval it first")
INIT_COUNT = mark("init count {count} is outside 1..{most}")
DROP_COUNT = mark("arrive_drop({count}) would leave an expected count of {left}")
MORE_PENDING = mark("{count} more pending arrivals are outside 1..{most}")
REMOTE_WAIT = mark("a wait is legal on a barrier of the own CTA only")
NOT_INITIALISED = mark("{operation} on a barrier that was not initialised")
ARRIVE_COUNT = mark("arrive count {count} is outside 1..{most}")
OVER_ARRIVAL = mark("arrive({count}) while only {missing} of {expected} arrivals are missing")
OVER_ARRIVED = mark("arrive({count}) while only {pending} of {expected} arrivals are pending")  # as before
NO_COMPLETE = mark("a noComplete arrive would complete the phase")
TX_RANGE = mark("{operation} would make the transaction count {tx}, beyond +-{most}")
TX_NEGATIVE = mark("{operation} of {bytes} bytes: a byte count is not negative")
CTA_LEFT = mark("every agent of CTA {cta} has left the kernel")

SENTENCES = tuple(value for name, value in sorted(globals().items()) if name.isupper() and isinstance(value, str))


_LONGEST = 4000
"""Characters of a sentence that is looked at: ours are far shorter, also where one quotes another."""


def recorded(sentence: str) -> str:
    """A sentence of a recording in the current language; one that is not ours, such as a driver's, as it is."""
    if current() == "en" or len(sentence) > _LONGEST:
        return sentence
    for template, pieces, names in _templates():
        if (values := _taken_apart(sentence, pieces)) is not None:
            return tr(template, **{name: recorded(value) for name, value in zip(names, values, strict=True)})
    return sentence


@cache
def _templates() -> list[tuple[str, list[str], list[str]]]:
    """The templates, each with the texts around its fields and the names of these; the longest first, for one may be
    within another."""
    parts = [(template, re.split(r"\{(\w+)\}", template)) for template in sorted(SENTENCES, key=len, reverse=True)]
    return [(template, pieces[::2], pieces[1::2]) for template, pieces in parts]


def _taken_apart(sentence: str, pieces: list[str]) -> list[str] | None:
    """What stands between the pieces, each of at least one character; None if they do not all stand there in order.

    Each piece is looked for once, where it first stands: what a stranger wrote cannot make this slow.
    """
    first, *others = pieces
    if not others:
        return [] if sentence == first else None
    if not sentence.startswith(first):
        return None
    at, values = len(first), []
    for piece in others[:-1]:
        found = sentence.find(piece, at + 1)
        if found < 0:
            return None
        values.append(sentence[at:found])
        at = found + len(piece)
    end = len(sentence) - len(others[-1])
    if end <= at or not sentence.endswith(others[-1]):
        return None
    return [*values, sentence[at:end]]
