"""Explorer: what schedules of a Program can do, without times. Many random ones, or all of them up to equivalence."""

from visualizer.sources.explorer.exhaustive import explore_exhaustively
from visualizer.sources.explorer.outcome import Exploration, Witness
from visualizer.sources.explorer.random_schedules import explore, some_schedule
from visualizer.sources.explorer.witness import witness_trace

__all__ = ["Exploration", "Witness", "explore", "explore_exhaustively", "some_schedule", "witness_trace"]
