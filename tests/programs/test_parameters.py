"""LessonConfig: derived figures of the lesson, and one clear sentence for every value that cannot be."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from visualizer.programs.errors import ProgramError
from visualizer.programs.parameters import PARAMETERS, LessonConfig


def test_the_defaults_are_the_lesson() -> None:
    config = LessonConfig()
    assert (config.stages, config.tiles, config.consumer_warps, config.ctas) == (3, 8, 3, 1)
    assert config.tile_bytes == config.expected_bytes == 16384
    assert (config.full_init, config.empty_init) == (1, 96)
    assert (config.producer_phase, config.consumer_phase) == (1, 0)
    assert config.copies_per_tile == 1
    assert config.storage.total_bytes == 49280


def test_counts_of_0_mean_what_fits_and_others_are_taken_as_they_are() -> None:
    assert LessonConfig(consumer_warps=5).empty_init == 160
    assert LessonConfig(consumer_warps=5, arrive_per_warp=True).empty_init == 5
    assert LessonConfig(consumer_arrivals=7).empty_init == 7
    assert LessonConfig(producer_arrivals=32).full_init == 32
    assert LessonConfig(transaction_bytes=100).expected_bytes == 100
    assert LessonConfig(tile_rows=64, tile_columns=192).expected_bytes == 64 * 192 * 2
    assert LessonConfig(tile_columns=192).copies_per_tile == 3


def test_every_field_has_its_parameter() -> None:
    assert [parameter.name for parameter in PARAMETERS] == [field.name for field in fields(LessonConfig)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stages": 0}, "--stages is 0; it must be 1..8"),
        ({"stages": 9}, "--stages is 9; it must be 1..8"),
        ({"tiles": 0}, "--tiles is 0; it must be 1..10000000"),
        ({"tiles": 2.5}, "--tiles must be a whole number, not 2.5"),
        ({"tiles": True}, "--tiles must be a whole number, not True"),
        ({"tiles": "8"}, "--tiles must be a whole number, not '8'"),
        ({"arrive_per_warp": 1}, "--arrive-per-warp is a switch, not 1"),
        ({"tile_rows": 4}, "--tile is 4; it must be 8..256"),
        ({"tile_rows": 12}, "--tile: 12 rows is not a multiple of 8, the height of a swizzle atom"),
        ({"tile_columns": 96}, "--tile: 96 columns is not a multiple of 64"),
        ({"consumer_warps": 16}, "--consumer-warps is 16; it must be 1..15"),
        ({"producer_delay": -1}, "--producer-delay is -1; it must be 0..1000000"),
        ({"producer_phase": 2}, "--producer-phase is 2; it must be 0..1"),
        ({"transaction_bytes": 2**20}, "--transaction-bytes is 1048576; it must be 0..1048575"),
        (
            {"stages": 8, "tile_rows": 256},
            "--stages 8 with --tile 256x64 needs 262272 bytes of shared memory; a CTA has 232448:"
            " use fewer stages or a smaller tile",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ProgramError) as raised:
        LessonConfig(**values)
    assert str(raised.value) == message


def test_the_largest_ring_that_fits_is_accepted() -> None:
    assert LessonConfig(stages=7, tile_rows=256).storage.total_bytes == 128 + 7 * 32768


def test_a_config_survives_the_way_through_a_dictionary() -> None:
    config = LessonConfig(stages=2, arrive_per_warp=True, consumer_delay=400)
    assert LessonConfig.from_dict(config.as_dict()) == config
    assert config.changed(stages=4) == LessonConfig(stages=4, arrive_per_warp=True, consumer_delay=400)


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(ProgramError, match=r"unknown parameter 'speed'; known are arrive_per_warp, "):
        LessonConfig.from_dict({"speed": 1})
