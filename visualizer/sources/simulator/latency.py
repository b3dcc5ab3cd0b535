"""How long things take in the simulator, in the few figures that shape a pipeline's picture on an H200.

The defaults are medians of the recordings in assets/traces, so they hold for the recorded kernel with its log and its
check of every value; tests/sources/simulator/test_latency.py holds them to that.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from visualizer.language import tr


@dataclass(frozen=True, slots=True)
class Latencies:
    """Nanoseconds, unless the line says bytes per nanosecond. Every duration is drawn within +-`jitter` of it."""

    start_skew: float = 10.0  # CTAs start within this much of each other
    init: float = 74.0  # one mbarrier.init
    publish: float = 157.0  # fence.mbarrier_init and the CTA-wide sync
    test_wait: float = 93.0  # a wait that passes at once
    wake_up: float = 48.0  # from a phase's completion to the end of a wait that was blocked on it
    arrive: float = 90.0  # an arrive, expect_tx or arrive.expect_tx
    issue_copy: float = 108.0  # the producer's own time to issue one bulk copy
    advance: float = 96.0  # ++PipelineState and the loop around it
    copy_latency: float = 125.0  # from a copy's issue to its first bytes in shared memory, source in L2
    copy_first_touch: float = 130.0  # more than that when the source comes from DRAM
    copy_bandwidth: float = 120.0  # bytes/ns into one CTA's shared memory, shared by its copies in flight
    read_bandwidth: float = 4.0  # bytes/ns at which one warp reads and checks its share of a tile
    tensor_bandwidth: float = 128.0  # bytes/ns at which a tensor core of Blackwell reads stages: a guess, none was here
    jitter: float = 0.05  # relative; 0 makes every duration exact

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            if not getattr(self, name) >= 0:
                raise ValueError(
                    tr("latency {name} is {value}; it must be 0 or more", name=name, value=getattr(self, name))
                )
        if not (min(self.copy_bandwidth, self.read_bandwidth, self.tensor_bandwidth) > 0 and self.jitter < 1):
            raise ValueError(tr("bandwidths must be above 0 bytes/ns and jitter below 1"))

    def as_dict(self) -> dict[str, float]:
        return asdict(self)
