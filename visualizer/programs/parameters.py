"""The lesson's parameters with their limits: one table feeds the command line, the experiment panel and the checks.

Other rooms know parameters as plain mappings (lesson_facts.py) and as what a program declares (registry.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from visualizer.language import mark, tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Parameter
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES, SharedStorage
from visualizer.semantics.warp import WARP_THREADS

LESSON = "lesson"
ELEMENT_BYTES = 2  # half
BOX_COLUMNS = 64  # one TMA box is 64 halves = 128 bytes wide, the span of the 128-byte swizzle


def check_tile(rows: int, columns: int) -> None:
    """ProgramError unless TMA can bring a tile of so many rows and columns of halves, box by box."""
    if columns % BOX_COLUMNS:
        raise ProgramError(
            tr(
                "--tile: {tile_columns} columns is not a multiple of {box_columns}",
                tile_columns=columns,
                box_columns=BOX_COLUMNS,
            )
        )
    if rows % 8:
        raise ProgramError(
            tr("--tile: {tile_rows} rows is not a multiple of 8, the height of a swizzle atom", tile_rows=rows)
        )


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
        check_tile(self.tile_rows, self.tile_columns)
        if self.storage.total_bytes > MAX_DYNAMIC_BYTES:
            raise ProgramError(
                tr(
                    "--stages {stages} with --tile {tile_rows}x{tile_columns} needs {total_bytes} bytes of"
                    " shared memory; a CTA has {max_dynamic_bytes}: use fewer stages or a smaller tile",
                    stages=self.stages,
                    tile_rows=self.tile_rows,
                    tile_columns=self.tile_columns,
                    total_bytes=self.storage.total_bytes,
                    max_dynamic_bytes=MAX_DYNAMIC_BYTES,
                )
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
            raise ProgramError(
                tr(
                    "unknown parameter {unknown!r}; known are {names}",
                    unknown=unknown[0],
                    names=", ".join(sorted(known)),
                )
            )
        return cls(**values)


_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(LessonConfig)}


def _parameter(
    name: str,
    title: str,
    low: int,
    high: int,
    unit: str,
    help: str,
    is_switch: bool = False,
    ring: str | None = None,
) -> Parameter:
    return Parameter(name, title, low, high, unit, help, _DEFAULTS[name], is_switch, ring)


PARAMETERS = (
    _parameter("stages", mark("Stages"), 1, 8, "", mark("stage buffers in the ring"), ring=""),
    _parameter("tiles", mark("Tiles"), 1, 10_000_000, "", mark("tiles each CTA copies")),
    _parameter("tile_rows", mark("Tile rows"), 8, 256, "", mark("rows of a tile of halves")),
    _parameter("tile_columns", mark("Tile columns"), 64, 512, "", mark("columns of a tile; a multiple of 64")),
    _parameter("consumer_warps", mark("Consumer warps"), 1, 15, "", mark("warps that read each tile")),
    _parameter(
        "arrive_per_warp", mark("Arrive per warp"), 0, 1, "", mark("one lane per consumer warp arrives"), is_switch=True
    ),
    _parameter("ctas", mark("CTAs"), 1, 65535, "", mark("thread blocks, each with its own pipeline")),
    _parameter(
        "source_tiles", mark("Distinct tiles"), 1, 65536, "", mark("distinct tiles along K; 1 copies the same tile")
    ),
    _parameter("producer_delay", mark("Producer delay"), 0, 1_000_000, "ns", mark("work before each copy")),
    _parameter(
        "consumer_delay", mark("Consumer delay"), 0, 1_000_000, "ns", mark("work on each tile after reading it")
    ),
    _parameter("producer_arrivals", "full.init", 0, MAX_COUNT, "", mark("arrivals a full barrier expects; 0: 1")),
    _parameter(
        "consumer_arrivals", "empty.init", 0, MAX_COUNT, "", mark("arrivals an empty barrier expects; 0: what fits")
    ),
    _parameter(
        "transaction_bytes",
        mark("Transaction bytes"),
        0,
        MAX_COUNT,
        "bytes",
        mark("bytes expected; 0: the tile's bytes"),
    ),
    _parameter("producer_phase", mark("Producer start phase"), 0, 1, "", mark("the lesson starts at 1")),
    _parameter("consumer_phase", mark("Consumer start phase"), 0, 1, "", mark("the lesson starts at 0")),
)


def of_lesson(name: str, **changes: Any) -> Parameter:
    """The lesson's parameter of this name for a program that means the same by it, with limits or a default of its
    own."""
    return replace(next(parameter for parameter in PARAMETERS if parameter.name == name), **changes)
