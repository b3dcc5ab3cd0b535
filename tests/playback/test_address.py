"""Addresses: written and read back, and refused where they make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visualizer.playback.address import Address, AddressError, parse_address
from visualizer.playback.focus import Focus


def test_it_reads_like_the_documented_form() -> None:
    address = Address(Path("run.pscope"), Focus(120, "full[1]"))
    assert str(address) == "run.pscope#step=120&lane=full[1]"
    assert parse_address(str(address)) == address


@given(
    step=st.integers(0, 10**9), lane=st.none() | st.text(min_size=1), path=st.sampled_from([None, Path("a b.pscope")])
)
def test_every_address_reads_back(step: int, lane: str | None, path: Path | None) -> None:
    address = Address(path, Focus(step, lane))
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("run.pscope", Address(Path("run.pscope"))),
        ("#step=3", Address(None, Focus(3))),
        (" 42 ", Address(None, Focus(42))),
        ("", Address(None)),
    ],
)
def test_short_forms(text: str, wanted: Address) -> None:
    assert parse_address(text) == wanted


def test_a_file_with_a_hash_in_its_name_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run#2.pscope"
    path.touch()
    assert parse_address(str(path)) == Address(path)
    assert parse_address(f"{path}#step=4") == Address(path, Focus(4))


@pytest.mark.parametrize("text", ["a#", "a#step=x", "a#step=-1", "a#lane=full[0]", "a#step=1&zoom=2", "a#b"])
def test_what_is_no_address_is_said(text: str) -> None:
    with pytest.raises(AddressError, match="comes step=N"):
        parse_address(text)
