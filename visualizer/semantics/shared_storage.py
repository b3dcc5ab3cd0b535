"""SharedStorage: where each barrier and stage buffer lies in shared memory.

Barriers come first because an mbarrier needs 8-byte alignment; computing offsets by hand and getting it wrong
deadlocks. The kernel and the shared-memory map both take their offsets from here.
"""

from __future__ import annotations

from dataclasses import dataclass

BARRIER_BYTES = 8
BARRIER_ALIGNMENT = 8
RANK_SHIFT = 24
"""An address of shared memory in a cluster holds the CTA's rank from this bit on."""
DATA_ALIGNMENT = 128
"""TMA needs a 128-byte aligned destination; the 128-byte swizzle follows address bits 7..9 [CUDA guide]."""
MAX_DYNAMIC_BYTES = 232448
"""227 KiB, the most dynamic shared memory one CTA can have on SM90 [CUDA guide, measured on H200]."""


@dataclass(frozen=True, slots=True)
class Region:
    """One named run of bytes; `offset` counts from the start of the CTA's dynamic shared memory."""

    name: str
    offset: int
    size: int
    alignment: int

    @property
    def end(self) -> int:
        return self.offset + self.size


@dataclass(frozen=True, slots=True)
class SharedStorage:
    """The lesson's layout: full[0..S-1], empty[0..S-1], padding to 128, then one buffer a stage."""

    stages: int
    stage_bytes: int

    def full_offset(self, stage: int) -> int:
        return BARRIER_BYTES * stage

    def empty_offset(self, stage: int) -> int:
        return BARRIER_BYTES * (self.stages + stage)

    @property
    def data_offset(self) -> int:
        return align_up(2 * self.stages * BARRIER_BYTES, DATA_ALIGNMENT)

    def stage_offset(self, stage: int) -> int:
        return self.data_offset + stage * self.stage_bytes

    @property
    def total_bytes(self) -> int:
        return self.data_offset + self.stages * self.stage_bytes

    def regions(self) -> list[Region]:
        """Every byte of the storage in address order, padding included."""
        regions = [
            Region(f"full[{s}]", self.full_offset(s), BARRIER_BYTES, BARRIER_ALIGNMENT) for s in range(self.stages)
        ]
        regions += [
            Region(f"empty[{s}]", self.empty_offset(s), BARRIER_BYTES, BARRIER_ALIGNMENT) for s in range(self.stages)
        ]
        barriers_end = regions[-1].end
        if barriers_end < self.data_offset:
            regions.append(Region("padding", barriers_end, self.data_offset - barriers_end, 1))
        regions += [
            Region(f"stage[{s}]", self.stage_offset(s), self.stage_bytes, DATA_ALIGNMENT) for s in range(self.stages)
        ]
        return regions


def align_up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
