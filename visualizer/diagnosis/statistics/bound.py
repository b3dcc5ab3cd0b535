"""What bound the run: one word and one sentence, from who waited for whom. docs/statistics.md states the rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from visualizer.diagnosis.statistics.hang import Stuck, hang_sentence
from visualizer.diagnosis.statistics.shares import RoleShare
from visualizer.language import mark, tr

BoundKind = Literal["consumer-bound", "copy-bound", "producer-bound", "balanced", "hung", "unknown"]

MUCH = 0.25
"""A role that waits less than this share of its time is not held up."""
CLEARLY = 2.0
"""Consumers bound the run only if the producer waits this many times as much as they do."""

_BALANCED = mark("balanced: the producer waited {back} of the time for free stages, the consumers {starved} for data")
_CONSUMER = mark("consumer-bound: the producer waited {back} of the time for consumers to release a stage")
_COPY = mark("copy-bound: consumers waited {starved} of the time for data, most of it while its copy was in flight")
_PRODUCER = mark(
    "producer-bound: consumers waited {starved} of the time for data, most of it before its copy was issued"
)
_UNKNOWN = mark("what bounds it is unknown: this range has no waits of a producer and no waits of consumers")


@dataclass(frozen=True, slots=True)
class Bound:
    """`kind`, and the shares (0..1) it was judged by."""

    kind: BoundKind
    back_pressure: float  # of the producers' time
    starved: float  # of the consumers' time
    hang: str = ""  # of one that hangs: who waits for ever

    @property
    def sentence(self) -> str:
        if self.kind == "hung":
            return self.hang
        texts = {
            "balanced": _BALANCED,
            "consumer-bound": _CONSUMER,
            "copy-bound": _COPY,
            "producer-bound": _PRODUCER,
            "unknown": _UNKNOWN,
        }
        return tr(texts[self.kind], back=f"{self.back_pressure:.0%}", starved=f"{self.starved:.0%}")

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "back_pressure_share": round(self.back_pressure, 5),
            "starved_share": round(self.starved, 5),
        }


def judge(roles: tuple[RoleShare, ...], not_issued: int, in_flight: int, stuck: tuple[Stuck, ...] = ()) -> Bound:
    """The bound; `not_issued` and `in_flight` are the parts of the consumers' starved time (ps), `stuck` who waits for
    ever: then nothing bounds the run but that."""
    by_name = {role.role: role for role in roles}
    producer, consumer = by_name.get("producer"), by_name.get("consumer")
    back = producer.share(producer.back_pressure) if producer else 0.0
    starved = consumer.share(consumer.starved) if consumer else 0.0
    if stuck:
        return Bound("hung", back, starved, hang_sentence(stuck))
    if not any(role.waiting for role in (producer, consumer) if role):
        return Bound("unknown", back, starved)
    if back >= MUCH and back >= CLEARLY * starved:
        return Bound("consumer-bound", back, starved)
    # Producers wait too while slow copies fill the ring: whoever the consumers wait for is what bounds the run.
    if starved >= MUCH:
        return Bound("copy-bound" if in_flight > not_issued else "producer-bound", back, starved)
    return Bound("balanced", back, starved)
