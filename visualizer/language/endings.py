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
    " {pending} of {expected} arrivals and {bytes} bytes pending: nothing that could complete it is left to happen"
)
SYNC_FOR_EVER = mark("{agents} wait at __syncthreads or a named barrier, which not every agent that it counts reaches")
BLOCKED_FOR_EVER = mark("blocked for ever: {agents}")
GAVE_UP = mark("{agent} gave up after {ms} ms of waiting on {barrier}")
GAVE_UP_IN_CTAS = mark("{agent} gave up after {ms} ms of waiting on {barrier} ({n} of {ctas} CTAs timed out)")
TOO_LONG = mark("it took longer than the time limit of {seconds} s")
NO_EVENT = mark("it hung: no event for {seconds} s after {events}")
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
OVER_ARRIVAL = mark("arrive({count}) while only {pending} of {expected} arrivals are pending")
NO_COMPLETE = mark("a noComplete arrive would complete the phase")
TX_RANGE = mark("{operation} would make the transaction count {tx}, beyond +-{most}")
TX_NEGATIVE = mark("{operation} of {bytes} bytes: a byte count is not negative")
CTA_LEFT = mark("every agent of CTA {cta} has left the kernel")

SENTENCES = tuple(value for name, value in sorted(globals().items()) if name.isupper() and isinstance(value, str))


def recorded(sentence: str) -> str:
    """A sentence of a recording in the current language; one that is not ours, such as a driver's, as it is."""
    if current() == "en":
        return sentence
    for template, pattern in _patterns():
        if (match := pattern.fullmatch(sentence)) is not None:
            return tr(template, **{name: recorded(value) for name, value in match.groupdict().items()})
    return sentence


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """The templates with patterns that take them apart again; the longest first, for one may be within another."""
    templates = sorted(SENTENCES, key=len, reverse=True)
    return [(template, re.compile(_pattern(template), re.DOTALL)) for template in templates]


def _pattern(template: str) -> str:
    parts = re.split(r"\{(\w+)\}", template)
    return "".join(f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
