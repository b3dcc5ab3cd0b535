"""The lesson's parameters with their limits: one table feeds the command line, the experiment panel and the checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES, SharedStorage

WARP_THREADS = 32
ELEMENT_BYTES = 2  # half
BOX_COLUMNS = 64  # one TMA box is 64 halves = 128 bytes wide, the span of the 128-byte swizzle


class ProgramError(ValueError):
    """A program that cannot run as described; the message names the parameter and what it may be."""


@dataclass(frozen=True, slots=True)
class LessonConfig:
    """The lesson's experiment and what may be varied in it. Defaults are the lesson; counts of 0 mean "what fits"."""

    stages: int = 3
    tiles: int = 8
    tile_rows: int = 128
    tile_columns: int = 64
    consumer_warps: int = 3
    arrive_per_warp: bool = False  # False: every consumer thread arrives (96); True: one lane a warp (3)
    ctas: int = 1
    source_tiles: int = 1  # distinct tiles along K; 1 copies the same tile each time, as the lesson does
    producer_delay: int = 0  # ns of work before each copy
    consumer_delay: int = 0  # ns of work on each tile, after reading it
    producer_arrivals: int = 0  # full.init (num_producers); 0: the 1 arrival that the leader makes
    consumer_arrivals: int = 0  # empty.init (num_consumers); 0: as many as the consumers make
    transaction_bytes: int = 0  # bytes expected per phase; 0: the tile's bytes
    producer_phase: int = 1  # start phase of the producer's cursor
    consumer_phase: int = 0

    def __post_init__(self) -> None:
        for parameter in PARAMETERS:
            parameter.check(getattr(self, parameter.name))
        if self.tile_columns % BOX_COLUMNS:
            raise ProgramError(f"--tile: {self.tile_columns} columns is not a multiple of {BOX_COLUMNS}")
        if self.tile_rows % 8:
            raise ProgramError(f"--tile: {self.tile_rows} rows is not a multiple of 8, the height of a swizzle atom")
        if self.storage.total_bytes > MAX_DYNAMIC_BYTES:
            raise ProgramError(
                f"--stages {self.stages} with --tile {self.tile_rows}x{self.tile_columns} needs"
                f" {self.storage.total_bytes} bytes of shared memory; a CTA has {MAX_DYNAMIC_BYTES}:"
                " use fewer stages or a smaller tile"
            )

    @property
    def tile_bytes(self) -> int:
        return self.tile_rows * self.tile_columns * ELEMENT_BYTES

    @property
    def copies_per_tile(self) -> int:
        """TMA copies that fill one stage: one per box of 64 columns."""
        return self.tile_columns // BOX_COLUMNS

    @property
    def arrivals_per_warp(self) -> int:
        return 1 if self.arrive_per_warp else WARP_THREADS

    @property
    def full_init(self) -> int:
        return self.producer_arrivals or 1

    @property
    def empty_init(self) -> int:
        return self.consumer_arrivals or self.consumer_warps * self.arrivals_per_warp

    @property
    def expected_bytes(self) -> int:
        return self.transaction_bytes or self.tile_bytes

    @property
    def storage(self) -> SharedStorage:
        return SharedStorage(self.stages, self.tile_bytes)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def changed(self, **values: Any) -> LessonConfig:
        return replace(self, **values)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LessonConfig:
        """From a recording's `config`; the name of a fault in it is no parameter. ProgramError if one is unknown."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in values.items() if name != "fault"}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ProgramError(f"unknown parameter {unknown[0]!r}; known are {', '.join(sorted(known))}")
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field of LessonConfig as a person sees it. A `bool` parameter has limits 0..1 and is a switch."""

    name: str  # field of LessonConfig; the option is --name-with-dashes
    title: str
    low: int
    high: int
    unit: str
    help: str
    is_switch: bool = False

    @property
    def option(self) -> str:
        return "--tile" if self.name in ("tile_rows", "tile_columns") else "--" + self.name.replace("_", "-")

    def check(self, value: object) -> None:
        if self.is_switch:
            if not isinstance(value, bool):
                raise ProgramError(f"{self.option} is a switch, not {value!r}")
        elif not isinstance(value, int) or isinstance(value, bool):
            raise ProgramError(f"{self.option} must be a whole number, not {value!r}")
        elif not self.low <= value <= self.high:
            raise ProgramError(f"{self.option} is {value}; it must be {self.low}..{self.high}")


PARAMETERS = (
    Parameter("stages", "Stages", 1, 8, "", "stage buffers in the ring"),
    Parameter("tiles", "Tiles", 1, 10_000_000, "", "tiles each CTA copies"),
    Parameter("tile_rows", "Tile rows", 8, 256, "", "rows of a tile of halves"),
    Parameter("tile_columns", "Tile columns", 64, 512, "", "columns of a tile; a multiple of 64"),
    Parameter("consumer_warps", "Consumer warps", 1, 15, "", "warps that read each tile"),
    Parameter("arrive_per_warp", "Arrive per warp", 0, 1, "", "one lane per consumer warp arrives", is_switch=True),
    Parameter("ctas", "CTAs", 1, 65535, "", "thread blocks, each with its own pipeline"),
    Parameter("source_tiles", "Distinct tiles", 1, 65536, "", "distinct tiles along K; 1 copies the same tile"),
    Parameter("producer_delay", "Producer delay", 0, 1_000_000, "ns", "work before each copy"),
    Parameter("consumer_delay", "Consumer delay", 0, 1_000_000, "ns", "work on each tile after reading it"),
    Parameter("producer_arrivals", "full.init", 0, MAX_COUNT, "", "arrivals a full barrier expects; 0: 1"),
    Parameter("consumer_arrivals", "empty.init", 0, MAX_COUNT, "", "arrivals an empty barrier expects; 0: what fits"),
    Parameter("transaction_bytes", "Transaction bytes", 0, MAX_COUNT, "bytes", "bytes expected; 0: the tile's bytes"),
    Parameter("producer_phase", "Producer start phase", 0, 1, "", "the lesson starts at 1"),
    Parameter("consumer_phase", "Consumer start phase", 0, 1, "", "the lesson starts at 0"),
)
