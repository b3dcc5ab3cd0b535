"""The small tables of a Trace: who acted (agents), on what (barriers), where in the source (sites), and meta."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from visualizer.recording.facts import Check, Clock, Cost, Reconcile, Source, Window
from visualizer.semantics.pipeline_state import PipelineState

AgentRole = Literal["producer", "consumer", "mma", "epilogue", "copy_engine", "tensor_core", "other"]
WARP_ROLES: tuple[AgentRole, ...] = ("producer", "consumer", "mma", "epilogue", "other")
HARDWARE_ROLES: tuple[AgentRole, ...] = ("copy_engine", "tensor_core")
"""Of agents that are no warps and wait for nothing."""
BarrierKind = Literal["full", "empty", "order", "other"]
"""A full barrier says that a stage can be read, an empty one that it can be filled, one of order whose turn it is."""
EndingKind = Literal["completed", "deadlock", "timeout", "crash", "cancelled"]
_CTA = re.compile(r"^CTA\d+\.")


def without_cta(name: str) -> str:
    """The name of an agent or barrier within its CTA: "full[0]" of "CTA1.full[0]"."""
    return _CTA.sub("", name)


@dataclass(frozen=True, slots=True)
class Agent:
    """A warp that acts on barriers, or a CTA's copy engine ("tma") or tensor core, which have warp -1."""

    name: str  # "producer", "consumer.w1", "tma"; "CTA1.producer" when there are several CTAs
    role: AgentRole
    cta: int
    warp: int
    start: PipelineState | None = None  # the cursor over the first ring that it starts with; None if it has none
    more_starts: tuple[tuple[str, PipelineState], ...] = ()  # those over further rings, each with the ring's name
    warpgroup: int = -1  # of the CTA; -1: not told


@dataclass(frozen=True, slots=True)
class Barrier:
    """One mbarrier object."""

    name: str  # "full[0]", "empty[2]"; "CTA1.full[0]" when there are several CTAs
    cta: int
    kind: BarrierKind
    stage: int  # -1: belongs to no stage
    init_count: int  # arrivals per phase the program gives it; 0: not known beforehand, INIT events say
    offset: int  # bytes from the start of the CTA's dynamic shared memory; -1: unknown
    first_phase: int = 0  # the phase it is in where the recording begins: above 0 in a window of a longer run
    ring: str = ""  # the ring, one of Trace.rings, in which `stage` counts
    address: int = -1  # in shared memory, as the kernel uses it: CTA rank in the cluster << 24 | offset; -1: unknown


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a site's inline stack."""

    file: str
    line: int  # counted from 1
    function: str  # demangled; "": unknown


@dataclass(frozen=True, slots=True)
class Site:
    """One operation in the source: where a record was made."""

    file: str  # as named in Trace.source_files, e.g. "kernels/async_pipeline.cu"
    line: int  # counted from 1
    op: str  # CUTLASS's word for it: "producer_acquire", "consumer_release", ...
    stack: tuple[
        Frame, ...
    ] = ()  # the inline stack, innermost first, whose first frame is `file` and `line`; (): unknown


@dataclass(frozen=True, slots=True)
class Ending:
    """How the run ended, in one word and one sentence ("" when it simply completed)."""

    kind: EndingKind
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Meta:
    """Everything about a recording that is not a row. All values are JSON; docs/trace-format.md lists the keys."""

    program: str  # "lesson"
    config: dict[str, Any]  # the program's parameters by name
    source: Source  # {"kind": "simulator" | "gpu", ...}: seed and latencies, or GPU model and driver
    ending: Ending
    command: str = ""  # the command line that makes this recording again
    created: str = ""  # ISO 8601, UTC
    records_lost: int = 0  # events whose records the log had no room for
    events_dropped: int = 0  # recorded events left out because other agents' records of that time were lost
    clock: Clock = field(default_factory=Clock)  # fit of SM cycles to nanoseconds
    reconcile: Reconcile = field(default_factory=Reconcile)  # how far events were moved
    window: Window = field(default_factory=Window)  # what of the run was not recorded; {}: all of it was
    cost: Cost = field(default_factory=Cost)  # what recording did to the run's time; {}: unknown
    check: Check = field(default_factory=Check)  # {"mode": "exact", "checked": n, "errors": n}
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def events_lost(self) -> int:
        """Events that happened and are not in the recording, for whichever of the two reasons: what people are told."""
        return self.records_lost + self.events_dropped
