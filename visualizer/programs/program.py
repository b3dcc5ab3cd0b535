"""Program: barriers, agents and their operation lists; what the simulator runs and the GPU kernel is configured by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from visualizer.programs.operations import Operation
from visualizer.recording.tables import Agent, Barrier, Site
from visualizer.recording.trace import ONE_RING


@dataclass(frozen=True, slots=True)
class ProgramAgent:
    """One agent and, in order, everything it does."""

    agent: Agent
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A whole pipeline. `agents` holds the warps; each CTA's copy engine follows them in `copy_engines`.

    `rings` names the rings that stages count in, every CTA's alike.
    """

    name: str
    config: Mapping[str, Any]
    agents: tuple[ProgramAgent, ...]
    copy_engines: tuple[Agent, ...]
    barriers: tuple[Barrier, ...]
    sites: tuple[Site, ...]
    source_files: Mapping[str, str] = field(default_factory=dict)
    rings: tuple[str, ...] = ONE_RING
