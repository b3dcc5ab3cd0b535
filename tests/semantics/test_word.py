"""The barrier word against the layout measured on H200."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.semantics.mbarrier import MAX_COUNT, Mbarrier, Token
from visualizer.semantics.word import decode, encode

COUNTS = st.integers(0, MAX_COUNT)
TX = st.integers(-MAX_COUNT, MAX_COUNT)


def decode_one(word: int) -> tuple[int, int, int]:
    parity, pending, tx = decode(np.array([word], dtype=np.uint64))
    return int(parity[0]), int(pending[0]), int(tx[0])


@settings(max_examples=100, deadline=None)
@given(parity=st.integers(0, 1), pending=COUNTS, tx=TX, not_state=st.integers(0, 2**32 - 1))
def test_round_trip_shows_tx_rounded_up_to_2048_and_ignores_the_low_half(
    parity: int, pending: int, tx: int, not_state: int
) -> None:
    word = encode(Token(parity, pending, tx))
    assert 0 <= word < 2**64
    assert word & 0xFFFF_FFFF == 0
    rounded_up = (tx + 2047) // 2048 * 2048
    assert decode_one(word | not_state) == (parity, pending, rounded_up)


@pytest.mark.parametrize("count", [1, 2, 3, 32, 96, 480, MAX_COUNT])
def test_a_fresh_barrier_has_the_init_pattern_in_its_state_bits(count: int) -> None:
    pattern = (2**20 - count) << 43 | (2**20 - count) << 1
    barrier = Mbarrier()
    barrier.init(count)
    token = Token(barrier.parity, barrier.pending, barrier.tx)
    assert encode(token) == pattern >> 32 << 32
    assert decode_one(pattern) == (0, count, 0)


@settings(max_examples=100, deadline=None)
@given(parity=st.integers(0, 1), pending=COUNTS, tx=TX)
def test_bit_42_is_never_set_and_the_sign_of_tx_is_bit_41(parity: int, pending: int, tx: int) -> None:
    word = encode(Token(parity, pending, tx))
    assert word >> 42 & 1 == 0
    assert (word >> 41 & 1 == 1) == (tx > 0)


def test_known_words() -> None:
    assert encode(Token(0, 1, 0)) == 0x7FFF_F800_0000_0000
    assert encode(Token(0, 96, 0)) == 0x7FFD_0000_0000_0000
    assert encode(Token(1, 0, 0)) == 0x8000_0000_0000_0000
    assert encode(Token(0, 0, 16384)) == 0x0000_03F8_0000_0000
    assert encode(Token(0, 0, MAX_COUNT)) == 0x0000_0200_0000_0000
    assert encode(Token(0, 0, -MAX_COUNT)) == 0x0000_01FF_0000_0000
    assert encode(Token(0, 0, -2048)) == 0x0000_0001_0000_0000


def test_a_copy_draining_in_granules_is_seen_exactly_and_anything_between_rounds_up() -> None:
    seen = [decode_one(encode(Token(0, 0, tx)))[2] for tx in (16384, 12288, 6144, 2048, 0, 1, 2047, 2049, -1, -2049)]
    assert seen == [16384, 12288, 6144, 2048, 0, 2048, 2048, 4096, 0, -2048]


def test_a_word_sampled_while_bytes_alone_are_outstanding() -> None:
    # As an H200 returns it to an arrival of count 0: bit 42 does not repeat the sign.
    assert decode_one(0x0000_03F8_0000_0000) == (0, 0, 16384)
    assert decode_one(0x8000_03FF_0000_0000) == (1, 0, 2048)


def test_decode_keeps_the_shape() -> None:
    words = np.array([[encode(Token(1, 5, 4096)), encode(Token(0, 0, 0))]] * 3, dtype=np.uint64)
    parity, pending, tx = decode(words)
    assert parity.shape == pending.shape == tx.shape == (3, 2)
    assert pending[2].tolist() == [5, 0]
    assert tx[0].tolist() == [4096, 0]
    assert parity[1].tolist() == [1, 0]
