"""Buffers that are touched in no order: the proofs, the vector clocks and the sentences."""
