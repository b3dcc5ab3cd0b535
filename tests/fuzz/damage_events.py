"""Ways of damaging the events and samples of a recording."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.fuzz import nasty
from tests.fuzz.parts import Parts
from visualizer.recording.schema import EVENT_DTYPE, SAMPLE_DTYPE, EventKind


def _event_field(parts: Parts, random: Random) -> None:
    """A field of a few events: a bound of its type, or what others have in it."""
    events = parts.events
    if not len(events):
        return
    name = random.choice(EVENT_DTYPE.names)
    for _ in range(random.choice((1, 1, 3, 20, len(events)))):
        at = random.randrange(len(events))
        way = random.randrange(3)
        if name == "kind" or way == 0:
            new = int(random.choice(list(EventKind))) if name == "kind" else int(random.choice(events)[name])
        elif way == 1:
            new = random.randint(-1, 6)
        else:
            new = nasty.integer(random)
        low, high = _bounds(EVENT_DTYPE[name])
        events[name][at] = min(max(new, low), high)


def _bounds(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _event_rows(parts: Parts, random: Random) -> None:
    """Events missing, doubled, in another order at the same times, or fewer altogether."""
    events, rows = parts.events, len(parts.events)
    if not rows:
        return
    way, first = random.randrange(6), random.randrange(rows)
    last = min(rows, first + random.choice((1, 1, 5, 50)))
    if way == 0:
        kept = np.delete(events, np.s_[first:last])
    elif way == 1:
        kept = np.insert(events, first, events[first:last])
    elif way == 2:
        kept, time = events.copy(), events["time"].copy()
        kept[first:last] = kept[first:last][::-1]
        kept["time"] = time
    elif way == 3:
        kept = events[: random.choice((0, 1, 2, first))].copy()
    elif way == 4:
        kept, time = events[np.random.default_rng(first).permutation(rows)], events["time"].copy()
        kept["time"] = time
    else:
        kept = events[first:].copy()
    parts.events = kept
    if len(kept):
        kept["time"] -= kept["time"][0]


def _times(parts: Parts, random: Random) -> None:
    """Times that are all one, far apart, or at the end of what an int64 holds."""
    events, rows = parts.events, len(parts.events)
    if not rows:
        return
    way, far = random.randrange(5), random.choice((2**40, 2**53 - 1, 2**53, 2**60, 2**62, 2**63 - 1))
    if way == 0:
        events["time"] = 0
    elif way == 1:
        events["time"][random.randrange(rows) :] = far
        events["time"][0] = 0
    elif way == 2:
        events["time"] = np.linspace(0, float(min(far, 2**62)), rows).astype(np.int64)
    elif way == 3:
        events["measured"][random.randrange(rows) :] = random.choice((far, -far))
    else:
        events["time"][-1] = far
        events["time"][0] = 0


def _samples(parts: Parts, random: Random) -> None:
    """What a probe cannot have seen."""
    if random.random() < 0.5 or not len(parts.samples):
        rows = random.choice((1, 3, 40))
        samples = np.zeros(rows, SAMPLE_DTYPE)
        barriers = len(parts.document["barriers"]) if isinstance(parts.document["barriers"], list) else 1
        samples["barrier"] = sorted(random.randrange(max(barriers, 1)) for _ in range(rows))
        end = int(parts.events["time"][-1]) if len(parts.events) else 1000
        samples["begin"] = sorted(random.randint(-100, max(end, 1)) for _ in range(rows))
        samples["end"] = samples["begin"] + random.randint(-50, 50)
        samples["word"] = [random.getrandbits(64) for _ in range(rows)]
        parts.samples = samples[np.lexsort((samples["begin"], samples["barrier"]))]
    else:
        samples = parts.samples.copy()
        name = random.choice(SAMPLE_DTYPE.names)
        low, high = _bounds(SAMPLE_DTYPE[name])
        samples[name][random.randrange(len(samples))] = min(max(nasty.integer(random), low), high)
        parts.samples = samples
    if isinstance(parts.document["meta"].get("source"), dict) and random.random() < 0.5:
        parts.document["meta"]["source"]["probe"] = nasty.probe(random)


WAYS = (_event_field, _event_field, _event_rows, _times, _samples)
