"""Differential conformance: random sequences of mbarrier operations, run on a GPU and on visualizer.semantics."""
