"""Program: barriers, agents and their operation lists; what the simulator runs and the GPU kernel is configured by.

Beside it what a program lets a person set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from visualizer.language import tr
from visualizer.programs.errors import ProgramError
from visualizer.recording.tables import Agent, Barrier, Site
from visualizer.recording.trace import ONE_RING
from visualizer.semantics.warp import WARP_THREADS

if TYPE_CHECKING:
    from visualizer.programs.operations import Operation


@dataclass(frozen=True, slots=True)
class Parameter:
    """What may be set of a program, as a person sees it. A `bool` parameter has limits 0..1 and is a switch."""

    name: str  # in a mapping of parameters; the option is --name-with-dashes
    title: str
    low: int
    high: int
    unit: str
    help: str
    default: int | bool
    is_switch: bool = False
    ring: str | None = None  # it counts the stages of this ring; "": of the only one

    @property
    def option(self) -> str:
        return "--tile" if self.name in ("tile_rows", "tile_columns") else "--" + self.name.replace("_", "-")

    def check(self, value: object) -> None:
        """ProgramError, naming the option, if it cannot have this value."""
        if self.is_switch:
            if not isinstance(value, bool):
                raise ProgramError(tr("{option} is a switch, not {value!r}", option=self.option, value=value))
        elif not isinstance(value, int) or isinstance(value, bool):
            raise ProgramError(tr("{option} must be a whole number, not {value!r}", option=self.option, value=value))
        elif not self.low <= value <= self.high:
            raise ProgramError(
                tr(
                    "{option} is {value}; it must be {low}..{high}",
                    option=self.option,
                    value=value,
                    low=self.low,
                    high=self.high,
                )
            )


@dataclass(frozen=True, slots=True)
class ProgramAgent:
    """One agent and, in order, everything it does. `threads` is how many it counts for at a named barrier; 0: it is a
    tensor core, which meets nobody."""

    agent: Agent
    operations: tuple[Operation, ...]
    threads: int = WARP_THREADS


@dataclass(frozen=True, slots=True)
class Program:
    """A whole pipeline. `agents` holds the warps; each CTA's copy engine follows them in `copy_engines`.

    `rings` names the rings that stages count in, every CTA's alike. `cluster` CTAs are a cluster; 0: all are one.
    """

    name: str
    config: Mapping[str, Any]
    agents: tuple[ProgramAgent, ...]
    copy_engines: tuple[Agent, ...]
    barriers: tuple[Barrier, ...]
    sites: tuple[Site, ...]
    source_files: Mapping[str, str] = field(default_factory=dict)
    rings: tuple[str, ...] = ONE_RING
    cluster: int = 0

    def cluster_of(self, cta: int) -> int:
        """The number of the CTA's cluster."""
        return cta // self.cluster if self.cluster else 0
