"""Runs any program without a GPU: exact barrier semantics, estimated durations."""
