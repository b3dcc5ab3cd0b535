"""SharedStorage: the lesson's 49280 bytes, and alignment whatever the stages and tile."""

from __future__ import annotations

import pytest

from visualizer.semantics.shared_storage import Region, SharedStorage, align_up


def test_the_lessons_layout() -> None:
    storage = SharedStorage(stages=3, stage_bytes=16384)
    assert storage.total_bytes == 49280
    assert storage.regions() == [
        Region("full[0]", 0, 8, 8),
        Region("full[1]", 8, 8, 8),
        Region("full[2]", 16, 8, 8),
        Region("empty[0]", 24, 8, 8),
        Region("empty[1]", 32, 8, 8),
        Region("empty[2]", 40, 8, 8),
        Region("padding", 48, 80, 1),
        Region("stage[0]", 128, 16384, 128),
        Region("stage[1]", 16512, 16384, 128),
        Region("stage[2]", 32896, 16384, 128),
    ]


@pytest.mark.parametrize("stage_bytes", [1024, 8192, 16384, 24576])
@pytest.mark.parametrize("stages", range(1, 9))
def test_regions_are_aligned_and_leave_no_gap(stages: int, stage_bytes: int) -> None:
    storage = SharedStorage(stages, stage_bytes)
    regions = storage.regions()
    assert regions[0].offset == 0
    assert [region.end for region in regions] == [*(region.offset for region in regions[1:]), storage.total_bytes]
    assert all(region.offset % region.alignment == 0 for region in regions)
    by_name = {region.name: region for region in regions}
    for stage in range(stages):
        assert by_name[f"full[{stage}]"].offset == storage.full_offset(stage)
        assert by_name[f"empty[{stage}]"].offset == storage.empty_offset(stage)
        buffer = by_name[f"stage[{stage}]"]
        assert (buffer.offset, buffer.size, buffer.alignment) == (storage.stage_offset(stage), stage_bytes, 128)


def test_8_stages_fill_the_barrier_block_without_padding() -> None:
    storage = SharedStorage(stages=8, stage_bytes=1024)
    assert storage.data_offset == 128
    assert "padding" not in [region.name for region in storage.regions()]


@pytest.mark.parametrize(("offset", "expected"), [(0, 0), (1, 128), (127, 128), (128, 128), (129, 256)])
def test_align_up(offset: int, expected: int) -> None:
    assert align_up(offset, 128) == expected
