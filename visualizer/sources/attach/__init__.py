"""Kernels of any program: its launches are seen from outside, one is run instrumented, and its log becomes a Trace."""
