"""The 64-bit mbarrier word as SM90 hardware returns it in a token: which bits are state, and how to read them.

Layout measured on H200 (docs/hardware.md) and in agreement with ptxas output; PTX leaves it opaque.
    bit 63        phase parity
    bits 62..43   2^20 - pending (0 means pending 0)
    bit 42        0 in every word seen
    bits 41..32   upper 10 bits of the signed 21-bit -tx: tx is visible to 2048 bytes, rounded up
    bits 31..0    not state (vary by CTA and address)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.semantics.mbarrier import Token

_COUNT_SPAN = 1 << 20
_TX_FIELD = 0x3FF
_TX_SIGN = 0x200
TX_GRANULE = 2048
"""Bytes to which a token shows tx."""


def encode(token: Token) -> int:
    """The state bits of the word for `token`; the low 32 bits, which are not state, are zero."""
    pending_field = (_COUNT_SPAN - token.pending) % _COUNT_SPAN
    # Floor of -tx: the low 11 bits of the 21-bit signed value are not returned, so tx reads rounded up.
    tx_field = ((-token.tx) // TX_GRANULE) & _TX_FIELD
    return (token.parity & 1) << 63 | pending_field << 43 | tx_field << 32


def decode(words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
    """Parity, pending arrivals and transaction bytes (rounded up to 2048) of each word; any shape, same shape out."""
    parity = (words >> np.uint64(63)).astype(np.int8)
    field = ((words >> np.uint64(43)) & np.uint64(_COUNT_SPAN - 1)).astype(np.int32)
    pending = (_COUNT_SPAN - field) % _COUNT_SPAN
    tx_field = ((words >> np.uint64(32)) & np.uint64(_TX_FIELD)).astype(np.int32)
    signed = np.where(tx_field & _TX_SIGN, tx_field - 2 * _TX_SIGN, tx_field)
    return parity, pending.astype(np.int32), (-signed * TX_GRANULE).astype(np.int32)
