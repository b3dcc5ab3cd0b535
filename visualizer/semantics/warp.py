"""What a warp is: the agent of most operations."""

from __future__ import annotations

WARP_THREADS = 32
"""Threads of a warp: PTX's WARP_SZ."""
