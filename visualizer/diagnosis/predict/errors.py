"""Why nothing can be predicted, or verified."""

from __future__ import annotations

from visualizer.sources.errors import SourceError


class PredictError(SourceError):
    """A recording that no prediction can be made from, or that cannot be run again; the message says what it lacks."""
